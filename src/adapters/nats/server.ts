/**
 * The embedded nats-server: one a home, on loopback, a free port and a random credential, in a process group of its own
 * so that Ctrl-C drains us first. An orphan of a killed parent is ended before a new one starts: two servers on one
 * store destroy it, and nothing in nats-server prevents that.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_STORE_BYTES } from "../../ports/storage.ts";
import { type DiskWatch, watchDisk } from "./disk.ts";
import { endServersOf } from "./processes.ts";

/**
 * One that ends by itself is known at once. One that reads a store of millions of messages that was not closed takes minutes, and
 * would take them again.
 */
const START_TIMEOUT_MS = 15 * 60_000;
/** After this long, the operator is told what it does. */
const SLOW_START_MS = 15_000;
const LOOK_EVERY_MS = 1_000;
/** Pause before a restart: doubled each time it fails. */
const RESTART_PAUSE_MS = 250;
const MAX_RESTART_PAUSE_MS = 10_000;
const MAX_LOG_BYTES = 8 * 1024 * 1024;

export interface BrokerServer {
  /** nats:// address with its credential. */
  readonly url: string;
  readonly pid: number;
  /** Lets it write what it has and end. */
  stop(): Promise<void>;
}

export interface BrokerServerOptions {
  binary: string;
  /** Folder of the store, configuration, log and pid. */
  folder: string;
  /** What its streams may take together (max_file_store); default DEFAULT_STORE_BYTES. */
  storeBytes?: number;
  /** Told, in sentences for the operator, when it ended by itself, when its disk is full, and when it is well again. */
  notify?: (line: string) => void;
}

/** Beside the streams' own bounds, which sum up to the store's: nats-server counts what it reserves, and consumers. */
const SLACK = 1.05;

/**
 * nats-server's own configuration language; every string is quoted. The store's limit is not left to the server, which
 * takes three quarters of what is free when it starts and keeps to that when space is freed later.
 */
const configuration = (folder: string, secret: string, port: number, storeBytes: number): string => `
listen: "127.0.0.1:${port}"
server_name: "bridge-embedded"
authorization { user: "bridge", password: ${JSON.stringify(secret)} }
max_payload: 8MB
max_pending: 64MB
ping_interval: "1s"
ping_max: 4
pid_file: ${JSON.stringify(join(folder, "nats.pid"))}
ports_file_dir: ${JSON.stringify(folder)}
jetstream {
  store_dir: ${JSON.stringify(join(folder, "store"))}
  max_memory_store: 64MB
  max_file_store: ${Math.ceil(storeBytes * SLACK)}
  sync_interval: "1s"
}
`;

const configFile = (folder: string): string => join(folder, "nats.conf");
const logFile = (folder: string): string => join(folder, "nats.log");

const portsFile = (folder: string, pid: number): string | undefined =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`_${pid}.ports`))
    .map((name) => join(folder, name))[0];

/** The last lines of its log, for a message that says what to do. */
const lastWords = (log: string): string =>
  existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").slice(-3).join("\n") : "";

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** One server and what keeps it running. */
class Supervisor {
  readonly #binary: string;
  readonly #folder: string;
  readonly #storeBytes: number;
  readonly #notify: (line: string) => void;
  readonly #disk: DiskWatch;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #port = -1;
  #watching: Promise<void> = Promise.resolve();
  // Whatever ends this process (a fault, a second Ctrl-C) ends the server too; only a SIGKILL leaves an orphan.
  readonly #onExit = (): void => void this.#child?.kill("SIGTERM");

  constructor(
    { binary, folder, storeBytes = DEFAULT_STORE_BYTES, notify }: BrokerServerOptions,
    realFolder: string,
  ) {
    this.#binary = binary;
    this.#storeBytes = storeBytes;
    this.#folder = realFolder;
    this.#notify = notify ?? (() => undefined);
    this.#disk = watchDisk(folder, logFile(realFolder));
  }

