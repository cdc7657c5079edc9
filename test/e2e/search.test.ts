import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

describe("search and directory over HTTP", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({ threads: true, world: { sites: 12, soundShare: 1, seed: 5 } });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  const get = async (path: string) => {
    const { status, body } = await registry.getJson(path);
    expect(status, path).toBe(200);
    return body;
  };

  it("finds a word with a typing error in it, and shows where it stands", async () => {
    const { host, words } = registry.world.hosts[0]!;
    const [first, second, ...rest] = words.description;
    const typed = `${first}${rest[0]}${second}${rest.slice(1).join("")}`;
    const body = await get(`/api/discovery/search?highlight=true&q=${encodeURIComponent(typed)}`);
    const found = body.results.find(({ siteId }: { siteId: string }) => siteId === host);
    expect(found.highlight.description).toContain("<mark>");
    expect(body.also_searched.length).toBeGreaterThan(0);
    expect(await get(`/api/bridge/search?as_typed=true&q=${encodeURIComponent(typed)}`)).toMatchObject({
      total: 0,
      results: [],
    });
  });

  it("counts by category what a listing of that category then holds", async () => {
    const { facets, total } = await get("/api/discovery/registry?facets=category,ring&limit=1");
    const sum = facets.category.reduce((all: number, { count }: { count: number }) => all + count, 0);
    expect(sum).toBe(total);
    for (const { value, count } of facets.category)
      expect((await get(`/api/discovery/registry?category=${encodeURIComponent(value)}`)).total).toBe(count);
  });

  it("looks a domain up, and answers 304 to who has the answer already", async () => {
    const path = `/api/discovery/registry?domain=${registry.world.hosts[1]!.host.toUpperCase()}`;
    const { body, headers } = await registry.getJson(path);
    expect(body.listings.map(({ domain }: { domain: string }) => domain)).toEqual([
      registry.world.hosts[1]!.host,
    ]);
    const again = await fetch(registry.url + path, {
      headers: { "if-none-match": headers.get("etag")! },
    });
    expect(again.status).toBe(304);
  });

  it("tells a copy of the directory what came and what went", async () => {
    const first = await get("/api/discovery/registry?updated_since=2020-01-01T00:00:00Z&limit=200");
    expect(first.listings).toHaveLength(12);
    expect(first.removed).toEqual([]);
    const gone = registry.world.hosts[2]!.host;
    await registry.runtime.sites.remove(hostKey(gone));
    await registry.settled();
    const next = await get(`/api/discovery/registry?updated_since=${first.updated_until}&limit=200`);
    expect(next.removed.map(({ domain }: { domain: string }) => domain)).toEqual([gone]);
    expect(Date.parse(next.updated_until)).toBeGreaterThan(Date.parse(first.updated_until));
  });
});
