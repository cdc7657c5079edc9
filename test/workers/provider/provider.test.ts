import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchReply, DomainStatus } from "../../../schemas/provider.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { SiteKind } from "../../../world/kinds.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { until } from "./receiver.ts";

const API = "/api/discovery/provider";
const KINDS: readonly SiteKind[] = [
  "sound",
  "secure",
  "unsigned",
  "no_txt",
  "no_document",
  "expired",
  "forged",
  "wrong_key",
  "revoked",
  "rotated",
  "txt_ambiguous",
  "dns_servfail",
  "domain_mismatch",
  "private_address",
  "connection_reset",
];

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 50, soundShare: 0, kinds: Object.fromEntries(KINDS.map((kind) => [kind, 1])), seed: 21 },
    roles: ["provider"],
    config: { BRIDGE_DNS_VALIDATING: true },
  });
});
afterAll(() => registry?.stop());

const verify = async (domains: unknown, more: object = {}): Promise<BatchReply> =>
  (await registry.postJson(`${API}/verify-batch`, { domains, ...more })).body;
const status = async (domain: string): Promise<DomainStatus> =>
  (await registry.getJson(`${API}/status?domain=${encodeURIComponent(domain)}`)).body;
const hostOf = (kind: SiteKind): string => registry.world.hosts.find((site) => site.kind === kind)!.host;

describe("a batch", () => {
  it("says how many more its network may send", async () => {
    const { headers } = await registry.postJson(`${API}/verify-batch`, { domains: ["no domain"] });
    expect(headers.get("ratelimit-policy")).toBe(
      '"batch-domains-network-minute";q=15000;w=60, "batch-domains-network-day";q=1000000;w=86400',
    );
    expect(headers.get("ratelimit")).toMatch(
      /^"batch-domains-network-minute";r=\d+;t=\d+, "batch-domains-network-day";r=\d+;t=\d+$/,
    );
  });

  it("gives every domain the state, ring and reason that a visit of the crawl gives, within a second", async () => {
    const { hosts } = registry.world;
    const startedMs = performance.now();
    const { results, summary } = await verify(hosts.map(({ host }) => host));
    const tookMs = performance.now() - startedMs;
    const wrong = hosts.flatMap(({ host, kind, expected }, i) => {
      const { domain, state, trust_ring: ring, reason } = results[i]!;
      const said = { domain, state, ring };
      const wanted = { domain: host, state: expected.status, ring: expected.ring };
      const sameReason = reason === expected.reason;
      return JSON.stringify(said) === JSON.stringify(wanted) && sameReason
        ? []
        : [{ kind, said, reason, wanted, expected }];
    });
    expect(wrong).toEqual([]);
    expect(summary.total).toBe(50);
    // Under one second on a machine of its own; here others run beside it.
    expect(tookMs).toBeLessThan(4_000);
  });

  it("reads domains in every form, in the order asked, and verifies a doubled one once", async () => {
    const { host } = await registry.world.add("sound");
    await registry.world.clearLog();
    const asked = [
      `HTTPS://${host.toUpperCase()}:8443/path?q#f`,
      "10.1.2.3",
      `${host}.`,
      "",
      `_bridge.${host}`,
    ];
    const { results } = await verify(asked);
    expect(results.map(({ asked: echo }) => echo)).toEqual(asked);
    expect(results.map(({ domain, state }) => [domain, state])).toEqual([
      [host, "enabled"],
      [null, "invalid"],
      [host, "enabled"],
      [null, "invalid"],
      [host, "enabled"],
    ]);
    expect(results[1]!.reason).toBe("ip_address");
    const log = await registry.world.requests(host);
    expect(log.filter(({ path }) => path === "/.well-known/bridge.json")).toHaveLength(1);
  });

  it("says secure and bogus of answers as the validating resolver did", async () => {
    const bogus = await registry.world.add("sound");
    await registry.world.set(bogus.host, { dns: "bogus" });
    const { results } = await verify([hostOf("secure"), hostOf("sound"), bogus.host]);
    expect(results.map(({ dnssec, state }) => [dnssec, state])).toEqual([
      ["secure", "enabled"],
      ["insecure", "enabled"],
      ["bogus", "disabled"],
    ]);
    expect(results[2]!.checks!.dnssec).toMatchObject({ state: "fail", reason: "bogus" });
  });

  it("does what an agent without a session does, and says how far it came", async () => {
    const { results } = await verify([hostOf("sound"), hostOf("no_txt"), hostOf("no_document")], {
      include_agent_run: true,
    });
    expect(results[0]!.agent_run!.steps.map(({ step, state }) => [step, state])).toEqual([
      ["discovery", "pass"],
      ["actions", "pass"],
      ["page_read", "pass"],
    ]);
    expect(results[2]!.agent_run).toMatchObject({ ok: false });
    expect((await verify([hostOf("sound")])).results[0]!.agent_run).toBeUndefined();
  });

  it("ends at its deadline, says when to ask again for what is not finished, and all the rest", async () => {
    const slow = await registry.world.add("slow");
    await registry.world.set(slow.host, { latencyMs: 60_000 });
    const impatient = await startRegistry({
      join: registry,
      roles: ["provider"],
      config: { batchDeadlineMs: 1_200 },
      ownPrefix: true,
    });
    try {
      const startedMs = performance.now();
      const { body } = await impatient.postJson(`${API}/verify-batch`, {
        domains: [slow.host, hostOf("sound")],
      });
      expect(performance.now() - startedMs).toBeLessThan(3_000);
      expect(body.results.map(({ state }: { state: string }) => state)).toEqual(["pending", "enabled"]);
      expect(body.summary).toMatchObject({ total: 2, enabled: 1, pending: 1 });
      expect(body.results[0]).toMatchObject({ reason: "deadline", checks: { txt: { state: "pass" } } });
      expect(Date.parse(body.results[0].ask_again_at)).toBeGreaterThan(Date.now());
    } finally {
      await impatient.stop();
    }
  });

  it("is kept, and told of by its id", async () => {
    const { request_id, summary } = await verify([hostOf("sound")]);
    const { body } = await registry.getJson(`${API}/batches/${request_id}`);
    expect(body).toMatchObject({ request_id, verification: { state: "done", summary }, delivery: null });
    expect((await registry.getJson(`${API}/batches/$$$`)).status).toBe(404);
  });
});

