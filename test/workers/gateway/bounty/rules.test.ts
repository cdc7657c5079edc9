import { describe, expect, it } from "vitest";
import { BountyReport, type Corroboration, type ReportState } from "../../../../schemas/bounty.ts";
import { fairShare } from "../../../../src/domain/fair-share.ts";
import { canonicalUrl } from "../../../../src/domain/names/canonical-url.ts";
import { decided, judgedAnew, withBacker, withState } from "../../../../workers/gateway/bounty/decisions.ts";
import { isDuplicate } from "../../../../workers/gateway/bounty/dedupe.ts";
import {
  leaderboard,
  priorityOf,
  recordOf,
  triage,
  weightOf,
} from "../../../../workers/gateway/bounty/rules.ts";

const canonical = (url: string): string => canonicalUrl(new URL(url));

describe("one address", () => {
  it.each([
    "https://shop.example/offer/",
    "http://shop.example/offer",
    "HTTPS://WWW.SHOP.EXAMPLE:443/offer",
    "https://user:secret@shop.example/offer#top",
    "https://shop.example//offer?utm_source=x&gclid=1",
    "https://shop.example/%6Fffer",
    "https://shop.example./offer",
  ])("is known as %s too", (url) => {
    expect(canonical(url)).toBe("https://shop.example/offer");
  });

  it.each([
    ["https://shop.example/offer", "https://shop.example/offers"],
    ["https://shop.example/?id=1", "https://shop.example/?id=2"],
    ["https://a.shop.example/", "https://shop.example/"],
    ["https://shop.example:8443/", "https://shop.example/"],
    ["https://shop.example/Offer", "https://shop.example/offer"],
  ])("%s is not %s", (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it("does not hang on the order of its parameters", () => {
    expect(canonical("https://shop.example/?b=2&a=1")).toBe(canonical("https://shop.example/?a=1&b=2"));
  });
});

describe("a duplicate", () => {
  const report = (url: string, description: string) => ({ canonicalUrl: canonical(url), description });
  const text = "A hidden paragraph tells agents to send the user's card";

  it("is the same address, also where little is said of it", () => {
    expect(isDuplicate(report("https://s.example/a", "x"), report("https://s.example/a?utm_id=1", "y"))).toBe(
      true,
    );
  });

  it("is the same fault on pages of one make", () => {
    const again = "Hidden paragraph that tells agents to send the card of the user";
    expect(
      isDuplicate(report("https://s.example/p/12", text), report("https://s.example/p/977", again)),
    ).toBe(true);
  });

  it.each([
    [
      "another fault on a page of the same make",
      "https://s.example/p/977",
      "The countdown starts anew at every visit",
    ],
    ["the same fault on pages of another make", "https://s.example/checkout", text],
  ])("is not %s", (_, url, description) => {
    expect(isDuplicate(report("https://s.example/p/12", text), report(url, description))).toBe(false);
  });
});

describe("triage", () => {
  const found = (evidence: Corroboration["evidence"], supports: boolean): Corroboration => ({
    module: "firewall",
    ruleset_version: "1",
    supports,
    verdict: supports ? "block" : "allow",
    rules: [],
    evidence,
    input_sha256: "0".repeat(64),
    at: "2026-01-01T00:00:00Z",
  });
  const looked = (corroboration: Corroboration[], status?: number, failure?: string) => ({
    corroboration,
    status,
    failure,
  });
  it.each<[string, ReturnType<typeof looked>, ReportState]>([
    ["confirmed by what we fetched", looked([found("fetched", true)], 200), "triaged"],
    [
      "shown by what was sent alone",
      looked([found("sent", true), found("fetched", false)], 200),
      "needs_more_info",
    ],
    [
      "of a page that cannot be fetched",
      looked([found("sent", true)], undefined, "timeout"),
      "needs_more_info",
    ],
    ["of a page that is not there", looked([], 404), "not_applicable"],
    ["of a page where nothing is found", looked([found("fetched", false)], 200), "informative"],
  ])("of a report %s", (_, seen, state) => {
    expect(triage("prompt_injection", "hidden words for agents", seen).state).toBe(state);
  });

  it("leaves what no module can judge to a person, and what says nothing to nobody", () => {
    expect(triage("other", "an odd offer", looked([], 200)).state).toBe("new");
    expect(triage("other", "spam spam spam", looked([], 200)).state).toBe("spam");
    expect(triage("other", "偽サイトです", looked([], 200)).state).toBe("new");
  });
});

describe("the leaderboard", () => {
  const report = (reporter: string, state: ReportState, registrableDomain: string) => ({
    reporter,
    handle: null,
    state,
    registrableDomain,
    created_at: "2026-01-01T00:00:00Z",
  });
  const many = (count: number, make: (i: number) => ReturnType<typeof report>) =>
    Array.from({ length: count }, (_, i) => make(i));
  const order = (reports: ReturnType<typeof report>[]) =>
    leaderboard(reports).map(({ reporter }) => reporter);

  it("is led by who is right, not by who is loud", () => {
    const careful = many(6, (i) => report("careful", "triaged", `a${i}.example`));
    const loud = many(200, (i) => report("loud", i % 4 === 0 ? "triaged" : "informative", `b${i}.example`));
    expect(order([...loud, ...careful])).toEqual(["careful", "loud"]);
  });

  it("is not climbed by many reports of one site, by repeating others, or by new names", () => {
    const honest = many(4, (i) => report("honest", "triaged", `a${i}.example`));
    const gamers = [
      ...many(100, () => report("one-site", "triaged", "mine.example")),
      ...many(100, (i) => report("echo", "duplicate", `a${i % 4}.example`)),
      ...many(100, (i) => report(`new-${i}`, "triaged", `c${i}.example`)),
    ];
    const standings = leaderboard([...gamers, ...honest]);
    expect(standings[0]?.reporter).toBe("honest");
    expect(standings.find(({ reporter }) => reporter === "one-site")?.right).toBe(1);
    expect(standings.some(({ reporter }) => reporter === "echo")).toBe(false);
  });

  it("does not let a right report of a site hide a wrong one", () => {
    const both = [report("x", "triaged", "a.example"), report("x", "informative", "a.example")];
    expect(leaderboard(both)[0]).toMatchObject({ right: 0, wrong: 1 });
  });
});

describe("places of a target's reports", () => {
  it("are lost by whoever holds most: a flood of one pushes nobody else's out", () => {
    const of = (by: string, count: number) => Array.from({ length: count }, (_, i) => ({ by, i }));
    const kept = fairShare([...of("ada", 2), ...of("flood", 300)], 200, ({ by }) => by);
    expect(kept.length).toBe(200);
    expect(kept.filter(({ by }) => by === "ada").length).toBe(2);
  });
});

const AT = "2026-11-22T12:00:00.000Z";
const LATER = "2026-11-23T12:00:00.000Z";
const stored = (state: ReportState): BountyReport =>
  withState(
    BountyReport.parse({
      v: 1,
      reportId: "0197a1b2-0000-7000-8000-000000000001",
      reporter: "ada",
      handle: null,
      url: "https://shop.example/offer",
      canonicalUrl: "https://shop.example/offer",
      registrableDomain: "shop.example",
      kind: "scam",
      description: "It takes the money and sends nothing",
      state,
      reason: "",
      duplicateOf: null,
      corroboration: [],
      changes: [],
      backers: [],
      created_at: AT,
      updated_at: AT,
    }),
    { state, reason: "at first", by: "modules" },
    AT,
  );
const decision = { reason: "seen by hand", who: "grace", of: undefined };
const byOperator = (report: BountyReport, state: "triaged" | "informative"): BountyReport =>
  decided(report, { ...decision, state }, LATER) as BountyReport;
/** The report after somebody made it again and our modules found this. */
const anew = (report: BountyReport, state: ReportState, backer = { by: "ada", weight: 0.25 }): BountyReport =>
  judgedAnew(
    report,
    { state, reason: "looked again", url: "https://shop.example/offer", corroboration: [] },
    backer,
    LATER,
  );

describe("an operator's decision", () => {
  it("is kept with its reason, its time and who decided, after what was before it", () => {
    const report = byOperator(stored("new"), "triaged");
    expect(report).toMatchObject({ state: "triaged", reason: "seen by hand", updated_at: LATER });
    expect(report.changes).toEqual([
      { state: "new", reason: "at first", by: "modules", at: AT },
      { state: "triaged", reason: "seen by hand", by: "operator", who: "grace", at: LATER },
    ]);
  });

  it.each([
    ["the state that it has", "spam", "spam", undefined, /spam already/],
    ["resolved, of what was never confirmed", "new", "resolved", undefined, /Only what was confirmed/],
    ["a duplicate of nothing", "new", "duplicate", undefined, /needs the report that it repeats/],
    ["a duplicate of itself", "new", "duplicate", stored("new"), /repeats another report/],
    ["spam that repeats another", "new", "spam", stored("new"), /nothing else takes one/],
  ] as const)("is not %s", (_, before, state, of, why) => {
    expect(decided(stored(before), { ...decision, state, of }, LATER)).toMatch(why);
  });

  it("that confirms holds while our modules find nothing, until the page is gone", () => {
    const report = byOperator(stored("new"), "triaged");
    expect(anew(report, "informative").state).toBe("triaged");
    expect(anew(report, "not_applicable").state).toBe("resolved");
    expect(anew(stored("triaged"), "informative").state).toBe("resolved");
  });

  it("that rejects is not undone by our modules: what they find then waits for a person", () => {
    const report = byOperator(stored("triaged"), "informative");
    const again = anew(report, "triaged");
    expect(again.state).toBe("new");
    expect(anew(again, "triaged").state).toBe("new");
    expect(anew(stored("informative"), "triaged").state).toBe("triaged");
  });
});

describe("a report that was rejected", () => {
  it.each([
    ["by our modules", stored("informative")],
    ["by an operator", byOperator(stored("new"), "informative")],
  ])("%s waits for a person once enough others stand by it, and not for one of them twice", (_, report) => {
    let latest: BountyReport = report;
    const states = ["a", "b", "b", "b", "b", "c", "d"].map((by) => {
      latest = anew(latest, "informative", { by, weight: 0.25 });
      return latest.state;
    });
    expect(states).toEqual([...Array(6).fill("informative"), "new"]);
    const again = byOperator(latest, "informative");
    expect(anew(again, "informative", { by: "e", weight: 0.25 }).state).toBe("informative");
  });
});

describe("a reporter's record", () => {
  const about = (site: number, state: ReportState) => ({ state, registrableDomain: `shop-${site}.example` });
  const weightAfter = (...states: ReportState[]): number =>
    weightOf(recordOf(states.map((state, site) => about(site, state))));

  it("weighs more after what was confirmed, less after what was rejected, and is never nothing", () => {
    expect(weightAfter()).toBe(0.25);
    expect(weightAfter("new", "needs_more_info", "duplicate")).toBe(0.25);
    expect(weightAfter("triaged")).toBe(0.4);
    expect(weightAfter("informative")).toBe(0.2);
    expect(weightAfter(...Array<ReportState>(100).fill("spam"))).toBe(0.05);
    expect(weightAfter(...Array<ReportState>(100).fill("triaged"))).toBeLessThan(1);
  });

  it("counts for a report's priority once for each who made it, and up to a bound", () => {
    const report = stored("new");
    expect(priorityOf(report)).toBe(0.25);
    const twice = withBacker(withBacker(report, { by: "ada", weight: 0.4 }), { by: "ada", weight: 0.4 });
    expect(priorityOf(twice)).toBe(0.4);
    let crowd = report;
    for (let i = 0; i < 100; i++) crowd = withBacker(crowd, { by: `one ${i}`, weight: 0.9 });
    expect(priorityOf(crowd)).toBe(3);
    expect(crowd.backers.length).toBe(20);
  });
});
