/** How useful a site is to agents: what works is told from what is there. */
import { describe, expect, it } from "vitest";
import type { AgentService, Descriptor, ObservedClass } from "../../schemas/agent-web.ts";
import { MAX_READY_ITEMS, SiteReadiness } from "../../schemas/readiness.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { readinessOf } from "../../src/agent-web/readiness.ts";
import { newRecord } from "../../src/crawl/judgement.ts";
import { siteVerdict } from "../../src/crawl/verdict.ts";
import { descriptor } from "./presences.ts";

const NOW = Date.UTC(2026, 10, 27);
const AT = new Date(NOW).toISOString();

const document = (over: Partial<Descriptor> = {}): Descriptor => ({
  ...descriptor("a2a-card", "https://shop.example/.well-known/agent-card.json"),
  ...{ sha256: "00", first_seen_at: "2026-11-01T00:00:00.000Z", seen_at: AT, changed_at: AT },
  ...over,
});

const service = (seen: ObservedClass | null, over: Partial<AgentService> = {}): AgentService => ({
  protocol: "mcp",
  endpoint: "https://shop.example/mcp",
  transports: [],
  auth: "unknown",
  name: "Shop",
  description: "",
  described_by: [],
  claimed_by: [],
  level: "published",
  observation: seen && {
    class: seen,
    detail: "",
    revision: null,
    name: null,
    tools: seen === "open" ? 3 : null,
    tools_sha256: null,
    latency_ms: 1,
    seen_at: AT,
  },
  screened: "clear",
  failing: null,
  tools: [],
  ...over,
});

/** A site that nobody claimed, as the verdict has it. */
function report(services: AgentService[], descriptors: Descriptor[], over: Partial<SiteVerdict> = {}) {
  const verdict = siteVerdict({ host: "shop.example", record: undefined, isBlocked: false }, NOW);
  const said = readinessOf({ ...verdict, presence_seen_at: AT, services, descriptors, ...over });
  return SiteReadiness.parse(said);
}

const finding = (rule: string) => ({ rule, place: "/url", fix: "Repair it." });