describe("a status", () => {
  it("names the state and reason of each check", async () => {
    const { state, checks } = await status(hostOf("wrong_key"));
    expect(state).toBe("partial");
    expect(Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check.reason]))).toEqual({
      txt: "txt_valid",
      dnssec: "insecure",
      manifest: "signature_invalid",
      signature: "signature_invalid",
      agent_ready: "not_enabled",
    });
  });

  it("probes what the crawl has not seen, and makes a verified site known to it", async () => {
    const { host } = await registry.world.add("sound");
    const seen = await status(host);
    expect(seen).toMatchObject({ state: "enabled", source: "probe", trust_ring: 3 });
    expect(Math.abs(Date.parse(seen.checked_at) - Date.now())).toBeLessThan(10_000);
    expect(await until(() => registry.runtime.frontier.has(host))).toBe(true);
    const nobody = await registry.world.add("no_txt");
    expect(await status(nobody.host)).toMatchObject({ state: "partial", source: "probe" });
    expect(await registry.runtime.frontier.has(nobody.host)).toBe(false);
  });

  it("shares one probe among all who ask at a time", async () => {
    const { host } = await registry.world.add("sound");
    await registry.world.set(host, { latencyMs: 1_000 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => status(host)));
    expect(new Set(answers.map(({ checked_at }) => checked_at)).size).toBe(1);
    const log = await registry.world.requests(host);
    expect(log.filter(({ path }) => path === "/.well-known/bridge.json")).toHaveLength(1);
  });

  it("keeps the crawl's politeness: a host is asked again only after its pause", async () => {
    const judgement = await registry.world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect(judgement.overlappingHost).toBe(0);
  });
});

describe("a plan in the middle of a key rotation", () => {
  const planOf = async (query: string) => {
    const host = hostOf("rotated");
    const { body } = await registry.getJson(`${API}/enable-plan?domain=${host}${query}`);
    const operations: { action: string; record: { value: string } | null }[] = [
      ...body.steps,
      ...body.rollback.steps,
    ]
      .map(({ operation }: any) => operation)
      .filter(({ record }: any) => record !== null);
    return operations.map(({ action, record }) => ({ action, value: record!.value }));
  };

  it("keeps both keys", async () => {
    const operations = await planOf("");
    expect(operations.map(({ action }) => action)).not.toContain("delete_record");
    expect(new Set(operations.map(({ value }) => value)).size).toBe(2);
  });

  it("moves both to another endpoint, and names what it removes", async () => {
    const operations = await planOf(`&endpoint=https://api.${hostOf("rotated")}`);
    const published = operations.filter(({ action }) => action === "upsert_record");
    const moved = new Set(
      published.map(({ value }) => value).filter((value) => value.includes("https://api.")),
    );
    expect(moved.size).toBe(2);
    const removed = operations.filter(({ action }) => action === "delete_record").map(({ value }) => value);
    expect(removed.slice(0, 2).every((value) => !value.includes("https://api."))).toBe(true);
    expect(new Set(removed.slice(2))).toEqual(moved);
  });

  it("leaves the one that is named, where one is", async () => {
    const [first] = await planOf("");
    const { record } = (await registry.getJson(`${API}/record-template?domain=${hostOf("rotated")}`)).body;
    expect(first!.value).toBe(record.value);
    const pk = /pk=([\w-]{43})/.exec(record.value)![1]!;
    const operations = await planOf(`&pk=${pk}`);
    expect(operations.filter(({ action }) => action === "delete_record")).toHaveLength(1);
  });
});

describe("a status beside the crawl", () => {
  it("is answered from a fresh record, says so, and does not ask the site", async () => {
    const crawled = await startRegistry({
      world: { sites: 6, soundShare: 1, seed: 5 },
      roles: ["provider", "crawler"],
    });
    try {
      const { host } = crawled.world.hosts[0]!;
      await crawled.crawl([host]);
      await crawled.world.clearLog();
      const { body } = await crawled.getJson(`${API}/status?domain=${host}`);
      const record = (await crawled.runtime.sites.get(hostKey(host)))!.value;
      expect(body).toMatchObject({
        state: "enabled",
        source: "record",
        checked_at: record.last_visit_at,
        expires_at: record.expires_at,
      });
      expect(body.checks.signature).toMatchObject({ state: "pass", reason: "verified" });
      expect(await crawled.world.requests(host)).toEqual([]);
      const sum = Object.values<number>(body.trust_reasons).reduce((total, points) => total + points, 0);
      expect(body.trust_score).toBeCloseTo(sum, 5);
    } finally {
      await crawled.stop();
    }
  });
});
