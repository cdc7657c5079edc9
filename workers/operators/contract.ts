/** The operators' API: what waits for a person, and what an operator changes. On a listener of its own, never on the public one. */
import { z } from "zod";
import { Appeal, AppealState } from "../../schemas/appeal.ts";
import { BountyReport, MAX_DECISION_REASON, OPERATOR_STATES, REPORT_STATES } from "../../schemas/bounty.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import { AuditEntry, OperatorRole } from "../../schemas/operator.ts";
import { SiteRecord } from "../../schemas/site.ts";
import { SiteState, SiteVerdict, VerdictReason } from "../../schemas/verdict.ts";
import { LastVisit, VisitsToday } from "../../schemas/visits.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, pastedHostText, plainTextSchema } from "../../src/rpc/validation.ts";

/** Reading a whole bucket. */
const READ_TIMEOUT_MS = 30_000;

const Limit = z.int().min(1).max(1_000).default(50);
const Domain = z.object({ domain: pastedHostText(2_048) });
const BlockTarget = pastedHostText(2_048).meta({
  description:
    "A host; `*.` and a domain: that domain and all below it; or a network (`203.0.113.0/24`), from which nothing is fetched",
  example: "*.spam.example",
});
/** Of one request. */
const MAX_BLOCKED_AT_ONCE = 1_000;
const Why = plainTextSchema(MAX_DECISION_REASON).min(1).meta({ example: "Malware on its home page" });

const ShownBlock = z.object({
  domain: z.string().meta({ description: "A host, or `*.` and a domain", example: "spam.example" }),
  at: Timestamp,
  why: z.string(),
  by: z.enum(["operator", "owner"]).nullable(),
});
const ShownDeadLetter = z.object({ domain: Host, at: Timestamp, deliveries: z.int(), error: z.string() });

