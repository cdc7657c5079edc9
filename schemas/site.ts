/**
 * What the crawl knows about one host (SiteRecord, the source of truth) and what the registry publishes (Listing, the
 * projection).
 */
import { z } from "zod";
import { Effect } from "./action.ts";
import { Protocol } from "./agent-web.ts";
import { ConfirmedReport } from "./bounty.ts";
import { Dnssec, Host, IntentTag, Location, Timestamp, TrustRing } from "./common.ts";
import { SEVERITIES } from "./finding.ts";
import { Access } from "./license.ts";

export const SiteStatus = z.enum(["enabled", "partial", "stale", "disabled"]).meta({
  description:
    "enabled: ring 3 or 4 and listed; partial: ring 1 or 2; stale: was enabled, must be verified again; disabled: none of these",
});
export type SiteStatus = z.infer<typeof SiteStatus>;

/** Why a site has its status: the stable outcome of its last conclusive check. */
export const VISIT_REASONS = [
  "verified",
  "unsigned",
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "dns_failed",
  "dns_bogus",
  "unreachable",
  "address_refused",
  "document_missing",
  "document_invalid",
  "signature_invalid",
  "manifest_invalid",
  "manifest_expired",
  "manifest_not_yet_valid",
  "serial_lowered",
  "domain_mismatch",
  "document_mismatch",
  "malicious_page",
  "quarantined",
  "not_visited",
] as const;
export const VisitReason = z.enum(VISIT_REASONS);
export type VisitReason = z.infer<typeof VisitReason>;

/** Confirmed reports that a record keeps, the newest. */
export const MAX_REPORTED = 8;

/** Characters of a check's detail that are kept. */
export const MAX_CHECK_DETAIL = 300;
/** What was found on one page that moves a part of the neutrality score. */
export const PageFinding = z.looseObject({
  part: z.string().meta({
    description:
      "The part that it moves: dark, affiliate, trackers; malicious, which takes a site off the directory",
  }),
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  selector: z.string().optional().meta({ description: "CSS selector of the element that holds it" }),
  excerpt: z.string().meta({ description: "What the page has there, shortened" }),
  fix: z.string().meta({ description: "What to do about it" }),
});
export type PageFinding = z.infer<typeof PageFinding>;

/** A page, and what on it moves a part most. `rule` and `excerpt` are empty where something is missing from the page. */
export const ShownEvidence = PageFinding.omit({ part: true }).extend({
  page: z.string(),
  seen_at: Timestamp,
});
export type ShownEvidence = z.infer<typeof ShownEvidence>;

const Part = z.number().min(0).max(1).optional();
/** A form that a page of the site declares as a tool (WebMCP), and one page that has it. */
export const SiteTool = z.looseObject({
  name: z.string(),
  description: z.string(),
  effect: Effect,
  page: z.string(),
});
export type SiteTool = z.infer<typeof SiteTool>;

/**
 * What visits measured of a site's conduct towards its visitors. Parts run from 0 (worst) to 1 (best); absent: not
 * measured.
 */
export const MeasuredEvidence = z.looseObject({
  dark: Part.meta({ description: "Free of dark patterns" }),
  affiliate: Part.meta({ description: "Free of undisclosed affiliate links" }),
  trackers: Part.meta({ description: "Free of trackers" }),
  ownership: Part.meta({ description: "The owner is stated, and independent" }),
  honesty: Part.meta({ description: "Its declarations match what the crawl found" }),
  pages: z.int().min(0).meta({ description: "Pages that the parts were measured on" }),
  measured_at: Timestamp.meta({ description: "When the last of them was read" }),
  shown: z
    .record(z.string(), z.array(ShownEvidence))
    .optional()
    .meta({ description: "By part: the pages that move it most, the worst first" }),
  attack_seen_at: Timestamp.optional().meta({
    description:
      "When a visit last read a page that attacks machines; within 90 days of it a second one delists",
  }),
  tools: z.array(SiteTool).optional().meta({ description: "Forms of its pages that are declared as tools" }),
  contradictions: z
    .looseObject({ confirmed: z.int().min(0), last_at: Timestamp })
    .optional()
    .meta({ description: "Declarations that two visits found false, and when one was last found so" }),
});
export type MeasuredEvidence = z.infer<typeof MeasuredEvidence>;

