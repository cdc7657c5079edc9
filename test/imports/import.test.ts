import type { ServerResponse } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/ports/time.ts";
import { blockKey } from "../../src/stores/block-list.ts";
import { cleanUp } from "../faults/programs.ts";
import { importKilledThreeTimes } from "./killed.ts";
import { listed, remote, serveRegistry, type Version } from "./registry-server.ts";
import { asOfficial, openImporter } from "./support.ts";

afterAll(cleanUp);

const server = (at: number, host = `s${at}.owner${at}.test`): Version => ({
  name: `test.owner${at}/server`,
  remotes: remote(`https://${host}/mcp`),
});
const servers = (count: number, from = 0): Version[] =>
  Array.from({ length: count }, (_, i) => server(from + i));
const onPlatform = (each: Version): Version => ({
  ...each,
  remotes: remote("https://mcp.platform.test/mcp"),
});
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** An importer and a registry whose entries it has taken. */
async function imported(versions: Version[], caps?: Parameters<typeof openImporter>[0]) {
  const importer = await openImporter(caps);
  const registry = await serveRegistry(versions);
  const source = importer.registry(registry.url);
  const first = await importer.run(source);
  const idsOf = async (host: string) => (await importer.claims.claimsOf(host)).map(({ id }) => id);
  return { ...importer, registry, first, again: () => importer.run(source), idsOf };
}

describe("an import", () => {
  it(
    "is complete after three deaths, at the cost of a page each",
    () => importKilledThreeTimes(2_000),
    120_000,
  );

  it("has each host visited, says known the second time, and asks then for what changed", async () => {
    const { first, again, tokens, registry } = await imported([...servers(3), { name: "test.local/only" }]);
    expect(first).toMatchObject({
      outcomes: { new: 3, refused: 1 },
      refused: { no_remote: 1 },
      trouble: null,
    });
    expect([...(await tokens()).keys()].sort()).toEqual([
      "s0.owner0.test",
      "s1.owner1.test",
      "s2.owner2.test",
    ]);
    for (const each of registry.versions) each.updatedAt = inAnHour();
    registry.versions.push(server(3));
    expect((await again()).outcomes).toEqual({ changed: 3, refused: 1 });
    expect((await again()).outcomes).toEqual({ known: 3, refused: 1 });
    expect(registry.asked.map((query) => query.has("updated_since"))).toEqual([false, true, true]);
  });

  it("follows an entry to another host, and takes it away where it has no address any more, or is deleted", async () => {
    const { again, idsOf, registry } = await imported(servers(3));
    registry.versions[0] = { ...server(0, "moved.owner0.test"), updatedAt: inAnHour() };
    registry.versions[1] = { name: "test.owner1/server", updatedAt: inAnHour() };
    registry.versions[2] = { ...server(2), status: "deleted", updatedAt: inAnHour() };
    expect((await again()).outcomes).toEqual({ changed: 1, refused: 1, deleted: 1 });
    const hosts = ["s0.owner0.test", "moved.owner0.test", "s1.owner1.test", "s2.owner2.test"];
    expect(await Promise.all(hosts.map(idsOf))).toEqual([[], ["test.owner0/server"], [], []]);
  });

  it("counts the newest version of a name alone", async () => {
    const { again, first, idsOf, registry } = await imported([
      { ...server(0), updatedAt: "2026-11-20T00:00:00Z" },
    ]);
    registry.instead = (_, response) => {
      const old = { ...server(0, "old.owner0.test"), updatedAt: "2026-11-01T00:00:00Z" };
      const replaced = { ...server(0, "older.owner0.test"), isLatest: false };
      response.end(JSON.stringify({ servers: [listed(old), listed(replaced)] }));
      return true;
    };
    expect([first.outcomes, (await again()).outcomes]).toEqual([{ new: 1 }, { older: 2 }]);
    expect([await idsOf("s0.owner0.test"), await idsOf("old.owner0.test")]).toEqual([
      ["test.owner0/server"],
      [],
    ]);
  });

  it("takes no host that an operator blocked", async () => {
    const { run, registry, blocks, tokens } = await openImporter();
    const block = {
      v: 1,
      host: "s1.owner1.test",
      why: "phishing",
      at: new Date().toISOString(),
      by: "operator",
    } as const;
    await blocks.put(blockKey("s1.owner1.test"), block);
    const { url } = await serveRegistry(servers(2));
    expect(await run(registry(url))).toMatchObject({
      outcomes: { new: 1, refused: 1 },
      refused: { blocked: 1 },
    });
    expect([...(await tokens()).keys()]).toEqual(["s0.owner0.test"]);
  });

  it("leaves what is over a domain's cap to later days, and takes it then", async () => {
    const ofOne = Array.from({ length: 5 }, (_, i) => ({ ...server(i, `s${i}.many.test`) }));
    const { first, again, later } = await imported([...ofOne, server(9)], { domain: 2, day: 100 });
    expect([first.outcomes, first.refused]).toEqual([{ new: 3, refused: 3 }, { over_domain_cap: 3 }]);
    // Of the same day only what changed is asked for.
    expect((await again()).outcomes).toEqual({});
    const days = [];
    for (let day = 1; day <= 3; day++) {
      later.ms = day * DAY_MS;
      days.push((await again()).outcomes);
    }
    expect(days).toEqual([{ new: 2, known: 3, refused: 1 }, { new: 1, known: 5 }, {}]);
  });

  it("stops at a day's cap, and goes on there the next day", async () => {
    const { first, again, later } = await imported(servers(8), { domain: 50, day: 5 });
    expect(first).toMatchObject({ cursor: "", trouble: expect.stringContaining("tomorrow") });
    expect((await again()).taken.entries).toBe(5);
    later.ms = DAY_MS;
    expect(await again()).toMatchObject({ cursor: null, trouble: null, outcomes: { new: 8 } });
  });

  it("keeps fifty claims of a host at most: ten of one registry, and the official one's before them", async () => {
    const { run, registry, claims } = await openImporter({ domain: 1_000, day: 1_000 });
    const other = registry((await serveRegistry(servers(60).map(onPlatform))).url);
    expect((await run(other)).outcomes).toEqual({ new: 10, refused: 50 });
    const { outcomes, refused } = await run(asOfficial(other));
    const kept = await claims.claimsOf("mcp.platform.test");
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.length).toBeLessThanOrEqual(50);
    const own = kept.length - 10;
    expect([outcomes, refused]).toEqual([{ new: own, refused: 60 - own }, { over_host_cap: 60 - own }]);
    expect(kept.findIndex(({ source }) => source !== "mcp-registry")).toBe(own);
  });
});

