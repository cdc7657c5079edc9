/** The program as its users run it, for benches: started with a home of its own, waited for, measured, ended by its id. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: { bridge: string };
};
/** As `npm run bridge` does, set-up apart: its options of node, and compiled code kept from run to run. */
const NODE_OPTIONS = scripts.bridge.split(" ").filter((word) => word.startsWith("--"));
const commandOf = (root: string): string[] => [...NODE_OPTIONS, join(root, "app/main.ts")];
const compiled = enableCompileCache().directory;

export const temporaryHome = (): { home: string; remove(): void } => {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
};

export interface Program {
  child: ChildProcess;
  /** Milliseconds from the start to its first line that begins with "ready". */
  readyMs: number;
  stop(): Promise<void>;
}

/** Starts a command and resolves when it says `ready`. @param root another checkout */
export const startProgram = async (
  args: string[],
  environment: Record<string, string>,
  root = ROOT,
): Promise<Program> => {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...commandOf(root), ...args], {
    cwd: root,
    env: {
      ...process.env,
      BRIDGE_ADMIN_PORT: "0",
      // One address asks for more than any stranger may.
      BRIDGE_LIMITS_PERCENT: "1000000",
      ...(compiled && { NODE_COMPILE_CACHE: compiled }),
      ...environment,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (/^ready /m.test(text)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
  });
  const readyMs = performance.now() - startedMs;
  return {
    child,
    readyMs,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};

/** Resident memory in MB of a process and all that it started. */
export const residentMb = (pid: number): number => {
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
};
