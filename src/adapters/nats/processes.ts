/** Finding and ending the nats-server of a folder. The pid file is not asked: a server killed early never wrote one. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const TERM_WAIT_MS = 10_000;
const KILL_WAIT_MS = 5_000;
const POLL_MS = 20;

/**
 * Ends every server of this configuration file: asks, then kills after 10 s. @returns how many there were
 * @throws when one outlives even that: starting a second one would destroy the store
 */
export async function endServersOf(configFile: string): Promise<number> {
  const pids = serversOf(configFile);
  for (const pid of pids) signal(pid, "SIGTERM");
  if (await untilGone(configFile, TERM_WAIT_MS)) return pids.length;
  for (const pid of serversOf(configFile)) signal(pid, "SIGKILL");
  if (await untilGone(configFile, KILL_WAIT_MS)) return pids.length;
  throw new Error(
    `A nats-server of this home cannot be ended (process ${serversOf(configFile).join(", ")}).`,
  );
}

/** Process ids of the servers that run with this configuration file. */
export const serversOf = (configFile: string): number[] =>
  (process.platform === "linux" ? linuxProcesses() : listedProcesses())
    .filter(({ args }) => args.at(args.indexOf("-c") + 1) === configFile && args.includes("-c"))
    .map(({ pid }) => pid);

/** Linux tells by /proc, which needs no `ps` (slim images have none); a zombie's command line is empty there. */
const linuxProcesses = (): { pid: number; args: string[] }[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [{ pid: Number(name), args: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0") }];
    } catch {
      return []; // It ended meanwhile.
    }
  });

const listedProcesses = (): { pid: number; args: string[] }[] =>
  execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 64 << 20 })
    .split("\n")
    .flatMap((line) => {
      const match = /^\s*(\d+)\s+\S+ -c (.*)$/.exec(line);
      return match ? [{ pid: Number(match[1]), args: ["-c", match[2]!] }] : [];
    });

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}

async function untilGone(configFile: string, waitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + waitMs;
  while (serversOf(configFile).length > 0) {
    if (performance.now() > giveUpAt) return false;
    await delay(POLL_MS);
  }
  return true;
}
