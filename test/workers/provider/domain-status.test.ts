import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VISIT_REASONS, type VisitReason } from "../../../schemas/site.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import { stageOf, visitStages } from "../../../src/crawl/stages/table.ts";
import { recordAt, siteVerdict } from "../../../src/crawl/verdict.ts";
import type { VisitFindings } from "../../../src/crawl/visit-findings.ts";
import { listingOf } from "../../../src/domain/listing/listing.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { reasonOf, statusOfProbe, statusOfRecord } from "../../../workers/provider/domain-status.ts";
import {
  HOST,
  hash,
  live,
  START_MS,
  type Step,
  unclaimed,
  unsigned,
  unsound,
  verified,
  withoutPages,
} from "../crawler/observations.ts";

const LATER_MS = START_MS + 60_000;
const first = (seen: VisitFindings) => afterVisit(undefined, HOST, seen, START_MS, START_MS).record;
const knownOf = (record: ReturnType<typeof first> | undefined) => ({ host: HOST, record, isBlocked: false });

/** What a visit can see at each reason that is seen, and not remembered. */
const FORGOTTEN = new Set<VisitReason>([
  "verified",
  "unsigned",
  "not_visited",
  "malicious_page",
  "quarantined",
]);
const malicious = verified({
  checks: visitStages.list.map(({ name }) =>
    name === "pages"
      ? { name, outcome: "fail" as const, reason: "malicious_page", detail: "" }
      : { name, outcome: "pass" as const, reason: "passed", detail: "" },
  ),
  content_sha256: hash("c"),
  measured: {
    evidence: { dark: 1, pages: 1, measured_at: new Date(START_MS).toISOString() },
    doubts: [],
    found: [],
    malicious: true,
    attackRead: true,
    changed: undefined,
    pages: { v: 1, pages: [], unread: [] },
  },
});
const seenOf: [string, VisitFindings][] = [
  ["verified", verified()],
  ["unsigned", unsigned()],
  ["no_txt with a document", unclaimed()],
  ...VISIT_REASONS.filter((reason) => !FORGOTTEN.has(reason)).map((reason): [string, VisitFindings] => [
    reason,
    unsound(reason, { txtValid: stageOf(reason) !== "dns" }),
  ]),
];

describe("a domain's status", () => {
  it.each(seenOf)("is the crawl's, by a probe and by the record: %s", (_, seen) => {
    const record = first(seen);
    expect(statusOfProbe(knownOf(undefined), seen, START_MS).state).toBe(record.status);
    expect(statusOfProbe(knownOf(record), seen, START_MS).state).toBe(record.status);
    expect(statusOfRecord(knownOf(record), LATER_MS).state).toBe(record.status);
  });

  it("is partial where the crawl last saw a page that attacks machines, and says so", () => {
    const record = first(malicious);
    expect(record).toMatchObject({ ring: 3, status: "partial", reason: "malicious_page" });
    for (const shown of [
      statusOfRecord(knownOf(record), LATER_MS),
      statusOfProbe(knownOf(record), verified(), LATER_MS),
    ]) {
      expect(shown).toMatchObject({ state: "partial", trust_ring: 3 });
      expect(shown.verdict).toMatchObject({ state: "partial", listed: false, reason: "malicious_page" });
      expect(shown.checks.agent_ready).toMatchObject({ state: "fail", reason: "malicious_page" });
      expect(reasonOf(shown).reason).toBe("malicious_page");
    }
  });

  it("of a name that was never visited is disabled, without a point", () => {
    const shown = statusOfRecord(knownOf(undefined), START_MS);
    expect(shown).toMatchObject({ state: "disabled", trust_ring: 0, trust_score: 0 });
    expect(shown.verdict).toMatchObject({ state: "unknown", listed: false, reason: "not_visited" });
  });

  it("of a blocked site is disabled, whatever its record says", () => {
    const blocked = { host: HOST, record: first(verified()), isBlocked: true };
    expect(statusOfRecord(blocked, LATER_MS)).toMatchObject({
      state: "disabled",
      trust_ring: 0,
      verdict: { state: "blocked", listed: false, reason: "blocked" },
    });
  });

  it("is partial while stale, and kept while a listed site does not answer", () => {
    const { records } = live([{ seen: verified() }, { seen: unsound("no_txt", { txtValid: false }) }]);
    expect(statusOfRecord(knownOf(records.at(-1)), START_MS + DAY_MS)).toMatchObject({
      state: "partial",
      verdict: { state: "stale", reason: "no_txt" },
    });
    const listed = first(verified());
    expect(statusOfProbe(knownOf(listed), unsound("unreachable"), LATER_MS)).toMatchObject({
      state: "enabled",
      verdict: { state: "enabled", listed: true },
    });
  });
});

