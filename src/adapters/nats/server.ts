/**
 * The embedded nats-server: one a home, on loopback, a free port and a random credential, in a process group of its own
 * so that Ctrl-C drains us first. An orphan of a killed parent is ended before a new one starts: two servers on one
 * store destroy it, and nothing in nats-server prevents that.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
const RESTART_PAUSE_MS = 500;
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
  /** Called when it ended by itself; it is started again on the same port. */
  onRestart?: (reason: string) => void;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Whether a process is the server of this very folder: a pid may have been given to another program since. */
const runsHere = (pid: number, folder: string): boolean => {
  if (!isAlive(pid)) return false;
  try {
    const command = execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return command.includes(join(folder, "nats.conf"));
  } catch {
    return false;
  }
};

const endProcess = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGTERM");
  const giveUpAt = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (performance.now() > giveUpAt) process.kill(pid, "SIGKILL");
    await delay(20);
  }
};

const endOrphan = async (folder: string): Promise<void> => {
  const file = join(folder, "nats.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  if (Number.isInteger(pid) && pid > 1 && runsHere(pid, folder)) await endProcess(pid);
};

const credential = (folder: string): string => {
  const file = join(folder, "credential");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
};

/** nats-server's own configuration language; every string is quoted. */
const configuration = (folder: string, secret: string, port: number): string => `
listen: "127.0.0.1:${port}"
server_name: "bridge-embedded"
authorization { user: "bridge", password: ${JSON.stringify(secret)} }
max_payload: 8MB
max_pending: 64MB
pid_file: ${JSON.stringify(join(folder, "nats.pid"))}
ports_file_dir: ${JSON.stringify(folder)}
jetstream { store_dir: ${JSON.stringify(join(folder, "store"))}, max_memory_store: 64MB, sync_interval: "10s" }
`;

const portsFile = (folder: string, pid: number): string | undefined =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`_${pid}.ports`))
    .map((name) => join(folder, name))[0];

/** The last lines of its log, for a message that says what to do. */
const lastWords = (log: string): string =>
  existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").slice(-3).join("\n") : "";

const launch = async (
  options: BrokerServerOptions,
  port: number,
): Promise<{ child: ChildProcess; port: number }> => {
  const { folder, binary } = options;
  for (const name of readdirSync(folder)) if (name.endsWith(".ports")) rmSync(join(folder, name));
  const config = join(folder, "nats.conf");
  writeFileSync(config, configuration(folder, credential(folder), port), { mode: 0o600 });
  const log = join(folder, "nats.log");
  if (existsSync(log) && statSync(log).size > MAX_LOG_BYTES) truncateSync(log);
  const out = openSync(log, "a", 0o600);
  const child = spawn(binary, ["-c", config], { detached: true, stdio: ["ignore", out, out] });
  child.on("error", () => undefined);
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < giveUpAt) {
    const file = child.pid && portsFile(folder, child.pid);
    const text = file ? readFileSync(file, "utf8") : "";
    const match = /nats:\/\/127\.0\.0\.1:(\d+)/.exec(text);
    if (match) return { child, port: Number(match[1]) };
    await delay(10);
  }
  if (child.pid && child.exitCode === null) process.kill(child.pid, "SIGKILL");
  throw new Error(`nats-server did not start (log: ${log})\n${lastWords(log)}`);
};

/**
 * Starts the server of a folder and keeps it running.
 * The caller holds the home's lock: only so is there never a second one on the same store.
 * @throws when it does not start within 20 s, with the last lines of its log
 */
export const startBrokerServer = async (options: BrokerServerOptions): Promise<BrokerServer> => {
  mkdirSync(options.folder, { recursive: true });
  await endOrphan(options.folder);
  let { child, port } = await launch(options, -1);
  let stopping = false;
  const watch = (): void => {
    child.once("exit", async (code, signal) => {
      while (!stopping) {
        options.onRestart?.(`nats-server ended (${signal ?? code}); starting it again`);
        await delay(RESTART_PAUSE_MS);
        try {
          if (!stopping) ({ child } = await launch(options, port));
          if (stopping) child.kill("SIGTERM");
          else watch();
          return;
        } catch (error) {
          options.onRestart?.(String(error instanceof Error ? error.message : error));
        }
      }
    });
  };
  watch();
  return {
    url: `nats://bridge:${credential(options.folder)}@127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    stop: async () => {
      stopping = true;
      if (child.pid && child.exitCode === null && child.signalCode === null) await endProcess(child.pid);
    },
  };
};