  get port(): number {
    return this.#port;
  }
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async begin(): Promise<void> {
    await endServersOf(configFile(this.#folder));
    if (!(await this.#disk.hasRoom()))
      throw new Error(
        `The disk is full: ${await this.#disk.describe()}. Free some space, then start again; nothing stored is lost.`,
      );
    process.on("exit", this.#onExit);
    try {
      await this.#launch();
    } catch (error) {
      process.off("exit", this.#onExit);
      throw error;
    }
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    await endServersOf(configFile(this.#folder));
    process.off("exit", this.#onExit);
  }

  async #launch(): Promise<void> {
    const child = start(this.#binary, this.#folder, this.#port, this.#storeBytes);
    this.#child = child;
    this.#port = await untilListening(child, this.#folder, this.#stopping.signal, () =>
      this.#notify("nats-server reads its store; a large one that was not closed takes minutes"),
    );
    await this.#disk.reset();
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  /** Looks every second, and at once when the server ends. */
  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const child = this.#child!;
      const look = new AbortController();
      const ended = () => look.abort();
      child.once("exit", ended);
      if (!hasEnded(child))
        await delay(LOOK_EVERY_MS, undefined, {
          signal: AbortSignal.any([look.signal, this.#stopping.signal]),
        }).catch(() => undefined);
      child.off("exit", ended);
      if (this.#stopping.signal.aborted) return;
      if (hasEnded(child)) await this.#relaunch(`ended (${child.signalCode ?? child.exitCode})`);
      else if (await this.#disk.inTrouble()) await this.#waitForRoom();
    }
  }

  async #waitForRoom(): Promise<void> {
    let told = false;
    while (!this.#stopping.signal.aborted && !(await this.#disk.hasRoom())) {
      if (!told)
        this.#notify(
          `The disk is full: ${await this.#disk.describe()}. Nothing new can be stored, nothing stored is lost. Free some space; all goes on by itself then.`,
        );
      told = true;
      await this.#pause(LOOK_EVERY_MS);
    }
    if (this.#stopping.signal.aborted) return;
    await endServersOf(configFile(this.#folder));
    await this.#relaunch(told ? "met a full disk that has room again" : "could not write for a moment");
  }

  async #relaunch(why: string): Promise<void> {
    this.#notify(`nats-server ${why}; starting it again`);
    let said = "";
    for (let pauseMs = RESTART_PAUSE_MS; !this.#stopping.signal.aborted; pauseMs *= 2) {
      await this.#pause(Math.min(pauseMs, MAX_RESTART_PAUSE_MS));
      if (this.#stopping.signal.aborted) return;
      try {
        await this.#launch();
        return this.#notify("nats-server is back");
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        const full = (await this.#disk.hasRoom()) ? "" : ` The disk is full: ${await this.#disk.describe()}.`;
        // The log's lines carry times: what is said again is the first line alone.
        if (words.split("\n")[0] + full !== said) this.#notify(words + full);
        said = words.split("\n")[0] + full;
      }
    }
  }
}

/**
 * Starts the server of a folder and keeps it running: again on the same port when it ends, and anew when its disk was
 * full and has room again. The caller holds the home's lock: only so is there never a second one on the same store.
 * @throws when the disk is full, or it does not start within 15 minutes, with the last lines of its log
 */
export async function startBrokerServer(options: BrokerServerOptions): Promise<BrokerServer> {
  mkdirSync(options.folder, { recursive: true });
  // One name however the folder was reached: an orphan is recognised by it.
  const folder = realpathSync(options.folder);
  const supervisor = new Supervisor(options, folder);
  await supervisor.begin();
  return {
    url: `nats://bridge:${credential(folder)}@127.0.0.1:${supervisor.port}`,
    get pid() {
      return supervisor.pid;
    },
    stop: () => supervisor.stop(),
  };
}

function credential(folder: string): string {
  const file = join(folder, "credential");
  if (!existsSync(file) || statSync(file).size === 0)
    writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

function start(binary: string, folder: string, port: number, storeBytes: number): ChildProcess {
  for (const name of readdirSync(folder)) if (name.endsWith(".ports")) rmSync(join(folder, name));
  writeFileSync(configFile(folder), configuration(folder, credential(folder), port, storeBytes), {
    mode: 0o600,
  });
  const log = logFile(folder);
  if (existsSync(log) && statSync(log).size > MAX_LOG_BYTES) truncateSync(log);
  const out = openSync(log, "a", 0o600);
  try {
    const child = spawn(binary, ["-c", configFile(folder)], {
      detached: true,
      stdio: ["ignore", out, out],
    });
    child.on("error", () => undefined);
    return child;
  } finally {
    closeSync(out);
  }
}

/**
 * Resolves to the port it listens on.
 * @param signal aborts when it is not wanted any more
 * @param slow called once when it takes long
 * @throws with the last lines of its log when it ends or takes over 15 minutes
 */
async function untilListening(
  child: ChildProcess,
  folder: string,
  signal: AbortSignal,
  slow: () => void,
): Promise<number> {
  const telling = setTimeout(slow, SLOW_START_MS);
  try {
    return await portOf(child, folder, signal);
  } finally {
    clearTimeout(telling);
  }
}

async function portOf(child: ChildProcess, folder: string, signal: AbortSignal): Promise<number> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!hasEnded(child) && !signal.aborted && performance.now() < giveUpAt) {
    const file = portsFile(folder, child.pid!);
    const match = /nats:\/\/127\.0\.0\.1:(\d+)/.exec(file ? readFileSync(file, "utf8") : "");
    if (match) return Number(match[1]);
    await delay(10);
  }
  if (!hasEnded(child)) child.kill("SIGKILL");
  throw new Error(`nats-server did not start (log: ${logFile(folder)})\n${lastWords(logFile(folder))}`);
}