describe("a TXT record that was published since the last visit", () => {
  const passed = { name: "dns" as const, outcome: "pass" as const, reason: "txt_valid", detail: "key k" };
  const noAnswer = unsound("unreachable", {
    txtValid: true,
    checks: [passed, { name: "endpoint", outcome: "fail", reason: "unreachable", detail: "TLS" }],
  });

  it.each([
    ["nothing was there", first(unsound("no_txt", { txtValid: false }))],
    ["a document without a key was there", first(unclaimed())],
  ])("is seen where the endpoint does not answer, and %s", (_, record) => {
    const shown = statusOfProbe(knownOf(record), noAnswer, LATER_MS);
    expect(shown.checks.txt).toMatchObject({ state: "pass" });
    expect(shown.checks.manifest).toMatchObject({ state: "fail", reason: "unreachable" });
    expect(shown.state).toBe("partial");
    expect(reasonOf(shown).reason).toBe("unreachable");
  });

  it("is seen in the verdict of a visit that kept the state for a failure", () => {
    const { records, now } = live([{ seen: unclaimed() }, { seen: noAnswer }]);
    const { checks } = siteVerdict(knownOf(records.at(-1)), now);
    expect(checks.slice(0, 2).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["pass", "txt_valid"],
      ["fail", "unreachable"],
    ]);
  });
});

describe("whatever visits saw", () => {
  const observation = fc.constantFrom(malicious, ...seenOf.map(([, seen]) => seen));
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({ seen: observation, afterMs: fc.integer({ min: 60_000, max: 9 * DAY_MS }) }),
    { minLength: 1, maxLength: 6 },
  );

  it("verdict, listing, status and probe say the same state, reason, ring and scores", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 40 * DAY_MS }), (lived, laterMs) => {
        const { records, now } = live(lived);
        const record = records.at(-1)!;
        const at = now + laterMs;
        const verdict = siteVerdict(knownOf(record), at);
        const listing = listingOf(recordAt(record, at));
        expect({
          state: listing.status,
          reason: listing.reason,
          ring: listing.trust_ring,
          score: listing.trust_score,
          neutrality: listing.neutrality_score,
        }).toEqual({
          state: verdict.state,
          reason: verdict.reason,
          ring: verdict.trust.ring,
          score: verdict.trust.score,
          neutrality: verdict.neutrality.score,
        });
        expect(verdict.listed).toBe(verdict.state === "enabled");
        const status = statusOfRecord(knownOf(record), at);
        expect(status).toMatchObject({
          trust_ring: verdict.trust.ring,
          trust_score: verdict.trust.score,
          verdict: { state: verdict.state, listed: verdict.listed, reason: verdict.reason },
        });
        expect(status.state).toBe(verdict.state === "stale" ? "partial" : verdict.state);
        expect(status.checks.agent_ready.state === "pass").toBe(verdict.listed && record.offers !== 0);
        const failed = verdict.checks.find(({ outcome }) => outcome === "fail");
        expect(verdict.reason === "verified" || failed !== undefined).toBe(true);
        expect(verdict.listed || verdict.fixes[0]?.gains === "listed").toBe(true);
      }),
    );
  });

  it("a probe that sees the same as the last visit says the same", () => {
    fc.assert(
      fc.property(steps, (lived) => {
        const { records, now } = live(lived);
        const record = records.at(-1)!;
        const byRecord = statusOfRecord(knownOf(record), now);
        const byProbe = statusOfProbe(knownOf(record), withoutPages(lived.at(-1)!.seen), now);
        const { state, trust_ring, trust_score, verdict } = byRecord;
        expect(byProbe).toMatchObject({ state, trust_ring, trust_score, verdict });
      }),
    );
  });
});
