import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Listing, SiteRecord, type VisitReason } from "../../schemas/site.ts";
import { afterVisit } from "../../src/crawl/judgement.ts";
import { worthReading } from "../../src/crawl/pages/links.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import { declaredFacts } from "../../src/crawl/stages/document.ts";
import { conclusionOf, type VisitFindings } from "../../src/crawl/visit-findings.ts";
import { listingOf, verdictShown } from "../../src/domain/listing/listing.ts";
import { DAY_MS, HOUR_MS, iso } from "../../src/ports/time.ts";
import {
  documentOf,
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
} from "../workers/crawler/observations.ts";

const FAILURES: VisitReason[] = [
  "unreachable",
  "dns_failed",
  "dns_bogus",
  "address_refused",
  "document_missing",
  "document_invalid",
];
const MISMATCHES: VisitReason[] = [
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "signature_invalid",
  "manifest_invalid",
  "manifest_expired",
  "manifest_not_yet_valid",
  "serial_lowered",
  "domain_mismatch",
  "document_mismatch",
];
const down: Step = { seen: unsound("unreachable") };
const last = <T>(items: readonly T[]): T => items.at(-1)!;

describe("a site whose page attacks machines", () => {
  /** Visits: the page attacks, is clean, or was not read again. */
  const seen = (page: "attacks" | "clean" | "unread"): Step => ({
    seen: verified({
      measured: {
        evidence: { dark: 1, pages: 1, measured_at: iso(START_MS) },
        ...{ doubts: [], found: [], changed: undefined },
        ...{ malicious: page !== "clean", attackRead: page === "attacks" },
        pages: { v: 1, pages: [], unread: [] },
      },
    }),
  });
  const statuses = (...steps: Step[]) =>
    live(steps).records.map(({ status, reason }) => `${status} ${reason}`);
  const [on, off] = ["enabled verified", "partial malicious_page"];

  it("leaves the directory when a second visit reads an attack, and is back when it is clean", () => {
    const visits = [
      seen("clean"),
      seen("attacks"),
      seen("unread"),
      seen("attacks"),
      seen("unread"),
      seen("clean"),
    ];
    expect(statuses(...visits)).toEqual([on, on, on, off, off, on]);
  });

  it("leaves it, too, where it was clean between", () => {
    expect(statuses(seen("clean"), seen("attacks"), seen("clean"), seen("attacks"))).toEqual([
      on,
      on,
      on,
      off,
    ]);
  });

  it("does not enter it, and stays off while nothing can be read", () => {
    expect(statuses(seen("attacks"), { seen: verified({ measured: undefined }) })).toEqual([off, off]);
  });
});

describe("a site that verifies", () => {
  it("is enabled, with what its document says of it", () => {
    const { record } = afterVisit(undefined, HOST, verified(), START_MS, START_MS - DAY_MS);
    expect(record).toMatchObject({
      ring: 3,
      status: "enabled",
      reason: "verified",
      name: "Shop",
      category: "retail",
      serial: 7,
      verified_at: iso(START_MS),
      verified_since: iso(START_MS),
      first_seen_at: iso(START_MS - DAY_MS),
      failures: 0,
    });
  });

  it("keeps the beginning of its unbroken time", () => {
    const { records, now } = live([{ seen: verified() }, { seen: verified() }, { seen: verified() }]);
    expect(last(records).verified_since).toBe(iso(START_MS));
    expect(last(records).verified_at).toBe(iso(now));
  });

  it("begins a new unbroken time after a break", () => {
    const { records, now } = live([{ seen: verified() }, { seen: unsound("no_txt") }, { seen: verified() }]);
    expect(last(records).verified_since).toBe(iso(now));
  });

  it("writes tags in lower case, each once, and none longer than a tag may be", () => {
    const tags = ["Buy-Tea", " buy-tea ", "   ", "İ".repeat(32)];
    const document = documentOf({ intent_tags: tags });
    const { record } = afterVisit(undefined, HOST, verified(declaredFacts(document)), START_MS, START_MS);
    expect(record.intent_tags).toHaveLength(2);
    expect(record.intent_tags[0]).toBe("buy-tea");
    expect(Listing.safeParse(listingOf(record)).success).toBe(true);
  });
});

