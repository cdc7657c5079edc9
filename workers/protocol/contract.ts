/** The protocol's public operations: discovery documents, ping and the beacon. */
import { z } from "zod";
import { Timestamp, VERSIONS } from "../../schemas/common.ts";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { Beacon } from "../../schemas/peer.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText } from "../../src/rpc/validation.ts";

export const protocol = defineService({
  name: "protocol",
  description: "Discovery documents, ping and the beacon",
  operations: {
    discoveryDocument: {
      method: "GET",
      paths: ["/agent-bridge.json", "/.well-known/bridge.json"],
      summary: "Discovery document of the requested host",
      description:
        "Both paths return the same bytes. For the registry's own host, its signed document; for an enabled host, that site's document as verified.",
      auth: "none",
      reply: DiscoveryDocument,
      errors: ["no_enabled_site"],
      example: "/.well-known/bridge.json",
    },
    discover: {
      method: "GET",
      paths: ["/api/bridge/discover"],
      summary: "Discovery document of a site",
      auth: "none",
      query: z.object({
        siteId: hostText(1_024)
          .optional()
          .meta({ description: "Canonical host of an enabled site; without it, the requested host" }),
      }),
      reply: DiscoveryDocument,
      errors: ["no_enabled_site", "invalid_domain"],
      example: "/api/bridge/discover",
    },
    ping: {
      method: "GET",
      paths: ["/api/bridge/ping"],
      summary: "Check that the service is up",
      auth: "none",
      reply: z
        .object({
          status: z.string().meta({ example: "ok" }),
          bridge_version: z.string().meta({ example: VERSIONS.bridge }),
          protocol_version: z.string().meta({ example: VERSIONS.protocol }),
          timestamp: Timestamp,
        })
        .meta({ id: "Ping" }),
      errors: [],
      example: "/api/bridge/ping",
    },
    beacon: {
      method: "GET",
      paths: ["/.bridge"],
      summary: "Beacon: trust ring, score, peers, and beacons to follow",
      auth: "none",
      reply: Beacon,
      errors: ["no_enabled_site"],
      example: "/.bridge",
    },
  },
});
