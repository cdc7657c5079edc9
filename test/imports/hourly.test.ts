import pino from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { HOUR_MS } from "../../src/ports/time.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { startImports } from "../../workers/crawler/imports.ts";
import { fetcherFor } from "../adapters/http/support.ts";
import { remote, serveRegistry } from "./registry-server.ts";
import { openImporter } from "./support.ts";

it("a crawler reads what changed at its registry every hour, of several crawlers one, whichever other does not answer", async () => {
  const silent = await serveRegistry([]);
  silent.instead = () => true;
  const registry = await serveRegistry([{ name: "a/0", remotes: remote("https://a.test/mcp") }]);
  const { broker, frontier, blocks, later, claims } = await openImporter();
  let looks = 0;
  const wakers: (() => void)[] = [];
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      looks++;
      wakers.push(resolve);
      signal?.addEventListener("abort", () => resolve());
    });
  const looked = (times: number) => vi.waitFor(() => expect(looks).toBe(times), { timeout: 15_000 });
  const wake = () => wakers.splice(0).forEach((each) => void each());
  const moved = Object.create(broker, { now: { value: () => broker.now() + later.ms } });
  const config = readConfig({ BRIDGE_IMPORT_FROM: `${silent.url},${registry.url}` });
  const clock = { now: Date.now, monotonicMs: () => performance.now(), sleep };
  const log = pino({ level: "silent" });
  const start = () =>
    startImports({ broker: moved, frontier, blocks, fetcher: fetcherFor({}), clock, log, config });
  const crawlers = [start(), start()];
  onTestFinished(async () => {
    for (const crawler of crawlers) await crawler.drain();
  });
  await looked(2);
  expect(registry.asked.length).toBe(1);
  registry.versions.push({
    name: "a/1",
    remotes: remote("https://b.test/mcp"),
    updatedAt: new Date().toISOString(),
  });
  wake();
  await looked(4);
  expect(registry.asked.length).toBe(1);
  later.ms = HOUR_MS + 1_000;
  wake();
  await looked(6);
  expect(registry.asked.map((query) => query.has("updated_since"))).toEqual([false, true]);
  expect(await claims.claimsOf("b.test")).toHaveLength(1);
});
