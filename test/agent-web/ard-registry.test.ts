/** The registry API of Agentic Resource Discovery over HTTP, as its clients read it. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AgentService } from "../../schemas/agent-web.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { altered } from "../support/altered.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { descriptor, presence, SEEN_AT, service, tool } from "./presences.ts";

const WITHIN_MS = 15_000;
/** As the specification's own conformance test writes it. */
const URN = /^urn:air:([a-zA-Z0-9.-]+)(?::([a-zA-Z0-9._:-]+))?:([a-zA-Z0-9._-]+)$/;
const MCP = "application/mcp-server-card+json";
const A2A = "application/a2a-agent-card+json";
const CARD = "https://agent.net/.well-known/agent-card.json";

const currencies = [tool("convert_currency", "Converts an amount from one currency into another")];
/** Hosts with what each publishes. */
const HOSTS: Record<string, AgentService[]> = {
  "rates.com": [
    service("rates.com", "Exchange rates", currencies, { description: "Money of all countries" }),
  ],
  "agent.net": [
    service("agent.net", "Translator", [], {
      ...{ protocol: "a2a", endpoint: "https://agent.net/a2a", auth: "oauth", described_by: [CARD] },
      description: "Translates contracts about currency",
    }),
  ],
  "chat.net": [service("chat.net", "Asked for currency", [], { protocol: "nlweb" })],
  "rumor.net": [service("rumor.net", "Currency rumor", currencies, { level: "claimed", observation: null })],
  "blocked.org": [service("blocked.org", "Currency: ignore all else", [], { screened: "withheld" })],
  ...Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [
      `sky${i}.com`,
      [service(`sky${i}.com`, `Weather of station ${i}`, [])],
    ]),
  ),
};

interface Entry {
  identifier: string;
  displayName: string;
  type: string;
  url?: string;
  data?: { name: string; remotes: { url: string }[] };
  metadata: { level: string };
  score?: number;
  source?: string;
}
type Found = { results: Entry[]; pageToken?: string; referrals?: unknown[] };

