/** A discovery document in the making: what its site says already, and what only its owner can say. */
import { z } from "zod";
import { Action } from "./action.ts";
import { Host, IntentTag, Location, Timestamp } from "./common.ts";
import { DiscoveryDocument, Permissions } from "./discovery-document.ts";

/** Actions of a drafted document: those of the front page's first forms. */
export const MAX_DRAFTED_ACTIONS = 8;

const Contact = z
  .strictObject({
    email: z.string().max(320).optional(),
    phone: z.string().max(64).optional(),
    url: z.string().max(512).optional().meta({ description: "Page with the contact or imprint" }),
  })
  .meta({ id: "SiteContact", description: "How the site says it is reached" });

/** What a document says that differs from site to site. Everything else follows from the domain and the protocol. */
const answers = {
  name: z.string().min(1).max(200).meta({ description: "Name of the business", example: "Corner Shop" }),
  category: z.string().max(64).meta({ description: "Its trade, in a word", example: "retail" }),
  description: z.string().max(2_000).meta({ description: "What it offers" }),
  owner: z.string().max(200).meta({ description: "Who runs the site" }),
  location: Location,
  contact: Contact,
  intent_tags: z.array(IntentTag).max(16).meta({ description: "What visitors come to do" }),
  actions: z.array(Action).max(64).meta({ description: "What agents can do, from the site's forms" }),
  permissions: Permissions,
  is_independent: z.boolean().meta({
    description: "Whether no other company decides what the site recommends",
    example: true,
  }),
  commission_rate: z.number().min(0).max(100).meta({
    description: "Percent of the price that somebody gets for sending visitors on; 0: nobody gets any",
    example: 0,
  }),
  direct_benefit: z.string().max(512).meta({ description: "What visitors gain by coming directly" }),
};

/** An owner's answers: what has no default and no reading must be there. */
export const DocumentAnswers = z
  .strictObject({
    ...answers,
    category: answers.category.default(""),
    description: answers.description.default(""),
    owner: answers.owner.optional(),
    location: answers.location.optional(),
    contact: answers.contact.optional(),
    intent_tags: answers.intent_tags.optional(),
    actions: answers.actions.optional(),
    permissions: answers.permissions.optional(),
    direct_benefit: answers.direct_benefit.default(""),
  })
  .meta({ id: "DocumentAnswers" });
export type DocumentAnswers = z.infer<typeof DocumentAnswers>;

/** Answers, and where the document will be. */
export const ComposeRequest = DocumentAnswers.extend({
  endpoint: z.string().max(1_024).optional().meta({
    description: "Origin that serves the document; default https://<domain>",
    example: "https://shop.example",
  }),
}).meta({ id: "ComposeRequest" });

const DraftedAnswers = z.strictObject(answers).partial().meta({ id: "DraftedAnswers" });
export type DraftedAnswers = z.infer<typeof DraftedAnswers>;

export const ANSWERS = Object.keys(answers) as (keyof DraftedAnswers)[];

export const DraftSource = z
  .enum(["json_ld", "open_graph", "meta", "title", "link", "forms"])
  .meta({ id: "DraftSource", description: "Where on the front page it stands" });
export type DraftSource = z.infer<typeof DraftSource>;

export const FRONT_PAGE_STATES = ["read", "disallowed", "unreachable", "no_page", "left_alone"] as const;

export const DocumentDraft = z
  .object({
    domain: Host,
    page: z
      .object({
        state: z.enum(FRONT_PAGE_STATES).meta({
          description:
            "read; disallowed by robots.txt; unreachable; no_page: no HTML there; left_alone: blocked or in quarantine",
        }),
        url: z.string(),
        detail: z.string().meta({
          description: "Why it was not read; where `www.` of the domain was, that; else empty",
        }),
      })
      .meta({ description: "What became of reading the front page" }),
    answers: DraftedAnswers.meta({
      description: "What the front page says, in the form that `composeDocument` takes; nothing else",
    }),
    sources: z
      .array(z.object({ answer: z.string(), source: DraftSource }))
      .meta({ description: "Where each answer comes from" }),
    unknown: z
      .array(z.object({ answer: z.string(), required: z.boolean(), detail: z.string() }))
      .meta({ description: "What the page does not say: only the owner can" }),
    read_at: Timestamp,
  })
  .meta({ id: "DocumentDraft" });
export type DocumentDraft = z.infer<typeof DocumentDraft>;

/** Origin of the page that was read instead of the domain's, which redirects to it: where the document can be served. */
export function originElsewhere({ domain, page }: DocumentDraft): string | undefined {
  const { hostname, origin } = new URL(page.url);
  return page.state === "read" && hostname !== domain ? origin : undefined;
}

export const ComposedDocument = z
  .object({
    domain: Host,
    document: DiscoveryDocument.meta({
      description: "Unsigned: sign it with the key whose public half is in DNS",
    }),
    endpoint: z.string().meta({ description: "As the TXT record and the manifest name it" }),
    record_name: z.string().meta({ example: "_bridge.shop.example" }),
    document_url: z.url().meta({ description: "Where to serve it once it is signed" }),
  })
  .meta({ id: "ComposedDocument" });

/** What DNS says of a domain now. */
export const SiteDns = z
  .object({
    domain: Host,
    record_name: z.string().meta({ example: "_bridge.shop.example" }),
    state: z.enum(["valid", "missing", "faulty", "unknown"]).meta({
      description:
        "valid: a usable key; missing: no record; faulty: a record that is not used; unknown: DNS did not answer",
    }),
    reason: z
      .string()
      .meta({ description: "Stable code, as in the verdict's check `dns`", example: "txt_valid" }),
    detail: z.string(),
    records: z.array(z.string()).max(64).meta({ description: "Bridge records as they are published" }),
    keys: z
      .array(z.object({ kid: z.string(), pk: z.string() }))
      .meta({ description: "Keys in force, with their ids (RFC 7638)" }),
    endpoint: z.string().nullable(),
    dnssec: z.enum(["secure", "insecure", "bogus", "unknown"]),
    zone: Host.meta({ description: "The registrable domain, which is usually the zone" }),
    name_servers: z.array(z.string()).max(16),
    dns_provider: z.string().nullable().meta({
      description: "Who runs the name servers, where their names tell",
      example: "Cloudflare",
    }),
    dns_hint: z
      .object({
        text: z.string().meta({
          description: "Where the record is entered there, and under which name",
          example:
            "At Cloudflare: DNS, Records, Add record; type TXT, name _bridge (shop.example is added there).",
        }),
        help_url: z.url().nullable().meta({ description: "Its own instructions" }),
      })
      .nullable(),
    checked_at: Timestamp,
  })
  .meta({ id: "SiteDns" });
export type SiteDns = z.infer<typeof SiteDns>;
