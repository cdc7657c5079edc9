import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportOn } from "../../app/cli/check.ts";
import { WANTED } from "../../app/cli/demo.ts";
import { addressesOf, writeMode } from "../../app/cli/world.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { blockHost } from "../../src/stores/block-list.ts";
import { KINDS, knobsOf, type SiteKind, settlesLater } from "../../world/kinds.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

/** Kinds that one visit settles; a body that never ends would be most of the test's time. */
const SETTLED = KINDS.filter((kind) => !settlesLater(knobsOf(kind)) && !/_body$/.test(kind));
const PROVIDER = "/api/discovery/provider";
const home = mkdtempSync(join(tmpdir(), "bridge-test-verdict-"));

let registry: TestRegistry;
const pages = openPageReading(64);
beforeAll(async () => {
  registry = await startRegistry({
    world: {
      sites: SETTLED.length,
      soundShare: 0,
      kinds: Object.fromEntries(SETTLED.map((kind) => [kind, 1])),
      seed: 31,
    },
    roles: ["provider", "crawler", "indexer", "search", "protocol"],
    config: { BRIDGE_DNS_VALIDATING: true },
  });
  writeMode(home, { kind: "world", addresses: addressesOf(registry.world) });
  await registry.crawl();
});
afterAll(async () => {
  await registry?.stop();
  await pages.close();
  rmSync(home, { recursive: true, force: true });
});

const hostOf = (kind: SiteKind): string => registry.world.hosts.find((site) => site.kind === kind)!.host;
const verdictOn = async (domain: string): Promise<SiteVerdict> =>
  (await registry.getJson(`/api/registry/sites/${domain}`)).body;

