/** What can be done is found over HTTP, from what a look at a host wrote into the store. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AgentService } from "../../schemas/agent-web.ts";
import { openPresences, type Presences } from "../../src/stores/presences.ts";
import { altered } from "../support/altered.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { presence, SEEN_AT, service, tool } from "./presences.ts";

const WITHIN_MS = 15_000;

const CLAIMED: Partial<AgentService> = {
  level: "claimed",
  observation: null,
  claimed_by: [{ source: "mcp-registry", id: "x" }],
};
const BY_WIX: Partial<AgentService> = { claimed_by: [{ source: "platform:wix", id: "/_api/mcp" }] };
const ALL_AT_ONCE = Array.from({ length: 30 }, (_, i) =>
  tool(`weather_${i}`, `Weather forecast number ${i} for a city`),
);

/** Hosts with what each publishes. */
const HOSTS: Record<string, AgentService[]> = {
  "rates.example": [
    service("rates.example", "Exchange Rates", [
      tool("convert_currency", "Convert an amount from one currency into another", {
        parameters: ["amount", "target: ISO 4217 code of the currency wanted"],
      }),
    ]),
  ],
  "rumor.example": [
    service("rumor.example", "Rumor", [tool("rumored_horoscope", "Reads a horoscope")], CLAIMED),
  ],
  "flood.example": [service("flood.example", "Flood", ALL_AT_ONCE)],
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [
      `sky${i}.example`,
      [
        service(`sky${i}.example`, `Sky ${i}`, [
          tool("forecast", `Weather forecast of station ${i} for a city`),
        ]),
      ],
    ]),
  ),
  "bakery.example": [
    service("bakery.example", "Bakery", [tool("site_search", "Search products of this store")], BY_WIX),
  ],
  "florist.example": [
    service("florist.example", "Florist", [tool("site_search", "Search products of this store")], BY_WIX),
  ],
  "attack.example": [
    service("attack.example", "Attic", [
      tool("zebra_notes", "Notes on zebras", { screened: "warned" }),
      tool("(withheld)", "", { screened: "withheld" }),
    ]),
  ],
  "agent.example": [
    service("agent.example", "Translator", [], {
      protocol: "a2a",
      endpoint: "https://agent.example/a2a",
      auth: "oauth",
      description: "Translates legal contracts",
    }),
  ],
};

interface Hit {
  tool: { name: string; screened: string };
  service: { host: string; level: string; hosts: string[]; seen_at: string; seen_by: string };
  site: { state: string };
  why: string[];
  how_to_call: string;
}