export const operators = defineService({
  name: "operators",
  description: "The operators' API: reports, blocks, dead letters and the audit log",
  operations: {
    getOperator: {
      method: "GET",
      paths: ["/api/operators/me"],
      summary: "Whose the key is, and what they may do",
      auth: "operator",
      reply: z.object({ name: z.string(), role: OperatorRole }).meta({ id: "OperatorSeen" }),
      errors: [],
      example: "/api/operators/me",
    },
    getOverview: {
      method: "GET",
      paths: ["/api/operators/overview"],
      summary: "The crawl, the stores and the settings in force",
      description:
        "Counts of records are upper bounds. Settings are those of the process that answers, without passwords and keys.",
      auth: "operator",
      reply: z
        .object({
          crawl: z.object({
            hosts: z.int().meta({ description: "Known hosts: each has one scheduled or due visit" }),
            due: z.int(),
            under_way: z.int(),
            redelivered: z.int().meta({ description: "Visits under way that were begun before" }),
          }),
          visits: VisitsToday,
          sites: z.int(),
          dead_letters: z.int(),
          blocks: z.int(),
          storage: z
            .array(z.object({ name: z.string(), percent: z.number() }))
            .meta({ description: "The fullest stores" }),
          settings: z.array(z.object({ name: z.string(), value: z.string() })),
        })
        .meta({ id: "OperatorsOverview" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/overview",
    },
    listHosts: {
      method: "GET",
      paths: ["/api/operators/hosts"],
      summary: "Hosts by state and reason, among those that were visited last",
      description:
        "Looks at the newest 500 records of the crawl; hosts that are only found for agents have none.",
      auth: "operator",
      query: z.object({ state: SiteState.optional(), reason: VerdictReason.optional(), limit: Limit }),
      reply: z
        .object({
          looked_at: z.int().meta({ description: "Hosts among which was looked" }),
          counts: z.array(z.object({ state: SiteState, reason: VerdictReason, hosts: z.int() })),
          total: z.int(),
          hosts: z.array(LastVisit),
        })
        .meta({ id: "OperatorsHosts" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/hosts?reason=no_txt",
    },
    listReports: {
      method: "GET",
      paths: ["/api/operators/reports"],
      summary: "Reports of the bounty network, the most urgent first",
      auth: "operator",
      query: z.object({
        state: z
          .enum(REPORT_STATES)
          .optional()
          .meta({ description: "Default: those that wait for a person" }),
        domain: hostText(253).optional().meta({ description: "About this host's registrable domain" }),
        limit: Limit,
      }),
      reply: z.object({ total: z.int(), reports: z.array(BountyReport) }).meta({ id: "ReportQueue" }),
      errors: ["invalid_domain"],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/reports",
    },
    decideReport: {
      method: "POST",
      paths: ["/api/operators/reports/{id}/decisions"],
      summary: "Decide on a report; its reporter reads state and reason",
      description:
        "triaged confirms it: it stands in the site's verdict and the firewall's answers, and the site is visited next.",
      auth: "operator",
      role: "moderator",
      makes: true,
      params: z.object({ id: z.uuid() }),
      body: z.object({
        state: z.enum(OPERATOR_STATES),
        why: Why,
        of: z.uuid().optional().meta({ description: "Of a duplicate: the report that it repeats" }),
      }),
      reply: z.object({ report: BountyReport }).meta({ id: "DecidedReport" }),
      errors: ["not_found", "decision_refused"],
      example: '/api/operators/reports/{{report}}/decisions {"state":"triaged","why":"Seen by hand"}',
    },
    readSite: {
      method: "GET",
      paths: ["/api/operators/sites/{domain}"],
      summary: "All that the registry keeps of a site: its verdict and the crawl's whole record",
      auth: "operator",
      params: Domain,
      reply: z.object({ verdict: SiteVerdict, record: SiteRecord.nullable() }).meta({ id: "OperatorSite" }),
      errors: ["invalid_domain"],
      example: "/api/operators/sites/shop.example",
    },
    listBlocks: {
      method: "GET",
      paths: ["/api/operators/blocks"],
      summary: "Blocked hosts, domains and networks, by name",
      auth: "operator",
      query: z.object({ limit: Limit }),
      reply: z.object({ total: z.int(), blocks: z.array(ShownBlock) }).meta({ id: "Blocks" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/blocks",
    },
    blockSite: {
      method: "PUT",
      paths: ["/api/operators/blocks/{domain}"],
      summary: "Block a host: its record, text and listing go, and it is not rediscovered",
      auth: "operator",
      role: "moderator",
      params: z.object({ domain: BlockTarget }),
      body: z.object({ why: Why }),
      reply: ShownBlock,
      errors: ["invalid_domain"],
      example: '/api/operators/blocks/spam.example {"why":"Malware on its home page"}',
    },
    blockSites: {
      method: "POST",
      paths: ["/api/operators/blocks"],
      summary: "Block many at once; what cannot be blocked is told, and the rest is",
      auth: "operator",
      role: "moderator",
      makes: true,
      body: z.object({ domains: z.array(BlockTarget).min(1).max(MAX_BLOCKED_AT_ONCE), why: Why }),
      reply: z
        .object({
          blocked: z.array(z.string()),
          refused: z.array(z.object({ domain: z.string(), detail: z.string() })),
        })
        .meta({ id: "BlockedSites" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: '/api/operators/blocks {"domains":["spam.example","*.phish.example"],"why":"Phishing"}',
    },
    unblockSite: {
      method: "DELETE",
      paths: ["/api/operators/blocks/{domain}"],
      summary: "Lift a block: the host can be reported and discovered again",
      auth: "operator",
      role: "moderator",
      params: z.object({ domain: BlockTarget }),
      reply: z.object({ domain: z.string(), lifted: z.literal(true) }).meta({ id: "LiftedBlock" }),
      errors: ["invalid_domain", "not_found"],
      example: "/api/operators/blocks/spam.example",
    },
    listAppeals: {
      method: "GET",
      paths: ["/api/operators/appeals"],
      summary: "Appeals of sites' owners against decisions, the oldest first",
      auth: "operator",
      query: z.object({
        state: z.enum([...AppealState.options, "all"]).default("open"),
        limit: Limit,
      }),
      reply: z.object({ total: z.int(), appeals: z.array(Appeal) }).meta({ id: "AppealQueue" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/appeals",
    },
    decideAppeal: {
      method: "POST",
      paths: ["/api/operators/appeals/{domain}/{appealId}/decisions"],
      summary: "Decide on an appeal; the owner and the site's verdict say state and reason",
      description:
        "lifted takes the decision back: the block is removed, the report counts as not applicable, and the site is visited next. Who made the decision leaves it to another operator, where there is one. Of a delisting by the crawl, the next visit says whether the page still attacks machines.",
      auth: "operator",
      role: "moderator",
      makes: true,
      params: Domain.extend({ appealId: z.uuid() }),
      body: z.object({ state: z.enum(["upheld", "lifted"]), why: Why }),
      reply: Appeal,
      errors: ["invalid_domain", "not_found", "already_decided", "decision_refused"],
      example:
        '/api/operators/appeals/{{appealedSite}}/{{appealId}}/decisions {"state":"upheld","why":"The page is still there"}',
    },
    listDeadLetters: {
      method: "GET",
      paths: ["/api/operators/dead-letters"],
      summary: "Visits that kept failing through a fault of the registry",
      auth: "operator",
      query: z.object({ limit: Limit }),
      reply: z.object({ total: z.int(), letters: z.array(ShownDeadLetter) }).meta({ id: "DeadLetters" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/dead-letters",
    },
    retryVisit: {
      method: "POST",
      paths: ["/api/operators/dead-letters/{domain}/retry"],
      summary: "Visit the host of a dead letter at once, and remove the letter",
      auth: "operator",
      role: "moderator",
      makes: true,
      params: Domain,
      reply: z.object({ domain: Host, queued: z.literal(true) }).meta({ id: "RetriedVisit" }),
      errors: ["invalid_domain", "not_found"],
      example: "/api/operators/dead-letters/shop.example/retry",
    },
    readAudit: {
      method: "GET",
      paths: ["/api/operators/audit"],
      summary: "What operators did, the newest first",
      auth: "operator",
      role: "admin",
      query: z.object({
        limit: Limit,
        before: z.uuid().optional().meta({ description: "entryId of the oldest entry that is known" }),
      }),
      reply: z.object({ entries: z.array(AuditEntry) }).meta({ id: "AuditEntries" }),
      errors: [],
      timeoutMs: READ_TIMEOUT_MS,
      example: "/api/operators/audit",
    },
  },
});
