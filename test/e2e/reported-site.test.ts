import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BountyReport, OperatorState } from "../../schemas/bounty.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { changeReport, openReports } from "../../src/stores/reports.ts";
import { decided } from "../../workers/gateway/bounty/decisions.ts";
import { askModule } from "../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenKey } from "../support/visitor.ts";

describe("a site that is reported", () => {
  let registry: TestRegistry;
  let host: string;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 3, soundShare: 1, seed: 12 },
      roles: ["gateway", "provider", "crawler", "indexer", "search"],
    });
    await registry.crawl();
    host = registry.world.hosts[0]!.host;
  });
  afterAll(() => registry?.stop());

  const verdict = async (): Promise<SiteVerdict> =>
    (await registry.getJson(`/api/registry/sites/${host}`)).body;
  const listing = async () =>
    (await registry.getJson(`/api/discovery/registry?domain=${host}`)).body.listings[0];
  const decide = async (reportId: string, state: OperatorState): Promise<void> => {
    const { broker, frontier } = registry.runtime;
    await changeReport(openReports(broker.buckets, frontier, broker.now), reportId, (report) => {
      const decision = { state, reason: "Seen by an operator.", who: "grace", of: undefined };
      const at = new Date(broker.now()).toISOString();
      return { next: decided(report!, decision, at) as BountyReport, result: undefined };
    });
  };

  it("is visited next once a report is confirmed, and has its part's points back once it is withdrawn", async () => {
    const before = await verdict();
    expect(before.neutrality.parts.find(({ name }) => name === "dark")!.points).toBeGreaterThan(0);
    const key = await givenKey(registry, "FREE");
    const { body } = await askModule(registry, "bounty", key, "report", {
      url: `https://${host}:${registry.world.port}/`,
      kind: "dark_pattern",
      description: "The basket holds an insurance that nobody chose",
    });
    const report = body.report.id as string;

    await decide(report, "triaged");
    expect((await verdict()).findings[0]).toMatchObject({
      by: "report",
      rule: "reported-dark-pattern",
      report,
      confirmed_by: "operator",
    });
    await expect
      .poll(async () => (await verdict()).neutrality.score, { timeout: 20_000 })
      .toBeLessThanOrEqual(40);
    const reported = await verdict();
    const dark = reported.neutrality.parts.find(({ name }) => name === "dark")!;
    expect(dark).toMatchObject({
      value: expect.closeTo(0, 2),
      evidence: [{ excerpt: "Seen by an operator." }],
    });
    expect(reported).toMatchObject({ state: "enabled", listed: true });
    expect(reported.trust.reasons.findings).toBe(before.trust.reasons.findings - 1);
    await registry.settled();
    expect((await listing()).neutrality_score).toBe(reported.neutrality.score);

    await decide(report, "resolved");
    await expect
      .poll(async () => (await verdict()).neutrality.score, { timeout: 20_000 })
      .toBeGreaterThan(50);
    expect((await verdict()).findings).toEqual([]);
  });

  it("shows what the crawl found on its pages beside it, with page and excerpt", async () => {
    const { host: other } = await registry.world.add("dark_pattern");
    await registry.crawl([other]);
    const { body } = await registry.getJson(`/api/registry/sites/${other}`);
    const [finding] = (body as SiteVerdict).findings;
    expect(finding).toMatchObject({
      by: "crawl",
      report: null,
      confirmed_by: null,
      last_seen: expect.any(String),
    });
    expect(finding!.page).toContain(other);
    expect(finding!.excerpt).not.toBe("");
  });
});