describe("a site that cannot be reached", () => {
  it.each(FAILURES)("keeps its state on %s: a failure is no finding", (reason) => {
    const { records } = live([{ seen: verified() }, { seen: unsound(reason) }]);
    expect(last(records)).toMatchObject({ ring: 3, status: "enabled", reason: "verified", failures: 1 });
    expect(last(records).failing_since).not.toBeNull();
  });

  it("keeps its state over three failures within a day", () => {
    const soon = { ...down, afterMs: 8 * HOUR_MS - 1 };
    const { records } = live([{ seen: verified() }, down, soon, soon, soon]);
    expect(records.map(({ status }) => status)).toEqual(Array(5).fill("enabled"));
  });

  it("keeps its state over two failures, however far apart", () => {
    const { records } = live([{ seen: verified() }, down, { ...down, afterMs: 5 * DAY_MS }]);
    expect(last(records)).toMatchObject({ status: "enabled", ring: 3 });
  });

  it("goes stale with the third failure once a day has passed since the first", () => {
    const { records } = live([{ seen: verified() }, down, down, { ...down, afterMs: DAY_MS - HOUR_MS }]);
    expect(records.map(({ status }) => status)).toEqual(["enabled", "enabled", "enabled", "stale"]);
    expect(last(records)).toMatchObject({ ring: 0, reason: "unreachable", verified_since: null });
  });

  it("is tried again within hours at first, and daily for as long as it is stale", () => {
    const { records } = live([{ seen: verified() }, ...Array(20).fill(down)]);
    const delays = records.map(
      (record) => Date.parse(record.next_visit_at) - Date.parse(record.last_visit_at),
    );
    expect(delays[1]).toBe(HOUR_MS);
    expect(last(records).status).toBe("stale");
    expect(Math.max(...delays)).toBeLessThanOrEqual(DAY_MS);
  });

  it("is not called stale for longer than thirty days", () => {
    const { records } = live([{ seen: verified() }, ...Array(40).fill(down)]);
    expect(last(records).status).toBe("partial");
    const gone = live([
      { seen: verified() },
      ...Array(40).fill({ seen: unsound("unreachable", { txtValid: false }) }),
    ]);
    expect(last(gone.records).status).toBe("disabled");
  });

  it("is as before once it answers", () => {
    const { records } = live([{ seen: verified() }, down, down, { seen: verified() }]);
    expect(last(records)).toMatchObject({ status: "enabled", failures: 0, failing_since: null });
    expect(last(records).verified_since).toBe(iso(START_MS));
  });
});

describe("a site that contradicts itself", () => {
  it.each(MISMATCHES)("goes stale at once on %s", (reason) => {
    expect(conclusionOf(reason)).toBe("mismatch");
    const { records, nextAt, now } = live([{ seen: verified() }, { seen: unsound(reason) }]);
    expect(last(records)).toMatchObject({ ring: 0, status: "stale", reason, verified_since: null });
    expect(nextAt! - now).toBeLessThanOrEqual(DAY_MS);
  });

  it("goes stale when its TXT record is taken away and its document stays", () => {
    const { records } = live([{ seen: verified() }, { seen: unclaimed() }]);
    expect(last(records)).toMatchObject({ ring: 1, status: "stale", reason: "no_txt" });
  });

  it("goes stale when its document is no longer signed", () => {
    const { records } = live([{ seen: verified() }, { seen: unsigned() }]);
    expect(last(records)).toMatchObject({ ring: 2, status: "stale", serial: 7 });
  });

  it("keeps its serial, name and texts, so that a lower serial is seen later too", () => {
    const { records } = live([{ seen: verified() }, { seen: unsound("signature_invalid") }]);
    expect(last(records)).toMatchObject({ serial: 7, name: "Shop", content_sha256: hash("b") });
  });

  it("was never listed when it never verified", () => {
    const { record } = afterVisit(undefined, HOST, unsound("signature_invalid"), START_MS, START_MS);
    expect(record).toMatchObject({ ring: 0, status: "partial", verified_at: null });
    const bare = unsound("no_txt", { txtValid: false });
    expect(afterVisit(undefined, HOST, bare, START_MS, START_MS).record.status).toBe("disabled");
  });
});