/**
 * A host whose bytes hung a reader. Stored beside the record's `reason`, and shown in its place while it is
 * in force.
 */
export const Quarantine = z.looseObject({
  /** Consecutive hangs, without a good visit between them. */
  strikes: z.int().min(1),
  last_at: Timestamp,
  /** The earliest time of the next visit. */
  until: Timestamp,
  detail: z.string().max(500),
  /** False after a visit that hung nothing; the next hang continues the count of `strikes`. */
  in_force: z.boolean(),
});

/** How one stage of a visit went, and when. `detail` may quote the site: escape it where it is shown. */
export const StageCheck = z.looseObject({
  name: z
    .string()
    .meta({ description: "dns, endpoint, document, signature, manifest, beacon, robots or pages" }),
  outcome: z.enum(["pass", "warn", "fail", "skipped"]).meta({
    description: "warn: not what keeps a site from being listed; skipped: nothing to look at, or not reached",
  }),
  reason: z.string().meta({ description: "Stable code", example: "txt_valid" }),
  detail: z.string().max(MAX_CHECK_DETAIL),
  observed_at: Timestamp,
});
export type StageCheck = z.infer<typeof StageCheck>;

/** A change of a site's state. */
export const StateChange = z.looseObject({ at: Timestamp, state: SiteStatus, reason: VisitReason });
export type StateChange = z.infer<typeof StateChange>;

