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
export const NODE_OPTIONS = scripts.bridge.split(" ").filter((word) => word.startsWith("--"));
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
  /** @throws when it had ended by itself: what was measured of it is worth nothing */
  stop(): Promise<void>;
}

/** Of standard error, shown when a program ends by itself. */
const LAST_LINES = 20;

const lastLines = (stream: NodeJS.ReadableStream): (() => string) => {
  let lines: string[] = [];
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const text = (rest + chunk.toString()).split("\n");
    rest = text.pop()!;
    lines = [...lines, ...text].slice(-LAST_LINES);
  });
  return () => [...lines, rest].join("\n").trim();
};

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
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = lastLines(child.stderr!);
  const ended = once(child, "exit");
  let stopping = false;
  let fault: Error | undefined;
  child.once("close", (code, signal) => {
    if (stopping) return;
    fault = new Error(`${args.join(" ")} ended by itself (${signal ?? code}): ${said()}`);
    process.stderr.write(`${fault.message}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (/^ready /m.test(text)) resolve();
    });
    child.once("close", () => reject(fault));
  });
  const readyMs = performance.now() - startedMs;
  return {
    child,
    readyMs,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) stopping = true;
      child.kill("SIGTERM");
      await ended;
      if (!stopping) throw fault ?? new Error(`${args.join(" ")} ended by itself: ${said()}`);
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

/** Seconds of processor time that a process has used, all its threads together. */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
