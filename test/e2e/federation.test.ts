/** Two registries over one web that follow each other, and one that lies to them. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compareWith } from "../../app/cli/compare.ts";
import { compareRegistries } from "../../src/imports/compare.ts";
import { runImport } from "../../src/imports/import.ts";
import { registryPages } from "../../src/imports/registry-pages.ts";
import { openClaims } from "../../src/stores/claims.ts";
import { listed, remote, serveRegistry } from "../imports/registry-server.ts";
import { freePort } from "../support/ports.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const AGENT_SITES = 18;
const { signal } = new AbortController();

/** Takes over what another registry lists, and visits it. */
async function follow({ runtime, settled }: TestRegistry, url: string) {
  const { broker, frontier, blocks, fetcher, clock } = runtime;
  const { counters, now } = broker;
  const deps = { claims: openClaims(broker.buckets), frontier, blocks, counters, now };
  const state = await runImport(deps, registryPages(fetcher, clock, new URL(url)), { signal });
  await settled();
  return state;
}

function compare({ runtime, url }: TestRegistry, other: string) {
  const { fetcher, clock } = runtime;
  const [ours, theirs] = [url, other].map((each) => registryPages(fetcher, clock, new URL(each)));
  return compareRegistries(ours!, theirs!, signal);
}

describe("two registries that saw different hosts", () => {
  let a: TestRegistry;
  let b: TestRegistry;
  beforeAll(async () => {
    const [portA, portB] = [await freePort(), await freePort()];
    // The lying one has an address of its own in the loopback network.
    const alsoAllow = `127.0.0.0/8:*`;
    const world = { sites: AGENT_SITES, soundShare: 1, agentSites: AGENT_SITES, seed: 5 };
    a = await startRegistry({ world, alsoAllow, config: { PORT: portA } });
    b = await startRegistry({ join: a, ownPrefix: true, alsoAllow, config: { PORT: portB } });
    // Apart: each sees every other host; those that know nothing of Bridge name no others.
    const hosts = a.world.hosts.flatMap(({ host, agent }) => (agent ? [host] : []));
    await Promise.all([a, b].map((each, nth) => each.crawl(hosts.filter((_, at) => at % 2 === nth))));
  }, 240_000);
  afterAll(async () => {
    await b?.stop();
    await a?.stop();
  });

  it("say the same once each followed the other, and each of them looked for itself", async () => {
    const before = await compare(a, b.url);
    expect([before.only_ours!.count, before.only_theirs!.count]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    const alone = [...before.only_ours!.shown, ...before.only_theirs!.shown].map(({ host }) => host);
    expect(before.only_ours!.count).toBeGreaterThan(0);
    expect(before.only_theirs!.count).toBeGreaterThan(0);
    const states = [await follow(a, b.url), await follow(b, a.url)];
    for (const { trouble, refused, log } of states)
      expect([trouble, refused, log?.fault]).toEqual([null, {}, null]);
    const after = await compare(a, b.url);
    expect(after).toMatchObject({
      only_ours: { count: 0 },
      only_theirs: { count: 0 },
      differ: { shown: [] },
    });
    expect(after.same).toBe(before.same + alone.length);
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const code = await compareWith(a.config, b.url, { registry: a.url, json: false });
    const said = written.mock.calls.join("");
    written.mockRestore();
    expect([code, said]).toEqual([
      0,
      expect.stringContaining(`${after.same} the same, 0 differ, 0 only here`),
    ]);
    const asked = { query: { text: "weather" }, federation: "referrals" };
    expect((await a.postJson("/ard/search", asked)).body.referrals).toEqual([
      {
        identifier: "urn:air:127.0.0.1:bridge:registry",
        displayName: `ARD registry of ${new URL(b.url).host}`,
        type: "application/ai-registry+json",
        url: `${b.url}/ard`,
      },
    ]);
    const truth = new Map(a.world.hosts.map(({ host, agent }) => [host, agent]));
    for (const host of alone)
      for (const { getJson } of [a, b]) {
        const { body } = await getJson(`/api/registry/sites/${host}`);
        expect([host, body.level]).toEqual([host, truth.get(host)?.level]);
      }
  }, 120_000);

  it("believe nothing of one that lies: its invented sites and verdicts are on no list", async () => {
    const plain = a.world.hosts.find(({ agent }) => agent?.found === false)!.host;
    const liar = await serveRegistry([]);
    const forged = {
      level: "verified",
      site: { state: "enabled", ring: 4, conduct: "none" },
      tools_sha256: "f".repeat(64),
    };
    const lie = (host: string) => {
      const each = {
        name: `test.${host}/mcp`,
        remotes: remote(`https://${host}/mcp`),
        updatedAt: "2099-01-01T00:00:00Z",
      };
      const { server, _meta } = listed(each) as { server: object; _meta: object };
      return { server, _meta: { ..._meta, "example.liar/bridge": forged } };
    };
    liar.instead = (_, response) => {
      response.end(JSON.stringify({ servers: [lie(plain), lie("nobody.invented.example.com")] }));
      return true;
    };
    const before = (await a.getJson(`/api/registry/sites/${plain}`)).body;
    expect(await follow(a, liar.url)).toMatchObject({ outcomes: { new: 2 }, trouble: null });
    await a.crawl([plain]);
    const { state, listed: isListed, ring } = (await a.getJson(`/api/registry/sites/${plain}`)).body;
    expect([state, isListed, ring]).toEqual([before.state, before.listed, before.ring]);
    const found = await compare(a, liar.url);
    const { servers } = (await a.getJson("/v0.1/servers?include_deleted=true&limit=100")).body;
    const rumors = servers.filter(({ server }: { server: unknown }) =>
      JSON.stringify(server).includes(plain),
    );
    expect(rumors).toEqual([]);
    expect([found.only_theirs!.count, found.same, found.differ.count]).toEqual([2, 0, 0]);
    // And what it only says does not travel.
    expect((await follow(b, a.url)).outcomes.new).toBeUndefined();
    expect(await openClaims(b.runtime.broker.buckets).claimsOf(plain)).toEqual([]);
  }, 120_000);
});
