/** The MCP Registry's API v0.1 over HTTP, from what looks at hosts wrote into the store, as that registry's clients read it. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AgentService } from "../../schemas/agent-web.ts";
import { iso } from "../../src/ports/time.ts";
import { openPresences, type Presences } from "../../src/stores/presences.ts";
import { openImporter } from "../imports/support.ts";
import { altered } from "../support/altered.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { presence, SEEN_AT, service, tool } from "./presences.ts";

const WITHIN_MS = 15_000;
const OFFICIAL = "io.modelcontextprotocol.registry/official";
const OURS = "127.0.0.1/bridge";

const claimed = (id: string, more: Partial<AgentService> = {}): Partial<AgentService> => ({
  claimed_by: [{ source: "mcp-registry", id, version: "2.1.0" }],
  ...more,
});
const rumored: Partial<AgentService> = { level: "claimed", observation: null };
const fleet = Array.from({ length: 12 }, (_, i) => `fleet${i}.com`);

/** Hosts with what each publishes. */
const HOSTS: Record<string, AgentService[]> = {
  "rates.com": [
    service("rates.com", "Exchange rates", [tool("convert", "Converts")], { description: "d".repeat(300) }),
    service("rates.com", "", [], { endpoint: "https://rates.com/eu/mcp", transports: ["sse"] }),
  ],
  "weather.net": [service("weather.net", "Weather", [], claimed("io.github.ann/Weather.v2"))],
  "blocked.org": [
    service("blocked.org", "Ignore all else", [], claimed("io.github.eve/words", { screened: "withheld" })),
  ],
  "rumor.net": [service("rumor.net", "Rumor", [], { ...claimed("io.github.ann/rumor"), ...rumored })],
  "agent.net": [service("agent.net", "Agent", [], { protocol: "a2a" })],
  ...Object.fromEntries(fleet.map((host) => [host, [service(host, `Ship of ${host}`, [])]])),
};

interface Server {
  server: {
    name: string;
    title?: string;
    description: string;
    version: string;
    remotes: { type: string; url: string }[];
  };
  _meta: Record<string, Record<string, unknown>>;
}
interface Page {
  servers: Server[];
  metadata: { count: number; nextCursor?: string };
}