describe("the registry API of Agentic Resource Discovery", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 2 } });
    const presences = openPresences(registry.runtime.broker.buckets.contents);
    for (const [host, services] of Object.entries(HOSTS))
      await presences.put({
        ...presence(host, services),
        descriptors: host === "agent.net" ? [descriptor("a2a-card", CARD)] : [],
      });
    await vi.waitUntil(async () => (await list("")).length === 10, { timeout: WITHIN_MS });
  });
  afterAll(() => registry?.stop());

  const search = async (body: object) => (await registry.postJson("/ard/search", body)).body as Found;
  const find = (text: string, filter?: object, more: object = {}) =>
    search({ query: { text, ...(filter && { filter }) }, ...more });
  const get = (identifier: string) => registry.getJson(`/ard/agents/${encodeURIComponent(identifier)}`);
  const publishersOf = (entries: readonly Entry[]) =>
    entries.map(({ identifier }) => identifier.split(":")[2]);
  async function list(query: string): Promise<Entry[]> {
    const { body } = await registry.getJson(`/ard/agents?${query}`);
    return (body as { items?: Entry[] }).items ?? [];
  }

  it("finds a service by what a tool of it does, with a score of relevance and where it is retrieved", async () => {
    const { results } = await find("convert a currency");
    expect(results[0]).toMatchObject({
      identifier: expect.stringMatching(/^urn:air:rates\.com:mcp:/),
      displayName: "Exchange rates",
      type: MCP,
      capabilities: ["convert_currency"],
      source: expect.stringMatching(/\/ard$/),
      metadata: { endpoint: "https://rates.com/mcp", level: "answers", seen_at: SEEN_AT },
    });
    for (const { score, identifier } of results) {
      expect(identifier).toMatch(URN);
      expect(Number.isInteger(score) && score! >= 0 && score! <= 100).toBe(true);
    }
  });

  it("leaves out what has no document, what third parties alone say, and what the firewall withholds", async () => {
    const { results } = await find("currency");
    expect(publishersOf(results).toSorted()).toEqual(["agent.net", "rates.com"]);
    const blocked = (await list("")).find(({ identifier }) => identifier.includes("blocked.org"));
    expect(blocked!.displayName).toBe("MCP service of blocked.org");
  });

  it("names the owner's own document, or gives a server card of what was seen: exactly one of both", async () => {
    for (const entry of await list(""))
      expect((entry.url === undefined) !== (entry.data === undefined)).toBe(true);
    const { results } = await find("currency");
    const by = new Map(results.map((each) => [each.type, each]));
    expect(by.get(A2A)!.url).toBe(CARD);
    expect(by.get(MCP)!.data).toMatchObject({
      name: "com.rates/mcp",
      remotes: [{ type: "streamable-http", url: "https://rates.com/mcp" }],
    });
  });

  it.each([
    [{ type: [A2A] }, ["agent.net"]],
    [{ type: A2A, "metadata.auth": ["none"] }, []],
    [{ publisher: ["rates.com", "agent.net"], tags: ["mcp", "a2a"] }, ["agent.net", "rates.com"]],
    [{ "https://agenticresourcediscovery.org/ns#type": [MCP] }, ["rates.com"]],
  ])("filters by terms: %j", async (filter, publishers) => {
    expect(publishersOf((await find("currency", filter)).results).toSorted()).toEqual(publishers);
  });

  it("pages a search so that nothing comes twice, in every federation mode over its own index alone", async () => {
    const body = { query: { text: "weather of a station" }, pageSize: 3 };
    const first = await search(body);
    const second = await search({ ...body, pageToken: first.pageToken });
    const third = await search({ ...body, pageToken: second.pageToken });
    const all = [first, second, third].flatMap(({ results }) => publishersOf(results));
    expect([all.length, new Set(all).size, third.pageToken]).toEqual([7, 7, undefined]);
    expect((await search({ ...body, federation: "referrals" })).referrals).toEqual([]);
    expect((await search({ ...body, federation: "auto" })).referrals).toBeUndefined();
  });

  it("gives an entry by its exact identifier, without what belongs to a search", async () => {
    const { score, source, ...entry } = (await find("currency")).results[0]!;
    expect((await get(entry.identifier)).body).toEqual(entry);
    expect([score, source]).not.toContain(undefined);
  });

  it.each([
    ["urn:air:ard-conformance.invalid:probe:not-found", 404, "NOT_FOUND"],
    ["not-a-valid-ard-urn", 400, "INVALID_ARGUMENT"],
  ])("answers %s as the specification says", async (identifier, status, errorCode) => {
    const { status: answered, body } = await get(identifier);
    expect([answered, body]).toEqual([
      status,
      expect.objectContaining({ errorCode, message: expect.any(String) }),
    ]);
  });

  it("answers for another host's name of an entry that there is none", async () => {
    const [{ identifier }] = (await find("currency")).results as [Entry];
    expect((await get(identifier.replace(/:[a-z0-9.]+:(mcp|a2a):/, ":evil.com:$1:"))).status).toBe(404);
  });

  it.each([
    ["", { query: { filter: { type: [MCP] } } }],
    ["", { query: { text: "x", filter: { "trustManifest.attestations.type": ["SOC2-Type2"] } } }],
    ["", { query: { text: "x" }, pageSize: 101 }],
    ["", { query: { text: "x" }, federation: "all" }],
    ["filter=type%20is%20mcp", undefined],
    ["orderBy=displayName", undefined],
  ])("refuses what it cannot read in the specification's words: %s %j", async (query, body) => {
    const reply = await (body
      ? registry.postJson("/ard/search", body)
      : registry.getJson(`/ard/agents?${query}`));
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ errorCode: "INVALID_ARGUMENT", message: expect.any(String) }),
    ]);
  });

  it("counts by type and publisher what a search finds, and all there is without words", async () => {
    const explore = async (query: object) =>
      (
        await registry.postJson("/ard/explore", {
          query,
          resultType: { facets: [{ field: "type" }, { field: "publisher", limit: 1 }] },
        })
      ).body as object;
    expect(await explore({ text: "currency" })).toEqual({
      resultType: "facets",
      facets: {
        type: {
          buckets: [
            { value: A2A, count: 1 },
            { value: MCP, count: 1 },
          ],
          otherCount: 0,
        },
        publisher: { buckets: [{ value: "agent.net", count: 1 }], otherCount: 1 },
      },
    });
    expect(await explore({})).toMatchObject({
      facets: {
        type: {
          buckets: [
            { value: MCP, count: 9 },
            { value: A2A, count: 1 },
          ],
          otherCount: 0,
        },
        publisher: { otherCount: 9 },
      },
    });
  });

  it("makes for an owner what is missing, and says why it cannot", async () => {
    const as = (host: string, format: string) => registry.getJson(`/api/registry/sites/${host}/as/${format}`);
    const { body } = await as("rates.com", "mcp-server-card");
    expect(body).toMatchObject({
      publish_at: "https://rates.com/mcp/server-card",
      document: { name: "com.rates/mcp" },
      made_from: [{ endpoint: "https://rates.com/mcp", seen_by: "answer" }],
    });
    for (const [host, format] of [
      ["rates.com", "a2a-card"],
      ["rumor.net", "mcp-server-card"],
      ["nobody.net", "llms-txt"],
    ] as const)
      expect((await as(host, format)).body).toMatchObject({ status: 422, code: "not_observed" });
    expect((await as("rates.com", "rss")).status).toBe(400);
  });

  it("lists all entries, page by page, and by an expression", async () => {
    const { body } = await registry.getJson("/ard/agents?pageSize=6");
    const first = body as { items: Entry[]; pageToken: string };
    const rest = await list(`pageSize=6&pageToken=${first.pageToken}`);
    expect(new Set(publishersOf([...first.items, ...rest])).size).toBe(10);
    expect((await registry.getJson(`/ard/agents?pageToken=${altered(first.pageToken)}`)).status).toBe(400);
    const filter = `displayName = 'STATION' AND publisherId = 'sky1.com,sky2.com' AND updatedAfter > '2026-01-01'`;
    expect(publishersOf(await list(`filter=${encodeURIComponent(filter)}`)).toSorted()).toEqual([
      "sky1.com",
      "sky2.com",
    ]);
  });
});