describe("a search by what can be done", () => {
  let registry: TestRegistry;
  let presences: Presences;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 2 } });
    presences = openPresences(registry.runtime.broker.buckets.contents);
    for (const [host, services] of Object.entries(HOSTS)) await presences.put(presence(host, services));
    const of = Object.values(HOSTS).flat();
    const documents = of.length + of.flatMap(({ tools }) => tools).length - 2;
    await vi.waitUntil(async () => (await documentsHeld()) === documents, { timeout: WITHIN_MS });
    await vi.waitUntil(async () => (await ask("tools", "q=tea")).status === 200, { timeout: WITHIN_MS });
  });
  afterAll(() => registry?.stop());

  const documentsHeld = async () => (await (await registry.runtime.toolIndex()).stats()).documents;
  const ask = (of: "tools" | "services", query: string) => registry.getJson(`/api/registry/${of}?${query}`);
  async function tools(query: string): Promise<Hit[]> {
    const { body } = await ask("tools", query);
    return (body as { tools: Hit[] }).tools;
  }
  const hostsOf = (hits: readonly Hit[]) => hits.map((hit) => hit.service.host);

  it("finds a tool by what it does, and says why, how it is called, how well it is known and when it was seen", async () => {
    const [hit] = await tools("q=change%20money%20into%20another%20currency");
    expect(hit).toMatchObject({
      tool: { name: "convert_currency" },
      service: { host: "rates.example", level: "answers", seen_at: SEEN_AT, seen_by: "answer" },
      site: { state: "found" },
      how_to_call: expect.stringContaining("tools/call convert_currency"),
    });
    expect(hit!.why).toContain("description");
  });

  it("finds it by what it is called with", async () => {
    expect(hostsOf(await tools("q=ISO%204217"))[0]).toBe("rates.example");
  });

  it("shows what third parties alone say only where that is asked for", async () => {
    expect(hostsOf(await tools("q=horoscope"))).not.toContain("rumor.example");
    expect(hostsOf(await tools("q=horoscope&level=claimed"))[0]).toBe("rumor.example");
  });

  it("leaves room for others where one owner lists thirty of a kind", async () => {
    const first = hostsOf(await tools("q=weather%20forecast%20for%20a%20city"));
    expect(first.filter((host) => host === "flood.example").length).toBeLessThanOrEqual(5);
    expect(new Set(first).size).toBeGreaterThanOrEqual(6);
  });

  it("shows what a platform offers alike at many hosts once, with the hosts", async () => {
    const hits = (await tools("q=search%20products%20of%20this%20store")).filter(
      ({ tool }) => tool.name === "site_search",
    );
    expect(hits).toHaveLength(1);
    expect(hits[0]!.service.hosts.toSorted()).toEqual(["bakery.example", "florist.example"]);
  });

  it("marks what the firewall warned of, and finds nothing that it withholds", async () => {
    expect((await tools("q=zebra%20notes"))[0]!.tool).toMatchObject({
      name: "zebra_notes",
      screened: "warned",
    });
    expect(await tools("q=withheld&host=attack.example")).toEqual([]);
  });

  it("shows people tools and services beside sites, with the firewall's warning", async () => {
    const page = await fetch(`${registry.url}/search?q=zebra%20notes`, { headers: { accept: "text/html" } });
    const text = await page.text();
    expect(text).toContain("Tools that agents can call");
    expect(text).toMatch(/zebra_notes[\s\S]*The firewall warns of these words/);
  });

  it("finds nothing for a query that means nothing", async () => {
    expect(await tools("q=qqxzvw%20zzkrpt")).toEqual([]);
  });

  it.each([
    ["protocol=a2a", ["agent.example"]],
    ["auth=oauth", ["agent.example"]],
    ["q=contracts&payment=x402", []],
    ["by=platform", ["bakery.example", "florist.example"]],
    ["host=rates.example", ["rates.example"]],
  ])("finds services by %s", async (query, hosts) => {
    const { body } = await ask("services", query);
    const found = (body as { services: Hit[] }).services;
    expect(hostsOf(found).toSorted()).toEqual(hosts);
  });

  it("counts what matches by each facet", async () => {
    const { body } = await ask("services", "facets=true&limit=1");
    expect(body).toMatchObject({
      facets: {
        protocol: expect.arrayContaining([{ value: "a2a", count: 1 }]),
        by: expect.arrayContaining([{ value: "platform", count: 2 }]),
        is_exact: true,
      },
    });
  });

  it.each(["q=weather", ""])("gives every hit of '%s' once, page by page", async (query) => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await ask("tools", `${query}&limit=7${cursor && `&cursor=${cursor}`}`);
      const page = body as { tools: Hit[]; next_cursor: string | null };
      seen.push(...page.tools.map((hit) => `${hit.service.host} ${hit.tool.name}`));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(30);
  });

  it("refuses a cursor of another search, and one that was altered", async () => {
    const { body } = await ask("tools", "q=weather&limit=2");
    const cursor = (body as { next_cursor: string }).next_cursor;
    expect((await ask("tools", `q=currency&limit=2&cursor=${cursor}`)).body).toMatchObject({
      code: "invalid_cursor",
    });
    expect((await ask("tools", `q=weather&cursor=${altered(cursor)}`)).body).toMatchObject({
      code: "invalid_cursor",
    });
  });

  it("takes away what a host does no longer publish", async () => {
    const before = await documentsHeld();
    await presences.put(
      presence("flood.example", [service("flood.example", "Flood", ALL_AT_ONCE.slice(0, 1))]),
    );
    await presences.remove("rates.example");
    await expect.poll(documentsHeld, { timeout: WITHIN_MS }).toBe(before - 29 - 1);
    // Of a service that is gone, those who follow changes are told.
    expect(hostsOf(await tools("q=convert%20currency"))).not.toContain("rates.example");
  });
});
