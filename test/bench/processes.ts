/** The program as its users run it, for benches: started with a home of its own, waited for, measured, ended by its id. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, runBridge } from "../faults/programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: { bridge: string };
};
/** As `npm run bridge` does, set-up apart: its options of node, and compiled code kept from run to run. */
export const NODE_OPTIONS = scripts.bridge.split(" ").filter((word) => word.startsWith("--"));
const compiled = enableCompileCache().directory;
const READY_TIMEOUT_MS = 600_000;
/** Of what it printed, shown when it ends by itself. */
const LAST_CHARACTERS = 4_000;

export function temporaryHome(): { home: string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export interface MeasuredProgram extends Program {
  /** Milliseconds from the start to its first line that begins with "ready". */
  readyMs: number;
  /** @throws when it had ended by itself: what was measured of it is worth nothing */
  stop(): Promise<void>;
}

/** Starts a command and resolves when it says `ready`. @throws when it ends before */
export async function startProgram(
  args: string[],
  environment: Record<string, string>,
): Promise<MeasuredProgram> {
  const startedMs = performance.now();
  const program = runBridge(
    args,
    {
      // One address asks for more than any stranger may.
      BRIDGE_LIMITS_PERCENT: "1000000",
      ...(compiled && { NODE_COMPILE_CACHE: compiled }),
      ...environment,
    },
    [...NODE_OPTIONS, join(ROOT, "app/main.ts")],
  );
  await program.says(/^ready /m, READY_TIMEOUT_MS);
  const readyMs = performance.now() - startedMs;
  const stop = async (): Promise<void> => {
    if (!program.isRunning)
      throw new Error(`${args.join(" ")} ended by itself: ${program.output.slice(-LAST_CHARACTERS)}`);
    program.kill("SIGTERM");
    await program.ended;
  };
  return Object.assign(program, { readyMs, stop });
}

/** Resident memory of a process and all that it started, megabytes of 2^20 bytes. */
export function residentMb(pid: number): number {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,rss=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(row)!)
    .map(([, id, parent, rss, args]) => ({
      id: Number(id),
      parent: Number(parent),
      rss: Number(rss),
      args: args!,
    }));
  // The synthetic web is not part of a registry.
  const ours = rows.filter(
    (row) => row.id === pid || (row.parent === pid && !row.args.includes("world/main")),
  );
  return Math.round(ours.reduce((sum, row) => sum + row.rss, 0) / 1024);
}

/** Resident memory of one process, megabytes of 2^20 bytes. */
export const ownResidentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))![1]) / 1_024;

/** Seconds of processor time that a process has used, all its threads together. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
