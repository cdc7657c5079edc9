/** Files of ours with a function that every second ping, search or purchase at least runs: of the front, the workers and their threads. */
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { startFront } from "../../app/front/front.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { ROLES } from "../../app/roles.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import { enter } from "../support/agent.ts";
import { askJson } from "../support/json.ts";
import { makeLicense } from "../support/license.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";

const SITES = 60;
const SEARCHES = 100;
const PURCHASES = 10;
const BUYER = { name: "Ada Lovelace", email: "ada@example.test", terms: true };
/** The index has followed, and the sentence encoder, once neither lags behind at any of so many looks, one after the other. */
const QUIET_LOOKS = 10;
const LOOK_EVERY_MS = 200;
const ROOT = join(import.meta.dirname, "../..");

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}
type Ask = (method: string, params?: object) => Promise<unknown>;

/** The profilers of this thread and of all its threads. */
async function profilers(): Promise<{ asks: readonly Ask[]; end(): void }> {
  const session = new Session();
  session.connect();
  const asks: Ask[] = [(method, params) => session.post(method as never, params as never)];
  const waiting = new Map<string, (result: unknown) => void>();
  let id = 0;
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId } }) => {
    asks.push((method, params) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.set(`${sessionId} ${++id}`, resolve);
      const message = JSON.stringify({ id, method, params });
      void session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
      return promise;
    });
  });
  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { sessionId, message } }) => {
    const reply = JSON.parse(message) as { id?: number; result?: unknown };
    waiting.get(`${sessionId} ${reply.id}`)?.(reply.result);
  });
  await session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  return { asks, end: () => session.disconnect() };
}

/**
 * What `work` runs at each of two measurements of so many times, less what runs by itself in as much time: an audit may fall into
 * one of them, and loops into both.
 */
async function filesOf(times: number, work: (nth: number) => Promise<void>): Promise<Map<string, string[]>> {
  const first = await measured(times, work);
  const startedMs = performance.now();
  const second = await measured(times, (nth) => work(times + nth));
  const pauseMs = (performance.now() - startedMs) / times;
  const idle = await measured(times, () => delay(pauseMs));
  const own = [...first].map(([file, names]): [string, string[]] => [
    file,
    names.filter((name) => second.get(file)?.includes(name) && !idle.get(file)?.includes(name)),
  ]);
  return new Map(own.filter(([, names]) => names.length > 0));
}

/** Runs `work` so many times. @returns names of functions that half of the times run, by the file they are in */
async function measured(times: number, work: (nth: number) => Promise<void>): Promise<Map<string, string[]>> {
  const { asks, end } = await profilers();
  for (const ask of asks) {
    await ask("Profiler.enable");
    await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }
  for (let nth = 0; nth < times; nth++) await work(nth);
  const files = new Map<string, string[]>();
  for (const ask of asks) {
    const { result } = (await ask("Profiler.takePreciseCoverage")) as Coverage;
    for (const { url, functions } of result) {
      const file = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : "";
      const run = functions.filter(({ ranges }) => ranges[0]!.count >= times / 2);
      if (!/^(app|schemas|src|workers)\//.test(file) || run.length === 0) continue;
      files.set(file, [...(files.get(file) ?? []), ...run.map(({ functionName }) => functionName)]);
    }
  }
  end();
  return files;
}

async function withRegistry(work: (url: string, words: readonly string[], license: string) => Promise<void>) {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const binary = await ensureNatsServer(() => undefined);
  const server = await startBrokerServer({ binary, folder: join(home, "nats") });
  const world = await forkWorld({ sites: SITES, soundShare: 1, seed: 5 });
  const config = {
    ...worldConfig(readConfig({ BRIDGE_NATS_SETUP: "true", BRIDGE_LIMITS_PERCENT: "1000" }), world),
    BRIDGE_HOME: home,
    BRIDGE_HOST_DELAY_MS: 0,
    BRIDGE_IP_DELAY_MS: 0,
    PORT: await freePort(),
  };
  const runtime = await openRuntime(config, server.url, { ca: [world.ca] });
  const metrics = createMetrics();
  const roles = await startRoles(runtime, ROLES, metrics);
  const front = await startFront(runtime, metrics);
  await addSeeds(
    runtime,
    world.hosts.map(({ host }) => host),
  );
  const crawler = roles.find(({ role }) => role === "crawler")!.crawler!;
  while (crawler.visits < SITES) await runtime.clock.sleep(20);
  // The index follows; what it still does would be counted with the searches.
  const indexer = roles.find(({ role }) => role === "indexer")!;
  const isQuiet = async (): Promise<boolean> => {
    const { lag, to_encode: toEncode = 0 } = (await indexer.read()) as { lag: number; to_encode?: number };
    return lag === 0 && toEncode === 0;
  };
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet = (await isQuiet()) ? quiet + 1 : 0)
    await runtime.clock.sleep(LOOK_EVERY_MS);
  const { host: shop } = await world.add("shop");
  const { key } = await makeLicense(runtime.broker, shop, { permissions: { fillForms: true } });
  await work(
    `http://${config.HOST}:${config.PORT}`,
    world.hosts.flatMap(({ words }) => words.description),
    key,
  );
  await front.close();
  await Promise.all(roles.map((role) => role.drain()));
  await runtime.close();
  await world.stop();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}

