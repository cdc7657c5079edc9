/** The provider API: what DNS providers and registrars need to switch the bridge on for a domain and to see that it is on. */
import { z } from "zod";
import { Host, Timestamp } from "../../schemas/common.ts";
import {
  DomainConnect,
  DomainConnectTemplate,
  DomainConnectTemplates,
} from "../../schemas/domain-connect.ts";
import { ComposedDocument, ComposeRequest, DocumentDraft, SiteDns } from "../../schemas/draft.ts";
import {
  BatchReply,
  BatchStatus,
  DomainStatus,
  EnablePlan,
  ProviderManifest,
  TxtRecordPayload,
  WebhookHeaders,
} from "../../schemas/provider.ts";
import { MadeFormat, PublishableDocument } from "../../schemas/publishable-document.ts";
import { SiteReadiness } from "../../schemas/readiness.ts";
import { SiteVerdict } from "../../schemas/verdict.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { pastedHostText, plainTextSchema } from "../../src/rpc/validation.ts";

export const MAX_BATCH = 50;

const Domain = pastedHostText(4_096).meta({
  description: "A domain in any form: upper case, a final dot, Unicode, an address",
  example: "shop.example",
});
const Endpoint = plainTextSchema(1_024).optional().meta({
  description: "Origin that serves the document; default https://<domain>",
  example: "https://shop.example",
});
const Key = z.string().max(64).optional().meta({
  pattern: "^[A-Za-z0-9_-]{43}$",
  description: "Public key, 43 characters of base64url; default: the one verified for the domain",
});

const CallbackUrl = z
  .string()
  .max(2_048)
  .meta({ description: "Where the reply is sent too", example: "https://dns.example/hooks/bridge" });
const CallbackSecret = z.string().min(1).max(512).meta({
  description: "Signs the webhook: UTF-8, or base64 after `whsec_`. Without one it is not signed",
  "x-any-text": true,
});
const Site = z.object({ domain: Domain });

