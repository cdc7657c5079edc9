/** Operations on a name below a site that leads to the registry: for owners who can place no file. */
import { z } from "zod";
import { Host, Timestamp } from "../../../schemas/common.ts";
import type { Operations } from "../../../src/rpc/contract.ts";

const SiteParams = z.object({ siteId: Host });

const Hosting = z
  .object({
    siteId: Host,
    is_offered: z.boolean().meta({ description: "Whether this registry serves names of sites at all" }),
    state: z.enum(["off", "waits", "ordered", "in_force"]).meta({
      description:
        "off; waits: for what `missing` names; ordered: the certificate is on its way, which takes a minute; in_force: the registry answers at `document_url`",
    }),
    name: z.string().meta({ example: "bridge.shop.example" }),
    endpoint: z.string().meta({
      description: "What the TXT record of the site's key names as `endpoint`",
      example: "https://bridge.shop.example",
    }),
    document_url: z.url(),
    record: z
      .object({ host: z.string(), type: z.literal("CNAME"), value: z.string(), ttl: z.int() })
      .nullable()
      .meta({ description: "The record to publish; null where the registry serves no names" }),
    missing: z
      .array(z.object({ what: z.enum(["cname", "txt", "document", "dns"]), detail: z.string() }))
      .meta({ description: "What keeps a certificate from being ordered, as DNS says now" }),
    certificate: z
      .object({ not_after: Timestamp })
      .nullable()
      .meta({ description: "Renewed when two thirds of its time are over" }),
    fault: z.string().nullable().meta({ description: "Why the last order failed; it is made again later" }),
  })
  .meta({ id: "Hosting" });
export type HostingShown = z.infer<typeof Hosting>;

export const hostingOperations = {
  hosting: {
    operationId: "getHosting",
    method: "GET",
    paths: ["/api/account/sites/{siteId}/hosting"],
    summary: "Whether the registry answers for a site under a name of the site's own",
    auth: "account",
    limits: ["domain_proofs"],
    params: SiteParams,
    reply: Hosting,
    errors: ["not_found", "authentication_required", "rate_limited"],
    timeoutMs: 15_000,
    example: "/api/account/sites/{{siteId}}/hosting",
  },
  hostSite: {
    method: "PUT",
    paths: ["/api/account/sites/{siteId}/hosting"],
    summary: "Have the registry serve a site's document under `bridge.<site>`, with a certificate",
    description:
      "For sites that can place no file. Publish the CNAME, have the TXT record of the site's key name the endpoint, and give a signed document or have the registry hold the key (`holdKey`). Once DNS says both, the registry orders a certificate by ACME and renews it in time, each time only while DNS still says so. The name serves the document and nothing else.",
    auth: "account",
    limits: ["certificate_orders", "domain_proofs"],
    params: SiteParams,
    reply: Hosting,
    errors: ["not_found", "authentication_required", "hosting_unavailable", "rate_limited"],
    timeoutMs: 15_000,
    example: "/api/account/sites/{{siteId}}/hosting",
  },
  endHosting: {
    method: "DELETE",
    paths: ["/api/account/sites/{siteId}/hosting"],
    summary: "Have the registry answer no more under a site's name; the certificate's key is removed",
    auth: "account",
    params: SiteParams,
    reply: z.object({ siteId: Host, ended: z.literal(true) }).meta({ id: "EndedHosting" }),
    errors: ["not_found", "authentication_required"],
    example: "/api/account/sites/{{hostedSite}}/hosting",
  },
} as const satisfies Operations;