/** What the stages of a visit find of a site, as its record names it: a new fact is a line here, and a stage that finds it. */
export const SiteFacts = z.object({
  dnssec: Dnssec,
  /** That answered last. */
  address: z.string().nullable(),
  discovery_url: z.string().nullable(),
  document_sha256: z.string().nullable(),
  /** Of a document that a visit verified, for asking for it again. */
  document_etag: z.string().max(256).nullable(),
  content_sha256: z.string().nullable(),
  serial: z.int().nullable(),
  /** Of the key that signed. */
  kid: z.string().nullable(),
  expires_at: Timestamp.nullable(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  intent_tags: z.array(z.string()),
  location: Location.nullable(),
  is_independent: z.boolean().nullable(),
  commission_rate: z.number().nullable(),
  /** Commands and actions that its document declares. */
  offers: z.int().min(0).optional(),
});
/** Those that one visit found. */
export type SiteFacts = Partial<z.infer<typeof SiteFacts>>;

/** One record per host, written only by the crawler. Unknown members are preserved. */
export const SiteRecord = z.looseObject({
  v: z.literal(1),
  siteId: Host,
  ring: z.int().min(0).max(3),
  status: SiteStatus,
  reason: VisitReason,
  detail: z.string().max(500),
  first_seen_at: Timestamp,
  last_visit_at: Timestamp,
  last_ok_at: Timestamp.nullable(),
  verified_at: Timestamp.nullable(),
  verified_since: Timestamp.nullable(),
  next_visit_at: Timestamp,
  visits: z.int().min(0),
  visits_ok: z.int().min(0),
  failures: z.int().min(0),
  failing_since: Timestamp.nullable(),
  interval_seconds: z.int().min(0),
  ...SiteFacts.shape,
  /** Its ring 4 registration as of the last visit, by a key that was in DNS then. */
  registration: z.looseObject({ kid: z.string(), registered_at: Timestamp }).nullable().optional(),
  evidence: MeasuredEvidence.optional(),
  /** Confirmed reports about its pages, as of the last visit; absent where there are none. */
  reported: z.array(ConfirmedReport).max(MAX_REPORTED).optional(),
  /** Of the services that the host publishes for agents, as of the last visit; absent where there are none. */
  protocols: z.array(Protocol).optional(),
  /** The verified host that this one, in letters of another script, looks like, as of the last visit. */
  resembles: Host.optional(),
  quarantine: Quarantine.optional(),
  /** How its owner lets agents in, as of the last visit; accessOf says what counts of it. */
  access: Access.optional(),
  /** What the last visit saw at each stage, in order. */
  checks: z.array(StageCheck),
  /** The newest changes of its state, oldest first. */
  history: z.array(StateChange),
});
export type SiteRecord = z.infer<typeof SiteRecord>;

/** The large part of a site, stored beside its record so that an index can be rebuilt without a crawl. */
export const SiteContent = z.looseObject({
  v: z.literal(1),
  document: z.string().nullable().meta({ description: "The discovery document, byte for byte as verified" }),
  title: z.string(),
  language: z.string().nullable(),
  text: z.string().meta({ description: "Readable text of the visited pages, at most 8 KiB compressed" }),
  pages: z
    .array(z.looseObject({ key: z.string(), chars: z.int().min(0) }))
    .optional()
    .meta({
      description: "The pages whose texts `text` holds, in its order: a hash of the address, UTF-16 units",
    }),
});
export type SiteContent = z.infer<typeof SiteContent>;

export const Conduct = z
  .object({
    level: z.enum(["clear", "remarks", "poor", "unknown"]).meta({
      description:
        "poor: a finding of high or critical severity, a declaration that its pages refute, or a neutrality score below 40; remarks: lesser findings; clear: pages were read, and nothing was found; unknown: no page was read",
    }),
    findings: z.int().min(0).meta({ description: "At most three of each part, and confirmed reports" }),
    serious: z.int().min(0).meta({ description: "Those of high or critical severity" }),
    worst: z.enum(SEVERITIES).nullable(),
    contradicted: z.int().min(0).meta({ description: "Declarations that two visits found false" }),
    pages: z.int().min(0).meta({ description: "Pages that were read" }),
  })
  .meta({
    id: "Conduct",
    description: "How the site treats its visitors; who it is, is said by `state` and `trust_ring`",
  });
export type Conduct = z.infer<typeof Conduct>;

export const TrustReasons = z
  .object({
    signature: z
      .number()
      .meta({ description: "Of 50: 35 for a verified signature, 15 for registered proof" }),
    dnssec: z.number().meta({ description: "Of 10: DNSSEC validated the TXT record's answer" }),
    age: z.number().meta({ description: "Of 20: uninterrupted time verified, full at 90 days" }),
    uptime: z.number().meta({ description: "Of 15: share of successful visits" }),
    findings: z
      .number()
      .meta({ description: "Of 5: minus one for each open finding on its pages; 0 at ring 0" }),
  })
  .meta({ id: "TrustReasons", description: "The points that add up to trust_score" });
export type TrustReasons = z.infer<typeof TrustReasons>;

export const Listing = z
  .object({
    siteId: Host,
    domain: Host,
    name: z.string(),
    description: z.string(),
    category: z.string(),
    tags: z.array(IntentTag),
    location: Location.nullable(),
    trust_ring: TrustRing,
    trust_score: z.number().min(0).max(100),
    trust_reasons: TrustReasons,
    status: SiteStatus,
    reason: VisitReason,
    dnssec: Dnssec,
    verified_at: Timestamp.nullable(),
    last_ok: Timestamp.nullable(),
    neutrality_score: z.number().min(0).max(100),
    fairness_boost: z.number(),
    conduct: Conduct.optional().meta({ description: "Absent until the next visit of the site" }),
    neutrality_reasons: z
      .array(
        z.object({
          reason: z.string().meta({
            description:
              "dark, affiliate, trackers, ownership, honesty, declared; contradicted, grade_e, grade_d or unverified_domain, which cap the score",
            example: "trackers",
          }),
          points: z.number().meta({ description: "Points of the neutrality score, from 50" }),
          max_points: z
            .number()
            .optional()
            .meta({ description: "The most that it can give, at full confidence", example: 7.5 }),
          page: z.string().optional().meta({ description: "The page that moves it most" }),
          excerpt: z.string().optional().meta({ description: "What that page has; the site's own words" }),
          fix: z.string().optional().meta({ description: "What the site can do about it" }),
        }),
      )
      .optional()
      .meta({ description: "What moves the neutrality score away from 50, in points" }),
    is_independent: z.boolean().nullable().meta({ description: "As the site declares" }),
    access: Access,
    protocols: z.array(Protocol).optional().meta({
      description: "Of the services that its host publishes for agents; absent where there are none",
    }),
    discovery_url: z.url(),
    beacon_url: z.url(),
  })
  .meta({ id: "Listing" });
export type Listing = z.infer<typeof Listing>;
