/** `bridge up`: everything in one process, with a broker and, without seeds, a synthetic web beside it. */
import PQueue from "p-queue";
import type { Config } from "../../src/runtime/config.ts";
import { startWatchdog } from "../../src/threads/watchdog.ts";
import type { ForkedWorld } from "../../test/world/control.ts";
import { type FrontServer, startFront } from "../front/front.ts";
import { publicUrlOf } from "../processes/core.ts";
import { homePaths } from "../processes/home.ts";
import { createMetrics, serveAdmin } from "../processes/metrics.ts";
import { type OpenedRuntime, openRuntime } from "../processes/runtime.ts";
import { startRoles } from "../processes/start-roles.ts";
import { ROLES } from "../roles.ts";
import {
  adminOptions,
  checkPort,
  listenForStop,
  ownBroker,
  runUntilStopped,
  type StopRequest,
} from "./parts.ts";
import { type Progress, showProgress } from "./progress.ts";
import { addSeeds } from "./seed.ts";
import { CommandError, print, say } from "./terminal.ts";
import { readMode, startHomeWorld, worldConfig, writeMode } from "./world.ts";

/** The first pass of a small web may end before `ready` is said, but `ready` waits no longer than this. */
const READY_WITHIN_MS = 2_500;

export interface UpOptions {
  seeds: string[];
  corpus?: string;
  sites?: number;
}

/** Whether this home crawls a synthetic web: asked for, or nothing else asked for and it did not crawl the real one before. */
const wantsWorld = (config: Config, options: UpOptions): boolean => {
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
};

const announceReady = (url: string, world: ForkedWorld | undefined): void => {
  const site = world?.hosts.find(({ kind }) => kind === "sound");
  const word = site?.words.description ?? "example";
  print(`ready ${url}`);
  print(`  curl '${url}/api/bridge/search?q=${encodeURIComponent(word)}'`);
  print(`  curl '${url}/api/discovery/registry?limit=3'`);
  print(`  curl '${url}/.bridge'`);
};

/** Waits for the first pass over what is known, but not past the time when `ready` is due. */
const settle = async (progress: Progress, startedMs: number, request: StopRequest): Promise<void> => {
  while (performance.now() - startedMs < READY_WITHIN_MS && !request.asked) {
    const now = await progress.snapshot();
    if (now && now.visited > 0 && now.waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

interface Started {
  runtime: OpenedRuntime;
  front: FrontServer;
  progress: Progress;
  stop(): Promise<void>;
}

const start = async (config: Config, natsUrl: string, world: ForkedWorld | undefined): Promise<Started> => {
  const extra = { publicUrl: publicUrlOf(config), waitForBrokerMs: 10_000, ...(world && { ca: [world.ca] }) };
  const runtime = await openRuntime(config, natsUrl, extra);
  const metrics = createMetrics();
  const [admin, front, roles] = await Promise.all([
    serveAdmin(metrics, adminOptions(runtime)),
    startFront(runtime, metrics),
    startRoles(runtime, ROLES, metrics),
  ]);
  const progress = showProgress(runtime, roles.find(({ role }) => role === "crawler")!);
  const stop = async () => {
    progress.stop();
    await front.close();
    await Promise.all(roles.map((role) => role.drain()));
    admin.server.close();
    await runtime.close();
  };
  return { runtime, front, progress, stop };
};

/** Names the seeds and says `ready`; what is left of it is given up when the process is asked to end. */
const open = async (
  { runtime, progress, front }: Started,
  seeds: readonly string[],
  world: ForkedWorld | undefined,
  startedMs: number,
  request: StopRequest,
): Promise<void> => {
  const seeding = addSeeds(runtime, seeds, new PQueue({ concurrency: 64 })).catch((error: unknown) => {
    if (!request.asked) throw error;
  });
  await Promise.race([seeding, request.promise]);
  runtime.broker.connectionState.failFast();
  await settle(progress, startedMs, request);
  if (!request.asked) announceReady(front.url, world);
};

/** Runs until it is asked to stop, which it may be at any moment of its start; leaves nothing running. */
export const up = async (given: Config, options: UpOptions, startedMs: number): Promise<void> => {
  const wantWorld = wantsWorld(given, options);
  await checkPort(given.HOST, given.PORT);
  const request = listenForStop();
  const watchdog = startWatchdog(given.BRIDGE_TURN_CPU_MS, homePaths(given.BRIDGE_HOME).endings);
  let warn = say;
  const broker = await ownBroker(given, (line) => warn(line));
  let world: ForkedWorld | undefined;
  let started: Started | undefined;
  const stop = async () => {
    await started?.stop();
    await world?.stop();
    await broker.stop();
  };
  try {
    if (wantWorld && !request.asked) world = await startHomeWorld(given.BRIDGE_HOME, options);
    if (!wantWorld) writeMode(given.BRIDGE_HOME, { kind: "web" });
    const config = world ? worldConfig(given, world) : given;
    if (!request.asked) started = await start(config, broker.url, world);
    if (started) {
      const { progress } = started;
      warn = (line) => progress.line(line);
      const seeds = world ? world.hosts.map(({ host }) => host) : options.seeds;
      await open(started, seeds, world, startedMs, request);
    }
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  watchdog.ready();
  await runUntilStopped(stop, request);
};
