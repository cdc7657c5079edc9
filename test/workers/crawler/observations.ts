/** What visits saw, ready made for tests of the rules. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { SiteFacts, SiteRecord, VisitReason } from "../../../schemas/site.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import { declaredFacts } from "../../../src/crawl/stages/document.ts";
import { conclusionOf, type VisitFindings } from "../../../src/crawl/visit-findings.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";

export const HOST = "shop.example";
export const START_MS = Date.parse("2026-03-01T12:00:00Z");
export const hash = (digit: string): string => digit.repeat(64);

export const documentOf = (more: Partial<DiscoveryDocument> = {}): DiscoveryDocument => ({
  bridge_version: "1.2.0",
  generated_at: iso(START_MS),
  provider: { name: "Shop", domain: HOST, category: " Retail ", description: "Kettles." },
  capabilities: { commands: [], permissions: {}, tier: "free", transport: [], features: [] },
  agent_access: { bridge_script: "", api_base: "", websocket: "", noscript: "", discovery: "" },
  fairness: { is_independent: true, commission_rate: 0, direct_benefit: "", neutrality_score: 50 },
  security: { session_required: false, origin_validation: false, rate_limit: 60, sandbox: false },
  endpoints: {},
  ...more,
});

/** What a visit saw, its facts beside the rest. */
type Told = Partial<Omit<VisitFindings, "facts"> & SiteFacts>;

function seenOf({
  conclusion,
  ring,
  reason,
  detail,
  txtValid,
  measured,
  checks,
  ...facts
}: Told): VisitFindings {
  return {
    conclusion: conclusion ?? "sound",
    ring: ring ?? 3,
    reason: reason ?? "verified",
    detail: detail ?? "",
    txtValid: txtValid ?? true,
    checks: checks ?? [],
    ...(measured && { measured }),
    facts,
  };
}

/** What is seen of a document that nothing signs. */
const DOCUMENT: SiteFacts = {
  dnssec: "insecure",
  address: "192.0.2.7",
  discovery_url: `https://${HOST}/.well-known/bridge.json`,
  document_sha256: hash("a"),
  content_sha256: hash("b"),
  ...declaredFacts(documentOf()),
};

/** A site that verifies, its manifest good for thirty days from the start. */
export const verified = (more: Told = {}): VisitFindings =>
  seenOf({
    ...DOCUMENT,
    document_etag: '"a"',
    serial: 7,
    kid: "k1",
    expires_at: iso(START_MS + 30 * DAY_MS),
    ...more,
  });

/** A document without a signature, beside a usable TXT record. */
export const unsigned = (more: Told = {}): VisitFindings =>
  seenOf({ ...DOCUMENT, ring: 2, reason: "unsigned", ...more });

/** A document without a TXT record. */
export const unclaimed = (more: Told = {}): VisitFindings =>
  seenOf({ ...DOCUMENT, ring: 1, reason: "no_txt", txtValid: false, ...more });

/** A visit that ended without a document. */
export const unsound = (reason: VisitReason, more: Told = {}): VisitFindings =>
  seenOf({
    conclusion: conclusionOf(reason),
    ring: 0,
    reason,
    detail: `because of ${reason}`,
    dnssec: "insecure",
    address: "192.0.2.7",
    ...more,
  });

/** A visit whose pages did not answer. */
export function withoutPages({ measured: _, facts, ...seen }: VisitFindings): VisitFindings {
  const { content_sha256: __, ...rest } = facts;
  return { ...seen, facts: rest };
}

export interface Step {
  seen: VisitFindings;
  /** Milliseconds after the step before; by default the time that the rules asked for. */
  afterMs?: number;
}

/** Visits in order, from START_MS on. @returns every record, and the time of the last visit */
export function live(steps: readonly Step[]): {
  records: SiteRecord[];
  now: number;
  nextAt: number | undefined;
} {
  const records: SiteRecord[] = [];
  let now = START_MS;
  let nextAt: number | undefined = START_MS;
  for (const { seen, afterMs } of steps) {
    now = afterMs === undefined ? (nextAt ?? now) : now + afterMs;
    const outcome = afterVisit(records.at(-1), HOST, seen, now, START_MS);
    records.push(outcome.record);
    nextAt = outcome.nextAt;
  }
  return { records, now, nextAt };
}