export const provider = defineService({
  name: "provider",
  description:
    "What the registry says of a site; for DNS providers and registrars, its record's template, plan, status, batches and their webhooks",
  operations: {
    getProviderManifest: {
      method: "GET",
      paths: ["/api/discovery/provider/manifest"],
      summary: "The provider contract, for machines",
      auth: "none",
      reply: ProviderManifest,
      errors: [],
      example: "/api/discovery/provider/manifest",
    },
    getRecordTemplate: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/discovery/provider/record-template"],
      summary: "The TXT record of a domain, as a plain value, a zone-file line and quoted strings",
      auth: "none",
      limits: { dns_names: 1 },
      query: z.object({ domain: Domain, endpoint: Endpoint, pk: Key }),
      reply: TxtRecordPayload,
      errors: ["invalid_domain", "invalid_endpoint"],
      example: "/api/discovery/provider/record-template?domain=shop.example",
    },
    getEnablePlan: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/discovery/provider/enable-plan"],
      summary: "What to do, step by step, to enable or disable a domain",
      auth: "none",
      limits: { dns_names: 1 },
      query: z.object({
        domain: Domain,
        action: z.enum(["enable", "disable"]).default("enable"),
        endpoint: Endpoint,
        pk: Key,
      }),
      reply: EnablePlan,
      errors: ["invalid_domain", "invalid_endpoint"],
      example: "/api/discovery/provider/enable-plan?domain=shop.example",
    },
    getDomainStatus: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/discovery/provider/status"],
      summary: "State of one domain, with each check's outcome and reason",
      description:
        "Answered from what a visit or a probe saw at most a minute ago while DNS says the same, else by a probe under the crawl's own politeness limits; `checked_at` and `source` say which. 503 with Retry-After: the record is usable, and the document could not be read yet.",
      auth: "none",
      limits: { fetches: 1 },
      query: z.object({ domain: Domain }),
      reply: DomainStatus,
      errors: ["invalid_domain"],
      timeoutMs: 15_000,
      example: "/api/discovery/provider/status?domain=shop.example",
    },
    verifyBatch: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/discovery/provider/verify-batch"],
      summary: "Verify up to 50 domains; the reply can also be sent to a webhook",
      description:
        "Results come in the order asked; a domain that is named twice is verified once. Answered from what was seen at most a minute ago while DNS says the same, else by a probe. What is not finished within the deadline is `pending`, with `ask_again_at`; its probe goes on, and a second webhook brings the whole batch when all is known. The webhook follows Standard Webhooks 1.0.0 and is retried for three days.",
      auth: "none",
      limits: { batch_domains: ({ body }) => (body as { domains: string[] }).domains.length },
      charges: { dns_names: 1, webhooks: 1 },
      bodyLimitBytes: 256 * 1024,
      body: z.object({
        domains: z
          .array(z.string().meta({ description: "What is no domain is `invalid`", "x-any-text": true }))
          .min(1)
          .max(MAX_BATCH)
          .meta({ description: "Domains in any form", example: ["shop.example"] }),
        include_agent_run: z
          .boolean()
          .default(false)
          .meta({ description: "Also do what an agent without a session does" }),
        callback_url: CallbackUrl.optional(),
        callback_secret: CallbackSecret.optional(),
      }),
      reply: BatchReply,
      errors: ["invalid_callback", "rate_limited"],
      timeoutMs: 30_000,
      example: '/api/discovery/provider/verify-batch {"domains":["shop.example"]}',
    },
    testCallback: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/discovery/provider/test-callback"],
      summary: "Send a test webhook",
      description:
        "A batch without domains: what arrives has the form, headers and signature of every webhook. The reply's status_url says what became of it.",
      auth: "none",
      charges: { dns_names: 1, webhooks: 1 },
      body: z.object({ callback_url: CallbackUrl, callback_secret: CallbackSecret.optional() }),
      reply: BatchReply,
      errors: ["invalid_callback", "rate_limited"],
      timeoutMs: 30_000,
      example: '/api/discovery/provider/test-callback {"callback_url":"https://dns.example/hooks/bridge"}',
    },
    getSiteReadiness: {
      method: "GET",
      paths: ["/api/registry/sites/{domain}/ready"],
      summary: "How useful a site is to agents, format by format",
      description:
        "A view of the verdict, from the last look at the site: what works, what is broken and how to repair it, and what is only there for scanners. Nothing counts for being there. As a page, with a badge: `/ready/{domain}`. To have a site looked at: `POST /api/registry/report`.",
      auth: "none",
      params: Site,
      reply: SiteReadiness,
      errors: ["invalid_domain"],
      example: "/api/registry/sites/shop.example/ready",
    },
    getSite: {
      method: "GET",
      paths: ["/api/registry/sites/{domain}"],
      summary: "What the registry says of a site, and why",
      description:
        "The verdict by the crawl's own visits: state, checks in the crawl's order, scores, and what to do. Listing, status, batch and discovery documents say parts of it. Also for names never seen (state `unknown`).",
      auth: "none",
      params: Site,
      reply: SiteVerdict,
      errors: ["invalid_domain"],
      example: "/api/registry/sites/shop.example",
    },
    makeSiteDocument: {
      method: "GET",
      paths: ["/api/registry/sites/{domain}/as/{format}"],
      summary: "Make a document that a site could publish, of what was seen there",
      description:
        "For owners: a card or catalog that is missing, of services that answered this registry or that documents of the host describe. What cannot be made says why (`not_observed`).",
      auth: "none",
      params: Site.extend({ format: MadeFormat }),
      query: z.object({
        endpoint: plainTextSchema(2_048)
          .optional()
          .meta({ description: "Only of the service at this address" }),
      }),
      reply: PublishableDocument,
      errors: ["invalid_domain", "not_observed"],
      example: "/api/registry/sites/{{foundHost}}/as/mcp-server-card",
    },
    recheckSite: {
      method: "POST",
      makes: true,
      paths: ["/api/registry/sites/{domain}/recheck"],
      summary: "Ask for a visit now, because the site changed",
      description:
        "A site is visited for this at most once in five minutes. The verdict says what the visit found.",
      auth: "none",
      limits: { fetches: 10 },
      params: Site,
      reply: z
        .object({
          domain: Host,
          queued: z.boolean().meta({
            description: "false: a visit is due or in progress already, or `can_recheck_at` is not yet come",
          }),
          can_recheck_at: Timestamp,
          verdict_url: z.url(),
        })
        .meta({ id: "Recheck" }),
      errors: ["invalid_domain", "site_not_registered"],
      example: "/api/registry/sites/{{enabledHost}}/recheck",
    },
    draftDocument: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/registry/sites/{domain}/draft"],
      summary: "Draft a site's discovery document from its front page",
      description:
        "Reads the front page as the crawl does: by robots.txt, at its pace. `answers` holds what the page says to machines and in its forms; `unknown` what only the owner can say. Nothing is guessed. The same page is not read again within 20 seconds.",
      auth: "none",
      limits: { fetches: 1 },
      params: Site,
      reply: DocumentDraft,
      errors: ["invalid_domain"],
      timeoutMs: 20_000,
      example: "/api/registry/sites/{{enabledHost}}/draft",
    },
    composeDocument: {
      method: "POST",
      paths: ["/api/registry/sites/{domain}/document"],
      summary: "Make a discovery document of an owner's answers, unsigned",
      description:
        "Nothing is kept. Sign the document with the key whose public half is in DNS (`bridge sign`, or the page /owners), and serve it at `document_url`.",
      auth: "none",
      limits: { fetches: 1 },
      params: Site,
      body: ComposeRequest,
      reply: ComposedDocument,
      errors: ["invalid_domain", "invalid_endpoint"],
      example:
        '/api/registry/sites/shop.example/document {"name":"Corner Shop","category":"retail","is_independent":true,"commission_rate":0}',
    },
    getSiteDns: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/registry/sites/{domain}/dns"],
      summary: "What DNS says of a site's TXT record now",
      description:
        "By the same reading as a visit's, asked anew where the last answer is older than three seconds. A resolver on the way may still remember that there was no record.",
      auth: "none",
      limits: { dns_names: 1 },
      params: Site,
      reply: SiteDns,
      errors: ["invalid_domain"],
      example: "/api/registry/sites/shop.example/dns",
    },
    getDomainConnect: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/registry/sites/{domain}/domain-connect"],
      summary:
        "Whether a domain's DNS provider publishes its records by Domain Connect, and where its owner agrees",
      description:
        "Asks the zone for `_domainconnect`, the provider that it names for its settings, and whether it knows this registry's template; a provider is asked at most once in five minutes for a zone. `apply_url` is signed by this registry (RS256) and holds public values alone.",
      auth: "none",
      limits: { fetches: 1 },
      params: Site,
      query: z.object({
        pk: z.string().max(64).meta({
          pattern: "^[A-Za-z0-9_-]{43}$",
          description: "The site's public key, 43 characters of base64url",
        }),
        endpoint: Endpoint,
      }),
      reply: DomainConnect,
      errors: ["invalid_domain", "invalid_endpoint"],
      timeoutMs: 20_000,
      example:
        "/api/registry/sites/{{enabledHost}}/domain-connect?pk=11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    },
    listDomainConnectTemplates: {
      method: "GET",
      paths: ["/api/discovery/provider/domain-connect"],
      summary: "This registry's templates of Domain Connect, and the key that signs its requests",
      auth: "none",
      reply: DomainConnectTemplates,
      errors: [],
      example: "/api/discovery/provider/domain-connect",
    },
    getDomainConnectTemplate: {
      method: "GET",
      paths: ["/api/discovery/provider/domain-connect/{service}"],
      summary: "One template of Domain Connect, as a DNS provider takes it",
      auth: "none",
      params: z.object({ service: z.string().max(64).meta({ example: "record" }) }),
      reply: DomainConnectTemplate,
      errors: ["not_found"],
      example: "/api/discovery/provider/domain-connect/record",
    },
    getBatch: {
      method: "GET",
      paths: ["/api/discovery/provider/batches/{request_id}"],
      summary: "What became of a batch and of its webhook",
      auth: "none",
      params: z.object({
        request_id: z.string().max(64).meta({
          description: "request_id of the batch's reply",
          example: "01980000-0000-7000-8000-000000000000",
        }),
      }),
      reply: BatchStatus,
      errors: ["batch_not_found"],
      example: "/api/discovery/provider/batches/{{batch}}",
    },
  },
  webhooks: {
    receiveBatch: {
      summary: "A batch was verified",
      description:
        "Sent to the callback_url of verifyBatch and testCallback: their reply, byte for byte. Answer 2xx to accept it and 410 to end its delivery; anything else is tried again. Verify the signature before anything else, and deduplicate by webhook-id.",
      headers: WebhookHeaders,
      body: BatchReply,
    },
  },
});