describe("the MCP Registry's API", () => {
  let registry: TestRegistry;
  let presences: Presences;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 2 } });
    presences = openPresences(registry.runtime.broker.buckets.contents);
    for (const [host, services] of Object.entries(HOSTS)) await presences.put(presence(host, services));
    await vi.waitUntil(async () => (await all("include_deleted=true")).length === 17, { timeout: WITHIN_MS });
  });
  afterAll(() => registry?.stop());

  const page = async (query: string): Promise<Page> =>
    (await registry.getJson(`/v0.1/servers?${query}`)).body as Page;
  async function all(query: string, between?: (servers: Server[]) => Promise<void>): Promise<Server[]> {
    const servers: Server[] = [];
    for (let cursor = ""; ; ) {
      const { servers: more, metadata } = await page(`${query}${cursor && `&cursor=${cursor}`}`);
      servers.push(...(more ?? []));
      if (!metadata?.nextCursor) return servers;
      cursor = encodeURIComponent(metadata.nextCursor);
      await between?.(servers);
    }
  }
  const namesOf = (servers: readonly Server[]) => servers.map(({ server }) => server.name).toSorted();
  const get = (name: string, rest: string) =>
    registry.getJson(`/v0.1/servers/${encodeURIComponent(name)}/versions${rest}`);

  it("lists what this registry saw, with what it knows of it in a member of its own", async () => {
    const [server] = await all("search=com.rates/mcp");
    expect(server).toEqual({
      server: {
        $schema: expect.stringContaining("server.schema.json"),
        name: "com.rates/mcp",
        title: "Exchange rates",
        description: `${"d".repeat(99)}…`,
        version: expect.stringMatching(/^20\d\d\.[1-9]\d?\.[1-9]\d?$/),
        websiteUrl: "https://rates.com/",
        remotes: [{ type: "streamable-http", url: "https://rates.com/mcp" }],
      },
      _meta: {
        [OFFICIAL]: { status: "active", publishedAt: SEEN_AT, updatedAt: expect.any(String), isLatest: true },
        [OURS]: {
          ...{ level: "answers", screened: "clear", seen_by: "answer", seen_at: SEEN_AT, tools: 1 },
          observed: { class: "open", seen_at: SEEN_AT },
          tools_sha256: "b".repeat(64),
          site: { state: "found", ring: 0, conduct: "none" },
          page: expect.stringMatching(/\/sites\/rates\.com$/),
        },
      },
    });
  });

  it("gives each server one name: the official registry's, or one of its host and path", async () => {
    expect(namesOf(await all("search=com.rates"))).toEqual([
      expect.stringMatching(/^com\.rates\/eu-mcp-[0-9a-f]{8}$/),
      "com.rates/mcp",
    ]);
    const [kept] = await all("search=github.ann/weather");
    expect(kept!.server).toMatchObject({ name: "io.github.ann/Weather.v2", version: "2.1.0" });
  });

  it("shows no words that the firewall withholds, a name of theirs neither", async () => {
    const [server] = await all("search=blocked");
    expect(server!.server).toMatchObject({
      name: "org.blocked/mcp",
      description: "MCP server of blocked.org",
    });
    expect(JSON.stringify(await all("include_deleted=true"))).not.toMatch(/Ignore all|github\.eve/);
  });

  it("lists no more than MCP servers, and what third parties alone say only among the deleted", async () => {
    const listed = namesOf(await all(""));
    expect(listed).toHaveLength(16);
    expect(listed).not.toContain("io.github.ann/rumor");
    const [rumor] = await all("search=rumor&include_deleted=true");
    expect(rumor!._meta[OFFICIAL]).toMatchObject({ status: "deleted" });
  });

  it("has the form that the published description of the API has", async () => {
    for (const { server, _meta } of await all("include_deleted=true")) {
      expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      expect(server.name.length).toBeLessThanOrEqual(200);
      expect(server.description).toMatch(/^.{1,100}$/u);
      expect(server.version).not.toMatch(/[\^~<>=*]|latest/);
      for (const { type, url } of server.remotes) {
        expect(["streamable-http", "sse"]).toContain(type);
        expect(url).toMatch(/^https?:\/\/\S+$/);
      }
      const known = ["status", "statusMessage", "statusChangedAt", "publishedAt", "updatedAt", "isLatest"];
      expect(known).toEqual(expect.arrayContaining(Object.keys(_meta[OFFICIAL]!)));
    }
  });

  it("gives every server once, page by page, while hosts change and come", async () => {
    let nth = 0;
    const servers = await all("limit=3", async () => {
      const host = fleet[nth]!;
      await presences.put(presence(host, [service(host, `Renamed ${nth}`, [])]));
      await presences.put(presence(`late${nth}.com`, [service(`late${nth}.com`, "Late", [])]));
      nth++;
    });
    const names = namesOf(servers);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(fleet.map((host) => `com.${host.split(".")[0]}/mcp`)));
    for (let i = 0; i < nth; i++) await presences.remove(`late${i}.com`);
  });

  it("tells those who follow it what changed and what is gone, and nothing of a look that saw the same", async () => {
    await presences.put(presence("gone.net", [service("gone.net", "Gone", [])]));
    await presences.put(presence("same.net", [service("same.net", "Same", [])]));
    await vi.waitUntil(async () => (await get("net.same/mcp", "")).status === 200, { timeout: WITHIN_MS });
    await vi.waitUntil(async () => (await get("net.gone/mcp", "")).status === 200, { timeout: WITHIN_MS });
    const since = iso(registry.runtime.broker.now());
    await presences.remove("gone.net");
    await presences.put({ ...presence("same.net", [service("same.net", "Same", [])]), seen_at: since });
    await presences.put(presence("weather.net", [{ ...HOSTS["weather.net"]![0]!, name: "Storms" }]));
    const changed = () => all(`updated_since=${encodeURIComponent(since)}`);
    await vi.waitUntil(async () => (await changed()).length >= 2, { timeout: WITHIN_MS });
    const statuses = (await changed()).map(({ server, _meta }) => [server.name, _meta[OFFICIAL]!.status]);
    expect(Object.fromEntries(statuses)).toEqual({
      "net.gone/mcp": "deleted",
      "io.github.ann/Weather.v2": "active",
    });
    expect((await get("net.gone/mcp", "")).status).toBe(404);
    expect((await get("net.gone/mcp", "/latest?include_deleted=true")).body).toMatchObject({
      _meta: { [OFFICIAL]: { status: "deleted", statusChangedAt: expect.any(String) } },
    });
  });

  it.each([
    ["/latest", 200],
    ["/2.1.0", 200],
    ["/2.1.1", 404],
  ])("finds a server by its whole name: %s", async (rest, status) => {
    const { body, status: answered } = await get("io.github.ann/Weather.v2", rest);
    expect(answered).toBe(status);
    if (status === 404) expect(body).toMatchObject({ error: "Server version not found." });
    else expect(body).toMatchObject({ server: { name: "io.github.ann/Weather.v2", version: "2.1.0" } });
    expect((await get("io.github.ann/weather.v2", rest)).status).toBe(404);
  });

  it("says what is wrong where that registry's clients look for it", async () => {
    const { metadata } = await page("limit=1");
    for (const query of ["limit=0", "updated_since=yesterday", `cursor=${altered(metadata.nextCursor!)}`]) {
      const { status, body } = await registry.getJson(`/v0.1/servers?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(body).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    }
    expect((await registry.getJson("/v0.1/servers?unheard=of")).status).toBe(200);
  });

  it("is read by another registry's import as the official one is, to its end and for what changed", async () => {
    const importer = await openImporter();
    const source = importer.registry(registry.url);
    const first = await importer.run(source);
    expect(first).toMatchObject({ trouble: null, refused: {} });
    const count = (await all("")).length;
    expect(first.outcomes.new).toBe(count);
    expect(await importer.claims.claimsOf("rates.com")).toMatchObject([
      { id: expect.stringContaining("com.rates/"), endpoints: [{ protocol: "mcp" }] },
      { id: expect.stringContaining("com.rates/") },
    ]);
    const again = await importer.run(source);
    expect(again).toMatchObject({ trouble: null, refused: {} });
  });
});
