import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { mostPeers } from "../../../src/domain/listing/peer-sample.ts";
import { hostKey, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { addressGroup, reporterKey, siteGroup } from "../../../workers/gossip/rules.ts";
import { hostsOf } from "../../support/frontier-hosts.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

interface Answer {
  status: number;
  body: any;
}

/** Reports from an address of our choice: each 127.x is a /16 of its own. */
async function report(
  registry: TestRegistry,
  from: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = request(`${registry.url}/api/registry/report`, {
    method: "POST",
    localAddress: from,
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(JSON.stringify(body));
  const [reply] = await once(sent, "response");
  let text = "";
  for await (const chunk of reply) text += chunk;
  return { status: reply.statusCode, body: JSON.parse(text) };
}
const peersOf = (hosts: readonly string[]) => ({ gossip_peers: hosts.map((domain) => ({ domain })) });

let lastNetwork = 0;
/** A client that nobody has heard of. */
const stranger = (): string => `127.${200 + (++lastNetwork % 50)}.${Math.floor(lastNetwork / 50)}.1`;
let invented = 0;
const inventedHosts = (count: number): string[] =>
  Array.from({ length: count }, () => `invented-by-a-test-${++invented}.test`);

async function until<T>(look: () => Promise<T | undefined>, withinMs = 15_000): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`not seen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const recordOf = async ({ runtime }: TestRegistry, host: string) =>
  (await runtime.sites.get(hostKey(host)))?.value;

/** When a host's token is due, milliseconds; undefined while it is due or has none. */
async function dueAt({ runtime: { broker } }: TestRegistry, host: string): Promise<number | undefined> {
  const found = await broker.jsm.streams.getMessage(streamConfigs(broker.prefix).frontier.name, {
    last_by_subj: `${broker.prefix}.f.${hostKey(host)}.sched`,
  });
  const at = /^@at (.+)$/.exec(found?.header.get("Nats-Schedule") ?? "")?.[1];
  return at === undefined ? undefined : Date.parse(at);
}

describe("reports that nobody crawls yet", () => {
  let registry: TestRegistry;
  const tokens = async (): Promise<Set<string>> => new Set((await hostsOf(registry.runtime.frontier)).keys());
  const taken = async (hosts: readonly string[]): Promise<string[]> => {
    const known = await tokens();
    return hosts.filter((host) => known.has(host));
  };
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 1 }, roles: ["gossip", "indexer"] });
  });
  afterAll(() => registry?.stop());

  it.each([
    ["more than fifty peers", peersOf(inventedHosts(51)), 400],
    ["nine tags", { intent_tags: Array(9).fill("tea") }, 400],
    ["a tag of 33 characters", { intent_tags: ["t".repeat(33)] }, 400],
    ["a ring that does not exist", { trust_ring: 5 }, 400],
    ["more than 16 KiB", { domain: "a.test", padding: "x".repeat(16 * 1024) }, 413],
  ])("%s are refused whole", async (_, body, status) => {
    const before = await tokens();
    expect((await report(registry, stranger(), body)).status).toBe(status);
    expect(await tokens()).toEqual(before);
  });

  it.each(["127.0.0.1", "[::1]", "0x7f.1", "localhost", "co.uk", "a b.test", "shop.test:8443", "-.test"])(
    "the domain %s is refused with a code",
    async (domain) => {
      const { status, body } = await report(registry, stranger(), { domain });
      expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_domain" });
    },
  );

  it("take ten of the peers, at random, and pass over those that are no hosts", async () => {
    const hosts = inventedHosts(50);
    expect((await report(registry, stranger(), peersOf(hosts))).status).toBe(200);
    const first = await taken(hosts);
    expect(first).toHaveLength(10);
    await report(registry, stranger(), peersOf(hosts));
    expect((await taken(hosts)).length).toBeGreaterThan(10);
    const before = await tokens();
    expect((await report(registry, stranger(), peersOf(["10.0.0.1", "localhost", "com", ""]))).status).toBe(
      200,
    );
    expect(await tokens()).toEqual(before);
  });

  it("take fifty names of a network, then no more, and answer the same", async () => {
    const network = stranger();
    const neighbour = network.replace(/1$/, "77");
    const batches = Array.from({ length: 7 }, () => inventedHosts(10));
    const answers: Answer[] = [];
    for (const [i, hosts] of batches.entries())
      answers.push(await report(registry, i % 2 ? neighbour : network, peersOf(hosts)));
    const total = (await taken(batches.flat())).length;
    // One more for each ten seconds that the test itself took.
    expect(total).toBeGreaterThanOrEqual(50);
    expect(total).toBeLessThanOrEqual(52);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const elsewhere = inventedHosts(10);
    await report(registry, stranger(), peersOf(elsewhere));
    expect(await taken(elsewhere)).toHaveLength(10);
  });

  it("of fifty long names are kept too", async () => {
    const long = Array.from({ length: 50 }, (_, i) => `${"long".repeat(15)}${i}.${"x".repeat(60)}${i}.test`);
    const network = stranger();
    for (let i = 0; i < 50; i += 10)
      expect((await report(registry, network, peersOf(long.slice(i, i + 10)))).status).toBe(200);
    expect(await taken(long)).toHaveLength(50);
  });

  it("hold at most five unverified hosts of a registrable domain", async () => {
    const hosts = Array.from({ length: 9 }, (_, i) => `h${i}.one-owner.test`);
    for (const domain of hosts) expect((await report(registry, stranger(), { domain })).status).toBe(200);
    expect(await taken(hosts)).toEqual(hosts.slice(0, 5));
  });

  it("of five invented names below a domain leave room for what another network says", async () => {
    const invented = Array.from({ length: 5 }, (_, i) => `invented-${i}.shop-of-ada.test`);
    const flooder = stranger();
    for (const domain of invented) await report(registry, flooder, { domain });
    const honest = "www.shop-of-ada.test";
    await report(registry, stranger(), { domain: honest });
    expect(await taken([...invented, honest])).toEqual([...invented.slice(0, 2), honest]);
  });

  it("of a blocked host are dropped, and say so", async () => {
    const [blocked, other] = inventedHosts(2) as [string, string];
    const at = new Date().toISOString();
    await registry.runtime.blocks.put(hostKey(blocked), { v: 1, host: blocked, at, why: "" });
    const network = stranger();
    const [dropped, kept] = [
      (await report(registry, network, { domain: blocked })).body,
      (await report(registry, network, { domain: other })).body,
    ];
    // As its verdict says.
    expect([dropped.reported.state, kept.reported.state]).toEqual(["blocked", "queued"]);
    expect({ ...dropped, reported: {} }).toEqual({ ...kept, reported: {} });
    expect(await taken([blocked, other])).toEqual([other]);
  });

  it("know X-Forwarded-For from trusted proxies alone", async () => {
    const { secret } = registry.runtime.identity;
    const { gossip_reports: reports } = registry.runtime.broker.buckets;
    const known = async (address: string) =>
      (await reports.get(reporterKey(addressGroup(secret, address)))) !== undefined;
    const said = { "x-forwarded-for": "198.51.100.7" };
    await report(registry, stranger(), { domain: inventedHosts(1)[0] }, said);
    expect(await known("198.51.100.7")).toBe(false);
    const trusting = await startRegistry({
      join: registry,
      roles: [],
      config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.0/8"] },
    });
    await report(trusting, stranger(), { domain: inventedHosts(1)[0] }, said);
    expect(await known("198.51.100.7")).toBe(true);
    await trusting.stop();
  });
});

describe("a registry that is reported to", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    // Four neighbours share an address, so a /16.
    registry = await startRegistry({ world: { sites: 60, seed: 5, sitesPerIp: 4 } });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  it("lists a valid new site within seconds, as it is and not as it was called", async () => {
    const { host } = await registry.world.add("sound");
    const claims = { trust_ring: 4, score: 100, intent_tags: ["claimed-by-a-stranger"] };
    const peers = [{ domain: host, ...claims }];
    await report(registry, stranger(), { domain: host, ...claims, gossip_peers: peers });
    const listing = await until(async () => {
      const { body } = await registry.getJson(`/api/discovery/search?q=${host}`);
      return body.results.find(({ siteId }: { siteId: string }) => siteId === host);
    });
    expect(listing).toMatchObject({ trust_ring: 3, status: "enabled" });
    expect(listing.trust_score).toBeLessThan(60);
    expect(listing.tags).not.toContain("claimed-by-a-stranger");
    for (let i = 0; i < 5; i++) {
      const { body } = await report(registry, stranger(), {});
      expect(JSON.stringify(body)).not.toContain("claimed-by-a-stranger");
    }
  });

  it("never lists invented names, nor sites at private addresses", async () => {
    const { host } = await registry.world.add("private_address");
    const hosts = [host, "router.local", "metadata.internal", ...inventedHosts(3)];
    await report(registry, stranger(), peersOf(hosts));
    // What is there and must not be reached is tried again; what does not exist is forgotten, with its token.
    await until(async () => ((await recordOf(registry, host)) ? true : undefined));
    expect(await recordOf(registry, host)).toMatchObject({
      ring: 0,
      verified_at: null,
      reason: "address_refused",
    });
    for (const name of hosts.slice(3))
      await until(async () => ((await registry.runtime.frontier.has(name)) ? undefined : true));
    for (const name of hosts.slice(3)) expect(await recordOf(registry, name)).toBeUndefined();
    await registry.settled();
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    const listed = new Set(body.listings.map(({ domain }: { domain: string }) => domain));
    expect(hosts.filter((name) => listed.has(name))).toEqual([]);
  });

  it("probes a known host at most once an hour because somebody said so", async () => {
    const { host } = registry.world.hosts[0]!;
    const before = await recordOf(registry, host);
    const requests = (await registry.world.requests(host)).length;
    for (let i = 0; i < 4; i++) await report(registry, stranger(), { domain: host });
    const due = await dueAt(registry, host);
    const earliest = Date.parse(before!.last_visit_at) + 3_600_000;
    expect(due).toBeGreaterThanOrEqual(earliest);
    expect(due).toBeLessThan(earliest + 1_000);
    expect(await registry.world.requests(host)).toHaveLength(requests);
  });

  it("brings the next visit of a host forward, and never puts it off", async () => {
    const { host } = registry.world.hosts[1]!;
    const before = (await dueAt(registry, host))!;
    await report(registry, stranger(), { domain: host });
    const after = (await dueAt(registry, host))!;
    expect(after).toBeLessThan(before);
    await report(registry, stranger(), { domain: host });
    expect(await dueAt(registry, host)).toBe(after);
  });

  it("answers with few peers, spread over owners and networks, the same for a reporter all day", async () => {
    const network = stranger();
    const { body } = await report(registry, network, {});
    expect(body.count).toBe(body.peers.length);
    expect(body.count).toBeGreaterThan(3);
    const { documents, enabled } = await (await registry.runtime.index()).stats();
    expect(documents).toBeGreaterThanOrEqual(enabled);
    expect(body.count).toBeLessThanOrEqual(mostPeers(enabled));
    const groups = new Map<string, number>();
    for (const { domain } of body.peers) {
      const { address } = (await recordOf(registry, domain))!;
      for (const group of [registrableDomain(domain), address!.split(".").slice(0, 2).join(".")])
        groups.set(group, (groups.get(group) ?? 0) + 1);
    }
    expect(Math.max(...groups.values())).toBeLessThanOrEqual(2);
    for (const from of [network, network.replace(/1$/, "9")])
      expect((await report(registry, from, {})).body.peers).toEqual(body.peers);
    expect((await report(registry, stranger(), {})).body.peers).not.toEqual(body.peers);
  });

  it("never names to a reporter what he named", async () => {
    const network = stranger();
    const { body } = await report(registry, network, {});
    const own = body.peers.map(({ domain }: { domain: string }) => domain).slice(0, 3);
    for (const domain of own) await report(registry, network, { domain });
    const { body: after } = await report(registry, network, {});
    const named = after.peers.map(({ domain }: { domain: string }) => domain);
    expect(named.filter((domain: string) => own.includes(domain))).toEqual([]);
  });

  it("names the same peers whether a name is listed, unknown, or over the allowance, and says which of it is so", async () => {
    const network = stranger();
    const shown = new Set(
      (await report(registry, network, {})).body.peers.map(({ domain }: { domain: string }) => domain),
    );
    const listed = registry.world.hosts.find(
      ({ host, expected }) => expected.ring === 3 && !shown.has(host),
    )!;
    const [unknown] = inventedHosts(1);
    const first = await report(registry, network, { domain: listed.host });
    const second = await report(registry, network, { domain: unknown });
    for (let i = 0; i < 5; i++) await report(registry, network, peersOf(inventedHosts(10)));
    const third = await report(registry, network, { domain: inventedHosts(1)[0] });
    const said = [first, second, third].map(({ body: { reported, ...rest } }) => ({
      state: reported.state,
      rest,
    }));
    expect(said.map(({ state }) => state)).toEqual(["visited", "queued", "not_taken"]);
    expect(said.map(({ rest }) => rest)).toEqual([said[0]!.rest, said[0]!.rest, said[0]!.rest]);
  });
});

describe("what beacons name", () => {
  let registry: TestRegistry;
  afterAll(() => registry?.stop());

  it("takes the same path: from one site all sound ones are found, and a liar's names come to nothing", async () => {
    registry = await startRegistry({
      world: { sites: 16, soundShare: 0.9, seed: 9, kinds: { lying_beacon: 1 } },
    });
    const sound = registry.world.hosts.filter(({ kind }) => kind === "sound");
    const liars = registry.world.hosts.filter(({ kind }) => kind === "lying_beacon");
    expect(liars.length).toBeGreaterThan(0);
    await registry.crawl([sound[0]!.host, ...liars.map(({ host }) => host)]);
    const listings = await until(async () => {
      const { body } = await registry.getJson("/api/discovery/registry?limit=200");
      return body.total >= registry.world.hosts.length ? body.listings : undefined;
    });
    const domains = listings.map(({ domain }: { domain: string }) => domain).sort();
    expect(domains).toEqual(registry.world.hosts.map(({ host }) => host).sort());
    for (const { trust_ring, trust_score } of listings) {
      expect(trust_ring).toBe(3);
      expect(trust_score).toBeLessThan(60);
    }
    const { runtime } = registry;
    const group = siteGroup(runtime.identity.secret, liars[0]!.host);
    const liar = (await runtime.broker.buckets.gossip_reports.get(reporterKey(group)))!.json<{
      reported: string[];
    }>();
    expect(liar.reported.length).toBeGreaterThan(0);
    expect(liar.reported.length).toBeLessThanOrEqual(10);
  });
});

describe("a reported site", () => {
  let registry: TestRegistry;
  const reported = async (domain: string) => (await report(registry, stranger(), { domain })).body.reported;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 3, soundShare: 1 },
      roles: ["gossip", "crawler", "indexer", "provider"],
    });
  });
  afterAll(() => registry?.stop());

  it("is said to be queued, and its verdict shows the checks of the look that found nothing", async () => {
    const { host } = await registry.world.add("no_document");
    await registry.world.set(host, { txt: "none" });
    const said = await reported(host);
    expect(said).toMatchObject({ domain: host, state: "queued", last_visit_at: null });
    expect(said.verdict_url).toBe(`${registry.url}/api/registry/sites/${host}`);
    const verdict = await until(async () => {
      const { body } = await registry.getJson(`/api/registry/sites/${host}`);
      return body.state === "unknown" ? undefined : body;
    });
    expect(verdict).toMatchObject({ state: "disabled", listed: false, reason: "no_txt" });
    expect(verdict.checks.slice(0, 3).map(({ name, outcome }: any) => [name, outcome])).toEqual([
      ["dns", "fail"],
      ["endpoint", "pass"],
      ["document", "fail"],
    ]);
    expect(Math.abs(Date.parse(verdict.last_visit_at) - Date.now())).toBeLessThan(20_000);
    // Nothing of it is kept for the crawl: who invents names fills no record with them.
    expect(await recordOf(registry, host)).toBeUndefined();
    expect(await reported(host)).toMatchObject({ state: "visited", last_visit_at: verdict.last_visit_at });
    const again = await registry.postJson(`/api/registry/sites/${host}/recheck`, {});
    expect([again.status, again.body.code]).toEqual([404, "site_not_registered"]);
    expect(again.body.detail).toContain("no_txt");
  });

  it("is said to be visited where it was", async () => {
    const { host } = registry.world.hosts[0]!;
    await registry.crawl([host]);
    const record = await recordOf(registry, host);
    expect(await reported(host)).toMatchObject({ state: "visited", last_visit_at: record!.last_visit_at });
  });

  it("is not spoken of where a report names peers alone", async () => {
    const { body } = await report(registry, stranger(), peersOf([registry.world.hosts[0]!.host]));
    expect(body).not.toHaveProperty("reported");
    expect(body).toHaveProperty("peers");
  });
});