const json = (response: ServerResponse, value: unknown): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

it("a registry that knows a cursor no more is read from its first page again", async () => {
  const { registry, run } = await openImporter();
  const server = await serveRegistry(servers(150));
  server.instead = (request, response, nth) => {
    const isSecond = request.url!.includes("cursor") && nth <= 6;
    if (isSecond) response.writeHead(nth === 2 ? 503 : 400, { "retry-after": "3600" }).end();
    return isSecond;
  };
  const source = registry(server.url);
  expect(await run(source)).toMatchObject({
    outcomes: { new: 100 },
    trouble: expect.stringContaining("503"),
  });
  expect(await run(source)).toMatchObject({ cursor: null, trouble: expect.stringContaining("400") });
  server.instead = undefined;
  expect(await run(source)).toMatchObject({ outcomes: { new: 50, known: 100 }, trouble: null });
});

it("a page of more than four mebibytes is asked for in parts", async () => {
  const { registry, run } = await openImporter();
  const server = await serveRegistry(
    servers(100).map((each) => ({ ...each, description: "a".repeat(50_000) })),
  );
  expect(await run(registry(server.url))).toMatchObject({ pages: 3, outcomes: { new: 100 }, trouble: null });
});

describe("a registry that misbehaves gains and loses nothing: one that", () => {
  it.each<[string, (response: ServerResponse, nth: number) => void, RegExp, requests: number]>([
    [
      "answers HTML",
      (response) => void response.end("<!doctype html>"),
      /is this the address of an MCP registry/,
      1,
    ],
    ["answers a list of another form", (response) => json(response, [1, 2]), /is this the address/, 1],
    ["has no such address", (response) => void response.writeHead(404).end(), /answered 404/, 1],
    ["fails for long", (response) => void response.writeHead(500).end(), /answered 500/, 4],
    [
      "is busy until tomorrow",
      (response) => void response.writeHead(429, { "retry-after": "86400" }).end(),
      /429 and asks to come back later/,
      1,
    ],
    [
      "sends us elsewhere",
      (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/v0.1/servers" }).end(),
      /was not read/,
      1,
    ],
    ["never ends its answer", (response) => endless(response), /was not read/, 2],
    [
      "answers four million brackets",
      (response) => void response.end(`{"servers":[${"[".repeat(4e6)}`),
      /is this the address/,
      1,
    ],
    [
      "breaks off",
      (response) =>
        void response.writeHead(200, { "content-length": "9000" }).write("{", () => response.destroy()),
      /was not read/,
      4,
    ],
    [
      "gives thousands of entries a page",
      (response) => json(response, { servers: Array(3_000).fill({}) }),
      /more than 200 entries/,
      1,
    ],
    [
      "names the same page next for ever",
      (response, nth) => json(response, { servers: [], metadata: { nextCursor: `page-${nth % 3}` } }),
      /do not end/,
      4,
    ],
  ])("%s", async (_, answer, trouble, requests) => {
    const { again, idsOf, registry } = await imported(servers(2));
    const before = registry.asked.length;
    registry.instead = (_request, response, nth) => {
      answer(response, nth);
      return true;
    };
    expect((await again()).trouble).toMatch(trouble);
    expect(registry.asked.length - before).toBe(requests);
    registry.instead = undefined;
    registry.versions.push({ ...server(7), updatedAt: inAnHour() });
    expect(await again()).toMatchObject({ trouble: null, outcomes: { new: 1 } });
    expect(await idsOf("s1.owner1.test")).toEqual(["test.owner1/server"]);
  });

  it("asks for a pause is given it", async () => {
    const { pauses, registry, run } = await openImporter();
    const server = await serveRegistry(servers(1));
    server.instead = (_, response, nth) => {
      if (nth === 1) response.writeHead(429, { "retry-after": "7" }).end();
      return nth === 1;
    };
    expect(await run(registry(server.url))).toMatchObject({ outcomes: { new: 1 }, trouble: null });
    expect(pauses).toEqual([7_000]);
  });
});

/** Zeros without end, as fast as they are taken. */
function endless(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 16, 0x20)));
  };
  response.on("drain", write);
  write();
}