describe("a report on a site", () => {
  it.each<[string, AgentService[], Descriptor[], SiteReadiness["readiness"], RegExp]>([
    ["answers", [service("open")], [document()], "usable", /can use it: 1 service answers\.$/],
    [
      "answers after authorization",
      [service("auth")],
      [],
      "usable",
      /1 service answers, all after authorization\.$/,
    ],
    [
      "answers, with another that is dead",
      [service("open"), service("dead")],
      [],
      "usable",
      /1 thing that it publishes is broken\.$/,
    ],
    [
      "is only described",
      [service(null, { protocol: "a2a" })],
      [document()],
      "readable",
      /read 1 document of it; nothing .* answered\. Of 1 thing that is described, it is not known whether it works\.$/,
    ],
    ["is dead", [service("dead")], [], "broken", /nothing here\. 1 thing that it publishes is broken\.$/],
    ["is legacy", [], [document({ findings: [finding("legacy")] })], "present", /serves none of them\.$/],
    ["is not there", [], [], "nothing", /^Nothing was found here for agents: /],
    [
      "is metadata of a service that was not found",
      [],
      [document({ format: "oauth-protected-resource" })],
      "nothing",
      /^Nothing here is known to work for agents\. Of 1 thing/,
    ],
  ])("of which what it publishes %s says so in a line", (_, services, documents, readiness, line) => {
    const said = report(services, documents);
    expect([said.readiness, said.headline]).toEqual([readiness, expect.stringMatching(line)]);
  });

  it.each<[string, Partial<Descriptor>, AgentService[]]>([
    ["is of a format that was given up", { findings: [finding("legacy")] }, []],
    ["is well-formed and empty", { usable: false, conforms: true }, []],
    ["is of no declared revision and empty", { usable: false, conforms: null }, []],
    ["is for the site's own bots", { format: "signature-directory" }, [service("open")]],
    ["says how to get in where nothing asks", { format: "oauth-protected-resource" }, [service("open")]],
    ["describes only what is dead", {}, [service("dead", { described_by: [document().url] })]],
  ])("gives nothing for a document that %s", (_, over, services) => {
    const said = report(services, [document(over)]);
    expect(said.only_present.map(({ what }) => what)).toEqual(["document"]);
    expect(said.works.filter(({ what }) => what === "document")).toEqual([]);
  });

  it("repairs a document that is of no use for a fault, and does not call it empty", () => {
    const over = { conforms: true, usable: false };
    const said = report(
      [],
      [
        document({ ...over, findings: [finding("other_issuer")] }),
        document({ ...over, findings: [finding("no_keys")] }),
      ],
    );
    expect([said.broken.length, said.only_present.length]).toEqual([1, 1]);
  });

  it.each<[string, Partial<AgentService>, "works" | "only_present"]>([
    ["says that it asks", { protocol: "http", auth: "oauth" }, "works"],
    ["does not say whether it asks", { protocol: "http" }, "works"],
    ["says that it asks for nothing", { protocol: "http", auth: "none" }, "only_present"],
  ])("of metadata of authorization beside an API that %s: %s", (_, over, group) => {
    const said = report([service(null, over)], [document({ format: "oauth-protected-resource" })]);
    expect(said[group].map(({ kind }) => kind)).toContain("oauth-protected-resource");
  });

  it("does not know whether metadata of authorization is of use where no service was found", () => {
    const said = report([], [document({ format: "oauth-authorization-server" })]);
    expect([said.not_known.length, said.only_present.length, said.readiness]).toEqual([1, 0, "nothing"]);
  });

  it("counts metadata of authorization where a service asks for it, and says who does not tell the way in", () => {
    const said = report([service("auth")], [document({ format: "oauth-protected-resource" })]);
    expect(said.works.map(({ kind, fixes }) => [kind, fixes.length])).toEqual([
      ["mcp", 1],
      ["oauth-protected-resource", 0],
    ]);
    const told = report([service("auth", { auth: "oauth" })], []);
    expect(told.works[0]!.fixes).toEqual([]);
  });

  it.each<[ObservedClass, "works" | "broken" | "not_known"]>([
    ["open", "works"],
    ["auth", "works"],
    ["rate_limited", "not_known"],
    ["unknown", "not_known"],
    ["not_protocol", "broken"],
    ["html", "broken"],
    ["template_url", "broken"],
    ["dead", "broken"],
  ])("says of a service that is %s: %s", (seen, group) => {
    const said = report([service(seen)], []);
    expect(said[group]).toHaveLength(1);
    if (group === "broken") expect(said.broken[0]!.fixes).toHaveLength(1);
  });

  it("names faults with their place, and puts what can be called and is sound first", () => {
    const faulty = document({
      url: "https://shop.example/a",
      conforms: false,
      findings: [finding("missing_member")],
    });
    const said = report(
      [service("open", { tools: [] })],
      [faulty, document(), document({ usable: false, conforms: false, findings: [finding("wrong_type")] })],
    );
    expect(said.works.map(({ what, fixes }) => [what, fixes])).toEqual([
      ["service", []],
      ["document", []],
      ["document", [{ place: "/url", do: "Repair it." }]],
    ]);
    expect(said.broken.map(({ fixes }) => fixes)).toEqual([[{ place: "/url", do: "Repair it." }]]);
  });

  it("tells what was never looked at from what could not be, and from what has nothing", () => {
    expect(report([], [], { presence_seen_at: null })).toMatchObject({
      readiness: "unknown",
      headline: "This registry has not looked at it yet.",
    });
    const away = { presence_seen_at: null, state: "disabled", reason: "unreachable" } as const;
    expect(report([], [], away).headline).toBe("It could not be looked at (unreachable).");
    expect(report([service("open")], [], { state: "blocked" })).toMatchObject({
      readiness: "blocked",
      works: [],
    });
  });

  it("has what a verified owner licenses first, and what a record of our own format lacks with its fixes", () => {
    const known = newRecord("shop.example", NOW, NOW);
    const sound = report([], [document()], { listed: true, state: "enabled", reason: "verified" });
    expect([sound.works[0]!.what, sound.readiness]).toEqual(["site", "usable"]);
    const record = { ...known, reason: "signature_invalid", status: "partial", visits: 1, ring: 2 } as const;
    const verdict = siteVerdict({ host: "shop.example", record, isBlocked: false }, NOW);
    const said = readinessOf(verdict);
    expect(said.broken[0]!.fixes.map((fix) => fix.do)).toEqual(
      verdict.fixes.filter(({ of }) => of === "listing").map((fix) => fix.do),
    );
    expect(said.broken[0]!.fixes.length).toBeGreaterThan(0);
  });

  it("shows what changed, the newest first, and no more than its bounds", () => {
    const many = Array.from({ length: MAX_READY_ITEMS }, (_, i) =>
      document({ url: `https://shop.example/${i}` }),
    );
    const said = report([service("open")], many);
    expect(said.works).toHaveLength(MAX_READY_ITEMS);
    expect(said.left_out).toBe(1);
    expect(said.history).toHaveLength(20);
    expect(said.history[0]).toMatchObject({ event: "changed", at: AT });
  });
});
