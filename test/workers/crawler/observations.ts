/** What visits saw, ready made for tests of the rules. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { SiteRecord, VisitReason } from "../../../schemas/site.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import { NOTHING_SEEN, type Observation, visitVerdict } from "../../../src/crawl/observation.ts";
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

/** A site that verifies, its manifest good for thirty days from the start. */
export const verified = (more: Partial<Observation> = {}): Observation => ({
  verdict: "sound",
  ring: 3,
  reason: "verified",
  detail: "",
  dnssec: "insecure",
  txtValid: true,
  address: "192.0.2.7",
  document: documentOf(),
  serial: 7,
  kid: "k1",
  expiresAt: iso(START_MS + 30 * DAY_MS),
  discoveryUrl: `https://${HOST}/.well-known/bridge.json`,
  etag: '"a"',
  documentSha256: hash("a"),
  contentSha256: hash("b"),
  measured: null,
  checks: [],
  ...more,
});

/** A visit that ended without a document. */
export const unsound = (reason: VisitReason, more: Partial<Observation> = {}): Observation => ({
  ...verified(),
  verdict: visitVerdict(reason),
  ring: 0,
  reason,
  detail: `because of ${reason}`,
  ...NOTHING_SEEN,
  ...more,
});

export interface Step {
  seen: Observation;
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