describe("the next visit", () => {
  const intervals = (steps: readonly Step[]): number[] =>
    live(steps).records.map((record) => record.interval_seconds / 3_600);

  it("comes after half the time when the site changed, half as late again when not", () => {
    const changed = (digit: string): Step => ({ seen: verified({ content_sha256: hash(digit) }) });
    expect(intervals([changed("1"), changed("2"), changed("2"), changed("2")])).toEqual([12, 6, 9, 13.5]);
  });

  it("takes the first sight of a site for no change", () => {
    expect(intervals([down, { seen: verified() }])).toEqual([12, 12]);
  });

  it("does not take what was not seen for changed", () => {
    const pagesDown: Step = { seen: withoutPages(verified()) };
    expect(intervals([{ seen: verified() }, pagesDown, pagesDown])).toEqual([12, 18, 27]);
    expect(intervals([{ seen: verified() }, { seen: unsound("key_revoked") }])).toEqual([12, 12]);
  });

  it("stays between an hour and fourteen days", () => {
    const restless = Array.from({ length: 9 }, (_, i) => ({
      seen: verified({ document_sha256: hash(`${i}`) }),
    }));
    expect(last(intervals(restless))).toBe(1);
    expect(last(intervals(Array(12).fill({ seen: verified() })))).toBe(14 * 24);
  });

  it("of a listed site is within a day however rarely it changes", () => {
    const seen = verified({ expires_at: iso(START_MS + 90 * DAY_MS) });
    const { now, nextAt, records } = live(Array(15).fill({ seen }));
    expect(last(records).interval_seconds).toBeGreaterThan(DAY_MS / 1_000);
    expect(nextAt! - now).toBeLessThan(DAY_MS);
  });

  it("of a partial site may be fourteen days away", () => {
    const seen = unsigned();
    const { now, nextAt } = live(Array(15).fill({ seen }));
    expect(nextAt! - now).toBe(14 * DAY_MS);
  });

  it.each([2, 10, 60, 600])("of a listed site is before its manifest expires in %i minutes", (minutes) => {
    const expiresMs = START_MS + minutes * 60_000;
    const { nextAt } = live([{ seen: verified({ expires_at: iso(expiresMs) }) }]);
    expect(nextAt!).toBeGreaterThan(START_MS);
    expect(nextAt!).toBeLessThan(expiresMs);
  });
});

describe("a name that strangers said", () => {
  const hint = (previous: SiteRecord | undefined, seen: VisitFindings, now: number) =>
    afterVisit(previous, HOST, seen, now, START_MS, true);

  it("is forgotten at once when DNS says that there is nothing", () => {
    const nothing = unsound("no_txt", { txtValid: false });
    expect(hint(undefined, nothing, START_MS).nextAt).toBeUndefined();
    expect(afterVisit(undefined, HOST, nothing, START_MS, START_MS).nextAt).toBeDefined();
  });

  it("is tried three times when it does not answer, and as long as any other when it has a record", () => {
    let previous: SiteRecord | undefined;
    for (const forgotten of [false, false, true]) {
      const { record, nextAt } = hint(previous, unsound("dns_failed", { txtValid: false }), START_MS);
      expect(nextAt === undefined).toBe(forgotten);
      previous = record;
    }
    const invited = { ...unsound("unreachable"), txtValid: true };
    for (let i = 0, record: SiteRecord | undefined; i < 5; i++) {
      const outcome = hint(record, invited, START_MS);
      expect(outcome.nextAt).toBeDefined();
      record = outcome.record;
    }
  });

  it("is kept like any other once it was something", () => {
    const { record } = hint(undefined, verified(), START_MS);
    expect(hint(record, unsound("no_txt", { txtValid: false }), START_MS + DAY_MS).nextAt).toBeDefined();
  });
});

