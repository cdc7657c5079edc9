import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createFetcher } from "../../src/adapters/http/fetcher.ts";
import { isProbeDue, probeMcp } from "../../src/agent-web/probe/probe.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import { parseAllowances } from "../../src/domain/names/address.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { answerAs, ENDPOINTS } from "../../world/agent-web/endpoints.ts";
import { evaluateEndpoints } from "../eval/agent-web/endpoints.ts";
import { dataFile } from "../support/data.ts";
import { watchTurns } from "../support/turns.ts";

const START = Date.UTC(2026, 0, 1);
const methods: string[] = [];
const allowed = parseAllowances("127.0.0.0/8:*");
const fetcher = createFetcher({
  resolver: { addresses: () => Promise.reject(new Error("no name is asked for")) } as never,
  clock: systemClock,
  userAgent: "test",
  allow: allowed.ok ? allowed.allowances : [],
});
let serving = "";
const server = createServer((request, response) => {
  void answerAs(serving, request, response, (method) => methods.push(method)).catch(() => response.destroy());
});
let endpoint = "";

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  await pages.close();
  await fetcher.close();
  server.closeAllConnections();
  server.close();
});

const pages = openPageReading(8);
const BASE = { now: () => START, reading: pages };

function probe(name: string, more: Partial<Parameters<typeof probeMcp>[2]> = {}) {
  serving = name;
  return probeMcp(fetcher, endpoint, { ...BASE, timeoutMs: 3_000, ...more });
}

describe("an endpoint", () => {
  it.each(Object.entries(ENDPOINTS))("is told for what it is: %s", async (name, { told }) => {
    const { observation, tools } = await probe(name);
    expect(observation).toMatchObject({ class: told });
    expect(tools.length).toBeLessThanOrEqual(500);
    for (const tool of tools) expect(tool.name.length).toBeLessThanOrEqual(200);
  });

  it("is never asked to do anything", () => {
    expect(new Set(methods)).toEqual(
      new Set(["server/discover", "initialize", "notifications/initialized", "tools/list"]),
    );
  });

  it("that leaves its streams open is read to the end of each answer", async () => {
    expect((await probe("stream that stays open")).tools).toMatchObject([{ name: "search", effect: "read" }]);
  });

  it.each(["60,000 tools", "20,000 events that answer nothing", "name of 1 MB"])(
    "takes no turn of 50 ms by %s",
    async (name) => {
      await probe(name);
      const turnsMs: number[] = [];
      for (let times = 0; times < 3; times++) {
        const longest = watchTurns();
        await probe(name, { timeoutMs: 15_000 });
        turnsMs.push(longest());
      }
      expect(Math.min(...turnsMs), `longest turns of each time: ${turnsMs}`).toBeLessThan(50);
    },
    60_000,
  );

  it("whose answer nobody could read is not judged by it", async () => {
    const reading = { mcpAnswer: async () => undefined, mcpTools: async () => undefined };
    const { observation } = await probe("60,000 tools", { reading });
    expect(observation).toMatchObject({ class: "open", detail: expect.stringContaining("too long to read") });
  });

  it("with placeholders in its address is not asked", async () => {
    const before = methods.length;
    const { observation } = await probeMcp(fetcher, `${endpoint}/{tenant}`, BASE);
    expect(observation.class).toBe("template_url");
    expect(methods.length).toBe(before);
  });

  it("is dead after three failures over two days, and no sooner", async () => {
    const first = await probe("closed connection");
    const second = await probe("closed connection", { failing: first.failing, now: () => START + DAY_MS });
    const hasty = await probe("closed connection", { failing: second.failing, now: () => START + DAY_MS });
    const third = await probe("closed connection", {
      failing: second.failing,
      now: () => START + 2 * DAY_MS,
    });
    const classes = [first, second, hasty, third].map(({ observation }) => observation.class);
    expect(classes).toEqual(["unknown", "unknown", "unknown", "dead"]);
  });

  it("that lists other tools than before is said to", async () => {
    const before = await probe("tools that change");
    const after = await probe("tools that change", { previous: before.observation });
    expect(after.observation.detail).toContain("others than before");
  });

  it("that gives orders to who reads its tools is not shown doing so", async () => {
    const { tools } = await probe("orders in a description");
    expect(tools).toMatchObject([{ name: "add", screened: "withheld", description: "" }]);
  });

  it("is spoken to once a day", async () => {
    const { observation } = await probe("429");
    expect(isProbeDue(null, START)).toBe(true);
    expect(isProbeDue(observation, START + DAY_MS - 1)).toBe(false);
    expect(isProbeDue(observation, START + DAY_MS)).toBe(true);
  });

  it("of recorded behavior is told in .97 of cases, and none that lives is told dead", async (context) => {
    const file = dataFile("agent-web-2/mcp-endpoints/behaviours.jsonl");
    if (file === undefined) return context.skip("no recorded endpoints: set BRIDGE_DATA_DIR");
    const figures = await evaluateEndpoints(file.replace("/mcp-endpoints/behaviours.jsonl", ""));
    expect(figures.class_accuracy).toBeGreaterThanOrEqual(0.97);
    expect(figures).toMatchObject({ false_dead: 0, crashed: 0 });
  }, 60_000);
});
