/** The program as a user runs it: processes of their own, watched by what they print and by their pids. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serversOf } from "../../src/adapters/nats/processes.ts";

const MAIN = fileURLToPath(new URL("../../app/main.ts", import.meta.url));

const CHANGE_CONSTANTS = new URL("./change-constants.ts", import.meta.url).href;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Program {
  readonly pid: number;
  /** Everything printed so far, both streams. */
  readonly output: string;
  readonly ended: Promise<Ended>;
  readonly isRunning: boolean;
  /** Resolves with the match once the output matches. @throws after `ms`, or when it ends before, with what it printed */
  says(pattern: RegExp, ms?: number): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until `condition` is true. @throws after `ms`, saying what was waited for */
export async function until(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  ms = 30_000,
): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > giveUpAt)
      throw new Error(`waited ${ms} ms in vain for ${typeof what === "string" ? what : what()}`);
    await pause(25);
  }
}

const running = new Set<ChildProcess>();

/** Starts `bridge <args>` with this environment over the tests' own. @param command what node is to run, options first */
export function runBridge(
  args: readonly string[],
  environment: Record<string, string>,
  command: readonly string[] = [MAIN],
): Program {
  const child = spawn(process.execPath, ["--import", CHANGE_CONSTANTS, ...command, ...args], {
    env: {
      ...cleanEnvironment(),
      ...{ BRIDGE_ADMIN_PORT: "0", BRIDGE_LAME_DUCK_MS: "0" },
      // Nothing is installed beside a test.
      BRIDGE_SEARCH_MEANING: "static",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  const take = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-1_000_000);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    }),
  );
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid!,
    ended,
    get output() {
      return output;
    },
    get isRunning() {
      return isRunning();
    },
    kill: (signal) => void child.kill(signal),
    says: async (pattern, ms = 30_000) => {
      let found: RegExpExecArray | null = null;
      await until(
        () => `${pattern} from bridge ${args.join(" ")}; it printed:\n${output}`,
        () => {
          found = pattern.exec(output);
          if (!found && !isRunning()) throw new Error(`bridge ${args.join(" ")} ended:\n${output}`);
          return found !== null;
        },
        ms,
      );
      return found!;
    },
  };
}

/** The tests' environment without settings of the program that happen to be set. */
const cleanEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(BRIDGE_|PORT$|HOST$|NODE_OPTIONS$|VITEST)/.test(entry[0]),
    ),
  );

const homes = new Set<string>();

/** A folder of its own for one registry. */
export function newHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "bridge-faults-")));
  homes.add(home);
  return home;
}

/** Pids of the home's nats-servers. */
export const brokersOf = (home: string): number[] => serversOf(join(home, "nats", "nats.conf"));

/** Pids of all processes that name the home in their command line (its broker, its synthetic web). */
export const processesOf = (home: string): number[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(home) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** Ends what a test left running, and removes its homes. */
export async function cleanUp(): Promise<void> {
  for (const child of running) child.kill("SIGKILL");
  for (const home of homes) {
    for (const pid of processesOf(home)) process.kill(pid, "SIGKILL");
    await until(`the processes of ${home} to end`, () => processesOf(home).length === 0, 10_000);
    rmSync(home, { recursive: true, force: true });
  }
  homes.clear();
}