describe("forgetting", () => {
  it.each([...FAILURES, ...MISMATCHES])("comes after six visits of a stranger that end in %s", (reason) => {
    const five = live(Array(5).fill({ seen: unsound(reason) }));
    expect(five.nextAt).toBeDefined();
    const six = live(Array(6).fill({ seen: unsound(reason) }));
    expect(six.nextAt).toBeUndefined();
    expect(six.now - START_MS).toBeGreaterThan(14 * DAY_MS);
  });

  it("never comes to a site that was verified once", () => {
    const { nextAt, records } = live([{ seen: verified() }, ...Array(60).fill(down)]);
    expect(nextAt).toBeDefined();
    expect(last(records).failures).toBe(60);
  });

  it("does not come to a site that is only partial and sound", () => {
    const seen = unsigned();
    expect(live([{ seen }, ...Array(20).fill({ seen })]).nextAt).toBeDefined();
  });
});

const hashes = fc.option(fc.constantFrom(hash("1"), hash("2"), hash("3")), { nil: null });
const reasons = fc.constantFrom(...FAILURES, ...MISMATCHES);
const tags = fc.array(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 32 }).map((tag) => tag.slice(0, 32)),
  {
    maxLength: 16,
  },
);
const observations: fc.Arbitrary<VisitFindings> = fc.oneof(
  fc
    .record({ reason: reasons, txtValid: fc.boolean() })
    .map(({ reason, txtValid }) => unsound(reason, { txtValid })),
  fc
    .record({
      document_sha256: hashes,
      content_sha256: hashes,
      intent_tags: tags,
      expiresInMs: fc.integer({ min: 120_000, max: 90 * DAY_MS }),
    })
    .map(({ intent_tags, expiresInMs, ...seen }) =>
      verified({
        ...seen,
        ...declaredFacts(documentOf({ intent_tags })),
        expires_at: iso(START_MS + expiresInMs),
      }),
    ),
  hashes.map((content_sha256) => unsigned({ content_sha256 })),
  fc.constant(unclaimed()),
);
const histories = fc.array(
  fc.record({ seen: observations, afterMs: fc.integer({ min: 1, max: 20 * DAY_MS }) }),
  { minLength: 1, maxLength: 12 },
);

describe("whatever a site does", () => {
  it("its record and its listing fit their schemas", () => {
    fc.assert(
      fc.property(histories, (steps) => {
        for (const record of live(steps).records) {
          SiteRecord.parse(record);
          Listing.parse(listingOf(record));
        }
      }),
    );
  });

  it("its next visit is in the future and at most fourteen days away", () => {
    fc.assert(
      fc.property(histories, (steps) => {
        const { now, nextAt, records } = live(steps);
        if (nextAt === undefined) return;
        expect(nextAt).toBeGreaterThanOrEqual(now + 60_000);
        expect(nextAt).toBeLessThanOrEqual(now + 14 * DAY_MS);
        expect(last(records).next_visit_at).toBe(iso(nextAt));
      }),
    );
  });

  it("a listed site is due within a day, and before its manifest expires unless it is down", () => {
    fc.assert(
      fc.property(histories, (steps) => {
        const { now, nextAt, records } = live(steps);
        const record = last(records);
        if (record.status !== "enabled") return;
        expect(nextAt! - now).toBeLessThanOrEqual(DAY_MS);
        const untilExpiryMs = Date.parse(record.expires_at!) - now;
        if (record.failures === 0 && untilExpiryMs >= 120_000)
          expect(nextAt! - now).toBeLessThan(untilExpiryMs);
      }),
    );
  });

  it("enabled is ring 3, and only that", () => {
    fc.assert(
      fc.property(histories, (steps) => {
        for (const { ring, status } of live(steps).records) expect(status === "enabled").toBe(ring === 3);
      }),
    );
  });

  it("members that this version does not know are kept", () => {
    fc.assert(
      fc.property(observations, observations, (first, second) => {
        const { record } = afterVisit(undefined, HOST, first, START_MS, START_MS);
        const newer = { ...record, later_member: { a: 1 } };
        expect(afterVisit(newer, HOST, second, START_MS + DAY_MS, START_MS).record.later_member).toEqual({
          a: 1,
        });
      }),
    );
  });

  it("a visit that is settled twice leaves what one leaves, and its input as it was", () => {
    fc.assert(
      fc.property(histories, observations, (steps, seen) => {
        const before = last(live(steps).records);
        const copy = structuredClone(before);
        const now = START_MS + 300 * DAY_MS;
        expect(afterVisit(before, HOST, seen, now, START_MS)).toEqual(
          afterVisit(copy, HOST, seen, now, START_MS),
        );
        expect(before).toEqual(copy);
      }),
    );
  });

  it("seeing the same again changes no more than times and counts", () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const said = ({ ring, status, reason, name, serial, expires_at, content_sha256 }: SiteRecord) => ({
          ring,
          status,
          reason,
          name,
          serial,
          expires_at,
          content_sha256,
        });
        const [first, second] = live([{ seen }, { seen, afterMs: HOUR_MS }]).records;
        expect(said(second!)).toEqual(said(first!));
      }),
    );
  });
});

