/** The protocol's public operations: discovery documents, ping and the beacon. */
import { z } from "zod";
import { CENSUS_DAYS, Census } from "../../schemas/census.ts";
import { Host, Timestamp, VERSIONS } from "../../schemas/common.ts";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { Beacon } from "../../schemas/peer.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText } from "../../src/rpc/validation.ts";
import { censusCsv } from "./census-csv.ts";
import { RegistryAbout, RegistryStatus } from "./registry-contract.ts";

export const protocol = defineService({
  name: "protocol",
  description: "Discovery documents, ping, the beacon, and what the registry says of itself",
  operations: {
    getDiscoveryDocument: {
      method: "GET",
      paths: ["/agent-bridge.json", "/.well-known/bridge.json"],
      summary: "Discovery document of the requested host",
      description:
        "Both paths return the same bytes. For the registry's own host, its signed document; for a host that an account proved, the document that its owner gave; for an enabled host, that site's document as verified; for another proved host, one made of its configuration, unsigned.",
      auth: "none",
      anyQuery: true,
      reply: DiscoveryDocument,
      errors: ["no_enabled_site"],
      example: "/.well-known/bridge.json",
    },
    getSiteDocument: {
      method: "GET",
      paths: ["/api/bridge/discover"],
      summary: "Discovery document of a site",
      description:
        "The same document as by the site's Host, as its owner signed it: it verifies as it is, without its member `manifest`. What the registry found itself is `GET /api/registry/sites/{domain}`.",
      auth: "none",
      query: z.object({
        siteId: hostText(1_024).optional().meta({
          description:
            "Canonical host of an enabled site, or of one that an account proved; without it, the requested host",
        }),
      }),
      reply: DiscoveryDocument,
      errors: ["no_enabled_site", "invalid_domain"],
      example: "/api/bridge/discover",
    },
    getServedName: {
      method: "GET",
      paths: ["/api/registry/serves"],
      summary:
        "Whether the registry serves a document under a name: asked by what orders certificates on demand",
      description:
        "200 for the host of a proved site whose owner gave a document, and for `bridge.<site>` of it; 404 for every other name. A server before the registry asks it before it orders a certificate for a name.",
      auth: "none",
      query: z.object({
        domain: hostText(1_024).meta({
          description: "The name that a client asked for",
          example: "bridge.shop.example",
        }),
      }),
      reply: z.object({ domain: Host, is_served: z.literal(true) }).meta({ id: "ServedName" }),
      errors: ["not_found", "invalid_domain"],
      example: "/api/registry/serves?domain={{givenHost}}",
    },
    pingRegistry: {
      method: "GET",
      paths: ["/api/bridge/ping"],
      summary: "Check that the service is up",
      description: "Answered by the front itself: /readyz says whether it reaches the rest.",
      auth: "none",
      anyQuery: true,
      constant: () => ({
        status: "ok",
        bridge_version: VERSIONS.bridge,
        protocol_version: VERSIONS.protocol,
        timestamp: new Date().toISOString(),
      }),
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
    getBeacon: {
      method: "GET",
      paths: ["/.bridge"],
      summary: "Beacon: trust ring, score, peers, and beacons to follow",
      auth: "none",
      anyQuery: true,
      reply: Beacon,
      errors: ["no_enabled_site"],
      example: "/.bridge",
    },
    getRegistryStatus: {
      method: "GET",
      paths: ["/api/registry/status"],
      summary: "How far the crawl is, and the newest visits",
      description: "Read anew at most once a second. As events: `GET /status/events`.",
      auth: "none",
      reply: RegistryStatus,
      errors: [],
      example: "/api/registry/status",
    },
    getCensus: {
      method: "GET",
      paths: ["/api/registry/census"],
      summary: "What hosts publish for agents, a day a row",
      description:
        "Hosts that were looked at on each day (UTC), each counted once: formats, protocols, platforms, answers and levels, with how often looks err at hosts of which it is known what is there. `frame` says how the hosts were chosen. As CSV with `format=csv` or `Accept: text/csv`; a column that is not there is 0. Days are kept for 41 days; today is read anew once a minute.",
      auth: "none",
      query: z.object({
        days: z.int().min(1).max(CENSUS_DAYS).default(CENSUS_DAYS).meta({ description: "Newest days" }),
        format: z.enum(["json", "csv"]).optional(),
      }),
      csv: { name: "census", text: censusCsv },
      reply: Census,
      errors: [],
      example: "/api/registry/census?days=7",
    },
    getRegistryAbout: {
      method: "GET",
      paths: ["/api/registry/about"],
      summary: "Rules that this registry crawls, ranks and lists by, and whom to reach",
      auth: "none",
      reply: RegistryAbout,
      errors: [],
      example: "/api/registry/about",
    },
  },
});
