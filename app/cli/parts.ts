/** Shared parts of commands: the broker connection and a clean shutdown. */
import { url as inspectorUrl } from "node:inspector";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { StorageMismatch } from "../../src/ports/storage.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { openAuditLog } from "../../src/stores/operators.ts";
import type { Health } from "../processes/health.ts";
import { homePaths, lockHome, readBrokerUrl, writeBrokerUrl } from "../processes/home.ts";
import type { AdminOptions } from "../processes/metrics.ts";
import type { Extra } from "../processes/opened-core.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { CommandError, say } from "./terminal.ts";

export interface OwnedBroker {
  url: string;
  stop(): Promise<void>;
}

const BEAT_EVERY_MS = 1_000;

const STOP_DEADLINE_MS = 20_000;
/**
 * A terminal signals every process of its group, npm and the launcher (bridge.mjs) forward signals, and a supervisor
 * may signal all processes of a service: the same signal within this time is the same request.
 */
const SAME_REQUEST_MS = 500;

export interface StopRequest {
  readonly asked: boolean;
  /** The signal that asked first, or "disconnect". */
  readonly why: string | undefined;
  /** Resolves when the process is asked to stop. */
  readonly promise: Promise<void>;
  /** Aborts then: requests of the process to its own front would keep the front from closing. */
  readonly signal: AbortSignal;
}

/** Names in a text, one per line or separated by commas; `#` begins a comment. */
export const namesIn = (text: string): string[] =>
  text
    .split("\n")
    .flatMap((line) => line.replace(/#.*/, "").split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");

/**
 * Locks the home and starts its broker, or joins the one of BRIDGE_NATS_URL.
 * @throws CommandError if another process owns the home
 */
export async function ownBroker(config: Config, warn: (line: string) => void): Promise<OwnedBroker> {
  const home = config.BRIDGE_HOME;
  const lock = lockHome(home);
  if (!lock)
    throw new CommandError(
      `Another bridge runs on ${home}. Stop it, or set BRIDGE_HOME to another folder.`,
      3,
    );
  if (config.BRIDGE_NATS_URL) return { url: config.BRIDGE_NATS_URL, stop: async () => lock.release() };
  try {
    const binary = await ensureNatsServer(say);
    const server = await startBrokerServer({
      binary,
      folder: homePaths(home).nats,
      storeBytes: config.BRIDGE_STORE_GIB * 2 ** 30,
      notify: warn,
    });
    writeBrokerUrl(home, server.url);
    return {
      url: server.url,
      stop: async () => {
        await server.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

/** Checks that a port is free before anything starts. @throws CommandError */
export const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is taken" : `cannot be used (${error.code})`;
      reject(new CommandError(`${host}:${port} ${why}. Set PORT (and HOST) to another address.`, 3));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });

/** Options of the process's admin listener. */
export const adminOptions = ({ config }: OpenedRuntime, health: Health): AdminOptions => ({
  host: config.BRIDGE_ADMIN_HOST,
  port: config.BRIDGE_ADMIN_PORT,
  health,
});

/** Says so where the admin listener's port was taken, and another one is used: probes and Prometheus ask the one that is set. */
export function sayAdminPort(
  { BRIDGE_ADMIN_HOST: host, BRIDGE_ADMIN_PORT: wanted }: Config,
  port: number,
): void {
  if (wanted !== 0 && port !== wanted)
    say(`bridge: BRIDGE_ADMIN_PORT ${wanted} is taken: probes and metrics are on http://${host}:${port}`);
}

/** Tells the launcher that started this process (supervisor.mjs) that its event loop turns; one under a debugger may stand. */
export function beatForParent(): void {
  if (!process.env.BRIDGE_WRAPPED || !process.send) return;
  const once = () =>
    process.connected && process.send!(inspectorUrl() === undefined ? "beat" : "debugged", () => undefined);
  once();
  setInterval(once, BEAT_EVERY_MS).unref();
}

/**
 * Waits for a stop request, runs `stop` for at most 20 s, and ends the process.
 * @param alsoMs what `stop` may take beyond that
 */
export async function runUntilStopped(
  stop: () => Promise<void>,
  request: StopRequest = listenForStop(),
  alsoMs = 0,
): Promise<never> {
  await request.promise;
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS + alsoMs).unref();
  await stop();
  // A client may still be reconnecting to a lost broker; exit without waiting for it.
  process.exit(0);
}

/**
 * Listens for stop requests (SIGINT, SIGTERM, SIGHUP, a lost parent), which the caller obeys. A second request ends the
 * process at once, and its broker with it.
 */
export function listenForStop(): StopRequest {
  const { promise, resolve } = Promise.withResolvers<void>();
  let times = 0;
  let first: string | undefined;
  const lastMs = new Map<string, number>();
  const ask = (why: string) => {
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(why) ?? Number.NEGATIVE_INFINITY) < SAME_REQUEST_MS) return;
    lastMs.set(why, nowMs);
    if (++times > 1) process.exit(130);
    first = why;
    resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ask(signal));
  if (process.env.BRIDGE_WRAPPED && process.channel) process.once("disconnect", () => ask("disconnect"));
  const stopping = new AbortController();
  void promise.then(() => stopping.abort());
  return {
    promise,
    signal: stopping.signal,
    get asked() {
      return times > 0;
    },
    get why() {
      return first;
    },
  };
}

/**
 * Runs what a command changes with the running registry, with an entry in the audit log.
 * @param who default: the login name on this machine
 */
export const actOn = <T>(
  config: Config,
  action: string,
  input: unknown,
  use: (runtime: OpenedRuntime) => Promise<T>,
  who: string = userInfo().username,
): Promise<T> =>
  withRuntime(config, (runtime) =>
    openAuditLog(runtime.broker.buckets, runtime.broker.now).during(
      { operator: who, account_id: null, action, input },
      () => use(runtime),
      () => "done",
    ),
  );

/** Runs `use` with the running registry, and always closes the connection. */
export async function withRuntime<T>(
  config: Config,
  use: (runtime: OpenedRuntime) => Promise<T>,
): Promise<T> {
  const runtime = await joinRuntime(config);
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/** Joins the broker of a running registry. What it takes is loaded here: who asks wrongly, or of no registry, need not wait for it. */
export async function joinRuntime(config: Config, extra: Extra = {}): Promise<OpenedRuntime> {
  const url = brokerUrlOf(config);
  const { openRuntime } = await import("../processes/runtime.ts");
  try {
    return await openRuntime(config, url, extra);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StorageMismatch) throw error;
    const host = url.split(",").map(withoutCredentials).join(",");
    throw new CommandError(
      `The broker at ${host} does not answer (${(error as Error).message}). Is \`bridge up\` running?`,
    );
  }
}

/** The broker of a running registry: that of BRIDGE_NATS_URL, otherwise of BRIDGE_HOME. @throws CommandError for none */
export function brokerUrlOf(config: Config): string {
  const url = config.BRIDGE_NATS_URL ?? readBrokerUrl(config.BRIDGE_HOME);
  if (!url)
    throw new CommandError("No registry runs here. Start one with `bridge up`, or set BRIDGE_NATS_URL.", 1);
  return url;
}

/** An address of the broker as it may be shown. */
export function withoutCredentials(address: string): string {
  const host = address.indexOf("://") + 1 && address.indexOf("://") + 3;
  return address.slice(0, host) + address.slice(Math.max(host, address.lastIndexOf("@") + 1));
}