export async function bench(): Promise<BenchLine[]> {
  let files = new Map<string, string[]>();
  let shared = new Set<string>();
  let pings = 0;
  let purchases = new Map<string, string[]>();
  await withRegistry(async (url, words, license) => {
    const ask = async (path: string): Promise<void> => {
      const response = await fetch(`${url}${path}`);
      if (response.status !== 200) throw new Error(await response.text());
      await response.body?.cancel();
    };
    const search = (number: number): Promise<void> => {
      const [first, second] = [words[(7 * number) % words.length], words[(13 * number + 5) % words.length]];
      return ask(`/api/bridge/search?q=${first}+${second}`);
    };
    // What is loaded, opened and compiled for the first.
    for (let number = 0; number < SEARCHES; number++) await search(number);
    files = await filesOf(SEARCHES, (nth) => search(SEARCHES + nth));
    const ofPings = await filesOf(SEARCHES, () => ask("/api/bridge/ping"));
    pings = ofPings.size;
    shared = new Set([...ofPings.keys()].filter((file) => files.has(file)));
    for (let nth = 0; nth < PURCHASES; nth++) await buy(url, license, nth);
    purchases = await filesOf(PURCHASES, (nth) => buy(url, license, PURCHASES + nth));
  });
  for (const [file, functions] of [...files].sort())
    process.stderr.write(
      `${shared.has(file) ? "any" : "own"} ${file}: ${[...new Set(functions)].filter(Boolean).join(" ")}\n`,
    );
  for (const [file, functions] of [...purchases].sort())
    process.stderr.write(`buy ${file}: ${[...new Set(functions)].filter(Boolean).join(" ")}\n`);
  const conditions = `${SEARCHES} searches of two words after as many others, ${SITES} sites, embedded index, all roles in one process with its threads; files of which half of the searches run a function, and which do not run by themselves`;
  const line = (name: string, value: number, of = conditions): BenchLine => ({
    name,
    value,
    unit: "files",
    baseline: null,
    ratio: null,
    conditions: of,
  });
  return [
    line("way", files.size),
    line("way of a ping", pings),
    line("way, shared with a ping", shared.size),
    line("way, a search's own", files.size - shared.size),
    line(
      "way of a purchase",
      purchases.size,
      `${PURCHASES} purchases of eight calls, from the license to the receipt, after as many others`,
    ),
  ];
}

/** Buys in eight calls: authenticate, navigate, open a product, add it, go to the checkout, ask what it costs, order, read the receipt. */
async function buy(url: string, license: string, nth: number): Promise<void> {
  const agent = await enter(url, license, `buyer-${nth}`);
  const order = (more: Record<string, unknown>) =>
    ["submit-checkout", undefined, undefined, BUYER, more] as const;
  const act = async (...command: Parameters<typeof agent.execute>) => {
    const { success, result } = await agent.execute(...command);
    if (!success) throw new Error(`${command[0]}: ${JSON.stringify(result)}`);
    return result;
  };
  await act("navigate", "/");
  await act("click", ".products a");
  await act("submit-buy", undefined, undefined, { quantity: 2 });
  await act("click", "#to-checkout");
  const { confirm } = await act(...order({ dry_run: true }));
  const { receipt } = await act(...order({ confirm_total: confirm.confirm_total }));
  const read = await askJson(`${url}/api/bridge/receipts/${receipt.receipt_id}`, { token: agent.token });
  if (read.status !== 200) throw new Error(JSON.stringify(read.body));
}
