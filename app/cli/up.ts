/** `bridge up`: runs everything in one process, with a broker and, without seeds, a synthetic web. */
import type { Config } from "../../src/runtime/config.ts";
import { startWatchdog } from "../../src/threads/watchdog.ts";
import { searchesBy } from "../processes/encoder.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { requireContact } from "./contact.ts";
import { installWhileRunning } from "./encoder-installation.ts";
import {
  beatForParent,
  checkPort,
  listenForStop,
  ownBroker,
  runUntilStopped,
  type StopRequest,
} from "./parts.ts";
import type { Progress } from "./progress.ts";
import { announceReady } from "./ready.ts";
import { addSeeds } from "./seed.ts";
import { setUpStorage } from "./setup.ts";
import { letAgentsIn, ownShop } from "./shop-owner.ts";
import { CommandError, say } from "./terminal.ts";
import { type RunningRegistry, startRegistry } from "./whole-registry.ts";
import { readMode, sampleConfig, startHomeWorld, type WorldWithShop, writeMode } from "./world.ts";

/** `ready` waits for the first pass over a small web, but no longer than this. */
const READY_WITHIN_MS = 2_500;
/** A machine that is busy with a first crawl may answer too late. */
const DEMO_ATTEMPTS = 5;
const DEMO_PAUSE_MS = 2_000;

export interface UpOptions {
  seeds: string[];
  corpus?: string;
  sites?: number;
}

/** Runs until asked to stop, also during its start; leaves nothing running. */
export async function up(given: Config, options: UpOptions, startedMs: number): Promise<void> {
  const wantWorld = wantsWorld(given, options);
  if (!wantWorld) requireContact(given);
  await checkPort(given.HOST, given.PORT);
  const request = listenForStop();
  const watchdog = startWatchdog();
  let warn = say;
  const broker = await ownBroker(given, (line) => warn(line));
  let world: WorldWithShop | undefined;
  let started: RunningRegistry | undefined;
  const stop = async () => {
    await started?.stop();
    await world?.stop();
    await broker.stop();
  };
  try {
    if (wantWorld && !request.asked) world = await startHomeWorld(given.BRIDGE_HOME, options);
    if (!wantWorld) writeMode(given.BRIDGE_HOME, { kind: "web" });
    const config = world ? sampleConfig(given, world) : given;
    // On a broker of its own nobody else would.
    if (!given.BRIDGE_NATS_URL) await setUpOwn(given, broker.url);
    if (!request.asked) started = await startRegistry(config, broker.url, world);
    if (started) {
      const { progress } = started;
      warn = (line) => progress.line(line);
      const seeds = world ? hostsOf(world) : options.seeds;
      await open(started, { config, seeds, world }, startedMs, request);
    }
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  watchdog.ready();
  beatForParent();
  await runUntilStopped(stop, request);
}

/**
 * Whether this home crawls a synthetic web: requested, or the default for a home that did not crawl the real web
 * before.
 */
function wantsWorld(config: Config, options: UpOptions): boolean {
  const before = readMode(config.BRIDGE_HOME);
  const asked = options.corpus !== undefined || options.sites !== undefined;
  if (asked && options.seeds.length > 0) throw new CommandError("Give seeds or --world, not both.", 2);
  if (before?.kind === "world" && options.seeds.length > 0)
    throw new CommandError(
      `${config.BRIDGE_HOME} holds a synthetic web. Set BRIDGE_HOME to another folder for the real one.`,
      2,
    );
  if (before?.kind === "web" && asked)
    throw new CommandError(
      `${config.BRIDGE_HOME} holds the real web. Set BRIDGE_HOME to another folder for a synthetic one.`,
      2,
    );
  return asked || (options.seeds.length === 0 && before?.kind !== "web");
}

/** Makes the streams of this home's own broker, or brings them to the settings, and says so where there were some. */
async function setUpOwn(config: Config, url: string): Promise<void> {
  const changes = await setUpStorage(config, url, { dryRun: false, create: false }, () => undefined);
  const updated = changes.filter(({ kind }) => kind === "update").length;
  if (updated > 0) say(`bridge: ${updated} streams were brought to the settings`);
}

/** The sites of the demo first: whoever tries it waits for nothing else. */
const hostsOf = ({ hosts, shop, welcoming }: WorldWithShop): string[] => [
  ...new Set([
    ...(shop ? [shop] : []),
    ...welcoming.map(({ site }) => site),
    ...hosts.map(({ host }) => host),
  ]),
];

/** Adds the seeds and says `ready`; abandons the rest when the process is asked to stop. */
async function open(
  started: RunningRegistry,
  { config, seeds, world }: { config: Config; seeds: readonly string[]; world: WorldWithShop | undefined },
  startedMs: number,
  request: StopRequest,
): Promise<void> {
  const { runtime, progress, front, adminUrl } = started;
  const seeding = addSeeds(runtime, seeds).catch((error: unknown) => {
    if (!request.asked) throw error;
  });
  await Promise.race([seeding, request.promise]);
  runtime.broker.connectionState.failFast();
  await settle(progress, startedMs, request);
  if (request.asked) return;
  progress.line(searchesBy(config, runtime.encoder()));
  if (runtime.encoder()?.state === "not installed")
    installWhileRunning(request.signal, (line) => progress.line(line));
  const localUrl = publicUrlOf({ ...config, BRIDGE_PUBLIC_URL: undefined });
  const { url: publicUrl, operatorsUrl } = front;
  announceReady({ publicUrl, localUrl, operatorsUrl, adminUrl, progress, shop: world?.shop }, request);
  if (world) void openDemo(config.BRIDGE_HOME, localUrl, world, progress, request);
}

/** Waits for the first pass over known hosts, but at most until `ready` is due. */
async function settle(progress: Progress, startedMs: number, request: StopRequest): Promise<void> {
  while (performance.now() - startedMs < READY_WITHIN_MS && !request.asked) {
    const now = await progress.snapshot();
    if (now && now.visited > 0 && now.waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Gives sites of the synthetic web their owners: the shop, which `bridge demo` needs, and some that let agents in. */
async function openDemo(
  home: string,
  url: string,
  world: WorldWithShop,
  progress: Progress,
  request: StopRequest,
): Promise<void> {
  const { shop } = world;
  let failure: unknown;
  for (let attempt = 1; shop && attempt <= DEMO_ATTEMPTS && !request.asked; attempt++) {
    try {
      const owned = await ownShop(home, url, world, shop, request.signal);
      await letAgentsIn(home, owned, world, world.welcoming, request.signal);
      return progress.line(`  npm run bridge -- demo    # an agent buys from ${shop}`, process.stdout);
    } catch (error) {
      failure = error;
      await Promise.race([new Promise((resolve) => setTimeout(resolve, DEMO_PAUSE_MS)), request.promise]);
    }
  }
  if (shop && !request.asked)
    progress.line(
      `Not every site of the demo has its owner, so \`bridge demo\` or the quickstart may not work: ${failure}`,
    );
}
