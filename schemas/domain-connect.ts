/** Domain Connect (draft-ietf-dconn-domainconnect): a DNS provider publishes a site's records once its customer agrees there. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";

const TemplateRecord = z.object({
  type: z.literal("TXT"),
  host: z.string().meta({ example: "_bridge" }),
  data: z.string(),
  ttl: z.int(),
  txtConflictMatchingMode: z.literal("Prefix"),
  txtConflictMatchingPrefix: z.string(),
});

/** Members as the standard names them: it is given to DNS providers as it is. */
export const DomainConnectTemplate = z
  .object({
    providerId: z.string().max(63).meta({ example: "registry.example" }),
    providerName: z.string(),
    serviceId: z.literal("record"),
    serviceName: z.string(),
    version: z.int(),
    description: z.string(),
    variableDescription: z.string(),
    syncPubKeyDomain: z.string().meta({ description: "Below it is the key that signs requests" }),
    syncRedirectDomain: z.string(),
    records: z.array(TemplateRecord),
  })
  .meta({ id: "DomainConnectTemplate" });
export type DomainConnectTemplate = z.infer<typeof DomainConnectTemplate>;

export const DomainConnectTemplates = z
  .object({
    is_offered: z.boolean().meta({ description: "Whether this registry has a key that signs requests" }),
    key_record: z
      .object({
        host: z.string().meta({ example: "_dckey-0123456789abcdef.registry.example" }),
        type: z.literal("TXT"),
        values: z.array(z.string()).meta({ description: "Each is a TXT record of its own" }),
      })
      .nullable()
      .meta({ description: "The public key, as the operator publishes it; null without a key" }),
    templates: z.array(DomainConnectTemplate),
  })
  .meta({ id: "DomainConnectTemplates" });

const PublishedRecord = z.object({
  host: z.string().meta({ example: "_bridge.shop.example" }),
  type: z.literal("TXT"),
  value: z.string(),
  ttl: z.int(),
});

export const DomainConnect = z
  .object({
    domain: Host,
    zone: Host.meta({ description: "The registrable domain, which is asked for Domain Connect" }),
    state: z.enum(["offered", "not_offered", "unknown"]).meta({
      description:
        "offered: the DNS provider publishes the records once its customer agrees at `apply_url`; not_offered: publish them by hand; unknown: the provider did not answer",
    }),
    reason: z
      .enum([
        "template_known",
        "no_signing_key",
        "no_domain_connect",
        "record_unusable",
        "zone_unknown",
        "settings_unusable",
        "no_synchronous_flow",
        "template_unknown",
        "dns_failed",
        "provider_unanswered",
      ])
      .meta({ description: "Stable code" }),
    detail: z.string(),
    provider: z.object({ name: z.string().meta({ description: "As the provider calls itself" }) }).nullable(),
    apply_url: z.url().nullable().meta({
      description:
        "Where the domain's owner logs in at the DNS provider and agrees; signed by this registry. Open it in a browser",
    }),
    records: z.array(PublishedRecord).meta({ description: "What is published there" }),
    checked_at: Timestamp,
  })
  .meta({ id: "DomainConnect" });
export type DomainConnect = z.infer<typeof DomainConnect>;
