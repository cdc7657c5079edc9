import { describe, expect, it } from "vitest";
import type { Corroboration, ReportState } from "../../../../schemas/bounty.ts";
import { canonicalUrlOf, isDuplicate } from "../../../../workers/gateway/bounty/dedupe.ts";
import { leaderboard, shared, triage } from "../../../../workers/gateway/bounty/rules.ts";

const canonical = (url: string): string => canonicalUrlOf(new URL(url));

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
    const kept = shared([...of("ada", 2), ...of("flood", 300)], 200);
    expect(kept.length).toBe(200);
    expect(kept.filter(({ by }) => by === "ada").length).toBe(2);
  });
});
