import { describe, expect, it } from "vitest";
import { VISIT_REASONS, type VisitReason } from "../../../schemas/site.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import type { Observation } from "../../../src/crawl/observation.ts";
import { stageOf } from "../../../src/crawl/stages/table.ts";
import { reasonOf, statusOfProbe, statusOfRecord } from "../../../workers/provider/domain-status.ts";
import { HOST, hash, START_MS, unsound, verified } from "../crawler/observations.ts";

const LATER_MS = START_MS + 60_000;
const first = (seen: Observation) => afterVisit(undefined, HOST, seen, START_MS, START_MS).record;

/** What a visit can see at each reason that is seen, and not remembered. */
const FORGOTTEN = new Set<VisitReason>([
  "verified",
  "unsigned",
  "not_visited",
  "malicious_page",
  "quarantined",
]);
const seenOf: [string, Observation][] = [
  ["verified", verified()],
  ["unsigned", verified({ ring: 2, reason: "unsigned", serial: null, kid: null, expiresAt: null })],
  [
    "no_txt with a document",
    verified({ ring: 1, reason: "no_txt", txtValid: false, serial: null, kid: null, expiresAt: null }),
  ],
  ...VISIT_REASONS.filter((reason) => !FORGOTTEN.has(reason)).map((reason): [string, Observation] => [
    reason,
    unsound(reason, { txtValid: stageOf(reason) !== "dns" }),
  ]),
];

describe("a domain's status", () => {
  it.each(seenOf)("is the crawl's, by a probe and by the record: %s", (_, seen) => {
    const record = first(seen);
    expect(statusOfProbe(HOST, seen, undefined, START_MS).state).toBe(record.status);
    expect(statusOfProbe(HOST, seen, record, START_MS).state).toBe(record.status);
    expect(statusOfRecord(record, LATER_MS).state).toBe(record.status);
  });

  it("is partial where the crawl last saw a page that attacks machines, and says so", () => {
    const evidence = { dark: 1, pages: 1, measured_at: new Date(START_MS).toISOString() };
    const measured = { evidence, doubts: [], malicious: true };
    const record = first(verified({ contentSha256: hash("c"), measured }));
    expect(record).toMatchObject({ ring: 3, status: "partial", reason: "malicious_page" });
    for (const shown of [
      statusOfRecord(record, LATER_MS),
      statusOfProbe(HOST, verified(), record, LATER_MS),
    ]) {
      expect(shown).toMatchObject({ state: "partial", trust_ring: 3 });
      expect(shown.checks.agent_ready).toMatchObject({ state: "fail", reason: "malicious_page" });
      expect(reasonOf(shown).reason).toBe("malicious_page");
    }
  });
});