describe("every door", () => {
  it("says the same of each kind of site: verdict, status, batch, template, plan, listing, discover and check", async () => {
    const { hosts } = registry.world;
    const domains = hosts.map(({ host }) => host);
    const { results } = (await registry.postJson(`${PROVIDER}/verify-batch`, { domains })).body;
    const config = { ...registry.config, BRIDGE_HOME: home };
    const said = await Promise.all(
      hosts.map(async ({ host, kind }, i) => {
        const { state, listed, reason, headline, trust, neutrality } = await verdictOn(host);
        const three = state === "stale" ? "partial" : state === "found" ? "disabled" : state;
        const status = (await registry.getJson(`${PROVIDER}/status?domain=${host}`)).body;
        const [listing] = (await registry.getJson(`/api/discovery/registry?domain=${host}`)).body.listings;
        const discovered = await registry.getJson(`/api/bridge/discover?siteId=${host}`);
        const template = (await registry.getJson(`${PROVIDER}/record-template?domain=${host}`)).body;
        const plan = (await registry.getJson(`${PROVIDER}/enable-plan?domain=${host}`)).body;
        const check = await reportOn(config, host, { deep: false, pages });
        const wanted = { state, listed, reason, ring: trust.ring };
        // It reads a site's own document alone.
        const wantedCheck =
          state === "found" ? { state: "disabled", listed, reason: "no_txt", ring: 0 } : wanted;
        return {
          kind,
          wanted,
          wantedCheck,
          // Beside the state, the sentence that heads every door.
          wantedVerdict: { ...wanted, headline },
          wantedThree: three,
          status: { ...status.verdict, ring: status.trust_ring, since: undefined },
          statusThree: status.state,
          batch: { ...results[i].verdict, ring: results[i].trust_ring, since: undefined },
          batchThree: results[i].state,
          template: { ...template.verdict, ring: trust.ring, since: undefined },
          plan: { ...plan.verdict, ring: trust.ring, since: undefined },
          check: { state: check.state, listed: check.listed, reason: check.reason, ring: check.ring },
          listing: listing && {
            state: listing.status,
            listed: true,
            reason: listing.reason,
            ring: listing.trust_ring,
          },
          discover: discovered.status === 200,
          scores: [
            [trust.score, neutrality.score],
            [status.trust_score, neutrality.score],
            [results[i].trust_score, neutrality.score],
            ...(listing ? [[listing.trust_score, listing.neutrality_score]] : []),
          ],
        };
      }),
    );
    for (const { kind, wanted, wantedCheck, wantedVerdict, wantedThree, scores, ...doors } of said) {
      const all = { kind, ...doors };
      const none = wanted.listed ? wanted : undefined;
      expect(all).toEqual({
        kind,
        status: wantedVerdict,
        statusThree: wantedThree,
        batch: wantedVerdict,
        batchThree: wantedThree,
        template: wantedVerdict,
        plan: wantedVerdict,
        check: wantedCheck,
        listing: none,
        discover: wanted.listed,
      });
      for (const each of scores) expect({ kind, each }).toEqual({ kind, each: scores[0] });
    }
  });

  it("finds nothing of what the demo's shop sells on any other kind of site", async () => {
    const { results } = (await registry.getJson(`/api/bridge/search?q=${WANTED}`)).body;
    const found = (results as { domain: string; relevance: number }[]).filter(
      ({ relevance }) => relevance === 1,
    );
    expect(found.map(({ domain }) => domain)).toEqual([hostOf("shop")]);
  });

  it("says why, in the crawl's order, and what to do", async () => {
    const verdict = await verdictOn(hostOf("injection"));
    expect(verdict).toMatchObject({ state: "partial", listed: false, reason: "malicious_page" });
    expect(verdict.checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(
      expect.arrayContaining(["dns pass", "document pass", "signature pass", "manifest pass", "pages fail"]),
    );
    expect(verdict.fixes[0]).toMatchObject({ code: "remove_hidden_instructions", gains: "listed" });
    expect(verdict.declared).toMatchObject({
      by: "site",
      actions: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
    expect(verdict.history.at(-1)).toMatchObject({ state: "partial", reason: "malicious_page" });
    const { detail } = (await registry.getJson(`/api/bridge/discover?siteId=${hostOf("injection")}`)).body;
    expect(detail).toContain("malicious_page");
    expect(detail).not.toContain("Report it");
  });

  it("says of a name that does not exist that nobody has visited it, without a point", async () => {
    expect(await verdictOn("nobody-has-heard-of.test")).toMatchObject({
      state: "unknown",
      listed: false,
      trust: { ring: 0, score: 0 },
      fixes: [{ code: "report_site" }],
    });
    const { body } = await registry.getJson(`${PROVIDER}/status?domain=nobody-has-heard-of.test`);
    expect(body).toMatchObject({ state: "disabled", trust_score: 0, verdict: { state: "unknown" } });
    expect(JSON.stringify(body)).not.toMatch(/does not allow/);
    expect((await registry.getJson("/api/registry/sites/127.0.0.1")).body.code).toBe("invalid_domain");
  });

  it("says of a blocked site that it is blocked, and asks it nothing", async () => {
    const { host } = await registry.world.add("sound");
    const { runtime } = registry;
    await registry.crawl([host]);
    await blockHost(runtime, host, { why: "a test", by: "operator" });
    await registry.world.clearLog();
    expect(await verdictOn(host)).toMatchObject({ state: "blocked", listed: false, fixes: [] });
    const { body } = await registry.getJson(`${PROVIDER}/status?domain=${host}`);
    expect(body).toMatchObject({ state: "disabled", verdict: { state: "blocked" } });
    const { results } = (await registry.postJson(`${PROVIDER}/verify-batch`, { domains: [host] })).body;
    expect(results[0]).toMatchObject({ state: "disabled", verdict: { state: "blocked" } });
    expect(await registry.world.requests(host)).toEqual([]);
  });
});

describe("a requested visit", () => {
  it("is made once the site may be asked again, and only of sites that are known", async () => {
    const { host } = await registry.world.add("unsigned");
    await registry.crawl([host]);
    const path = `/api/registry/sites/${host}/recheck`;
    const early = await registry.postJson(path, {});
    expect(early).toMatchObject({ status: 200, body: { domain: host, queued: false } });
    expect(Date.parse(early.body.can_recheck_at)).toBeGreaterThan(Date.now());
    const { sites } = registry.runtime;
    const visited = (await sites.get(hostKey(host)))!;
    const earlier = new Date(Date.now() - 600_000).toISOString();
    await sites.compareAndSet(hostKey(host), { ...visited.value, last_visit_at: earlier }, visited.revision);
    expect((await registry.postJson(path, {})).body.queued).toBe(true);
    await expect
      .poll(async () => (await verdictOn(host)).last_visit_at, { timeout: 20_000 })
      .not.toBe(earlier);
    const unknown = await registry.postJson("/api/registry/sites/nobody-has-heard-of.test/recheck", {});
    expect([unknown.status, unknown.body.code]).toEqual([404, "site_not_registered"]);
  });
});

describe("a plan", () => {
  it("keeps the endpoint and the key that are published, and undoes itself to them", async () => {
    const host = hostOf("sound");
    const published = (await registry.getJson(`${PROVIDER}/record-template?domain=${host}`)).body;
    expect(published).toMatchObject({ ready: true });
    // The synthetic web's endpoints name its port.
    expect(published.endpoint).toBe(`https://${host}:${registry.world.port}`);
    const { value } = published.record;
    const plan = (await registry.getJson(`${PROVIDER}/enable-plan?domain=${host}`)).body;
    expect(plan.steps[1].operation).toMatchObject({ action: "upsert_record", record: { value } });
    expect(plan.rollback.steps[0].operation).toMatchObject({ action: "upsert_record", record: { value } });
    const off = (await registry.getJson(`${PROVIDER}/enable-plan?domain=${host}&action=disable`)).body;
    expect(off.steps[0].operation).toMatchObject({ action: "delete_record", record: { value } });
    expect(off.rollback.steps[0].operation).toMatchObject({ action: "upsert_record", record: { value } });
  });

  it("has nothing to remove where nothing is published, and no value before there is a key", async () => {
    const host = hostOf("no_txt");
    const off = (await registry.getJson(`${PROVIDER}/enable-plan?domain=${host}&action=disable`)).body;
    expect(off).toMatchObject({ ready: false, rollback: { steps: [] } });
    expect(off.steps.map(({ operation }: any) => operation.action)).toEqual(["poll"]);
    const on = (await registry.getJson(`${PROVIDER}/enable-plan?domain=${host}`)).body;
    expect(on.ready).toBe(false);
    expect(on.steps[1].operation.record.value).toBeNull();
    expect(JSON.stringify(on)).not.toContain("<public-key>");
  });
});