describe("links worth reading", () => {
  const home = new URL("https://shop.example:8443/");
  it.each([
    ["/about", true],
    ["/a/b/c/d", true],
    ["/", false],
    ["/a/b/c/d/e", false],
    ["/a/b/a", false],
    ["/2025/1/1", false],
    [`/search?${"q".repeat(64)}`, false],
    [`/${"x".repeat(256)}`, false],
    ["https://shop.example/about", false],
    ["https://other.example:8443/about", false],
  ])("%s: %s", (href, worth) => {
    expect(worthReading(new URL(href, home), home)).toBe(worth);
  });
});

describe("a site whose page hung what read it", () => {
  const hung = unsound("quarantined", { detail: "A page ended the thread that read it." });
  const seen: Step = { seen: hung };

  it("says so, loses its ring and its listing, and is left alone for an hour", () => {
    const { records, now, nextAt } = live([{ seen: verified() }, seen]);
    const record = SiteRecord.parse(last(records));
    expect(record).toMatchObject({ ring: 0, status: "stale", verified_since: null });
    expect(verdictShown(record)).toMatchObject({
      reason: "quarantined",
      detail: expect.stringMatching(/^A page ended the thread that read it\. Not visited before 2026-/),
    });
    expect(listingOf(record)).toMatchObject({ status: "stale", reason: "quarantined" });
    expect(nextAt! - now).toBe(HOUR_MS);
    expect(quarantinedUntil(record, now)).toBe(nextAt);
    expect(quarantinedUntil(record, nextAt!)).toBeUndefined();
  });

  it("is visited at a growing distance, up to a week, and never forgotten meanwhile", () => {
    const steps = Array.from({ length: 12 }, () => seen);
    const distances = steps.map((_, i) => {
      const { now, nextAt } = live(steps.slice(0, i + 1));
      return (nextAt! - now) / HOUR_MS;
    });
    expect(distances).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 168, 168, 168, 168]);
  });

  it("begins anew after a good visit, and counts on after one that only failed otherwise", () => {
    const good = live([seen, seen, { seen: verified() }]);
    expect(last(good.records)).toMatchObject({ ring: 3, status: "enabled", reason: "verified" });
    expect(last(good.records).quarantine).toBeUndefined();
    const away = live([seen, seen, down]);
    expect(verdictShown(last(away.records)).reason).toBe("unreachable");
    expect(last(live([seen, seen, down, seen]).records).quarantine).toMatchObject({ strikes: 3 });
  });

  it("is read by a version that knows no quarantine: its reason is one of the earlier ones", () => {
    const { quarantine, ...rest } = last(live([{ seen: verified() }, seen]).records);
    expect(quarantine).toBeDefined();
    expect(rest.reason).not.toBe("quarantined");
  });
});
