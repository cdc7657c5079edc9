import pino from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { startImports } from "../../workers/crawler/imports.ts";
import { fetcherFor } from "../adapters/http/support.ts";
import { remote, serveRegistry } from "./registry-server.ts";
import { openImporter } from "./support.ts";

it("a crawler reads what changed at its registry every hour, and of several crawlers one", async () => {
  const registry = await serveRegistry([{ name: "a/0", remotes: remote("https://a.test/mcp") }]);
  const { broker, frontier, blocks, later, claims } = await openImporter();
  let looks = 0;
  const wakers: (() => void)[] = [];
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      looks++;
      wakers.push(resolve);
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve());
    });
  const looked = (times: number) => vi.waitFor(() => expect(looks).toBe(times), { timeout: 15_000 });
  const wake = () => wakers.splice(0).forEach((each) => void each());
  const moved = Object.create(broker, { now: { value: () => broker.now() + later.ms } });
  const config = readConfig({ BRIDGE_IMPORT_FROM: registry.url });
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

it("a registry that does not answer holds up no other", async () => {
  const [silent, registry] = [await serveRegistry([]), await serveRegistry([])];
  silent.instead = () => true;
  registry.versions.push({ name: "a/0", remotes: remote("https://a.test/mcp") });
  const { broker, frontier, blocks, claims } = await openImporter();
  const config = readConfig({ BRIDGE_IMPORT_FROM: `${silent.url}, ${registry.url}` });
  const log = pino({ level: "silent" });
  const fetcher = fetcherFor({});
  const { drain } = startImports({ broker, frontier, blocks, fetcher, clock: systemClock, log, config });
  onTestFinished(drain);
  await vi.waitUntil(async () => (await claims.claimsOf("a.test")).length === 1, { timeout: 15_000 });
  expect(silent.asked).toHaveLength(1);
});
