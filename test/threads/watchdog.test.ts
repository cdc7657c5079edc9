import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, type TestContext } from "vitest";
import { HUNG_EXIT_CODE, LoopTurnWatch } from "../../src/threads/watchdog.ts";

const PROGRAM = fileURLToPath(new URL("./hanging-process.ts", import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a test leaves is removed when that test ends: two of them run at once, so each brings its own hook. */
type AtEnd = TestContext["onTestFinished"];

interface Run {
  child: ChildProcess;
  output(): string;
  says(words: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

function run(way: string, atEnd: AtEnd): Run {
  const child = spawn(process.execPath, [PROGRAM, way], { stdio: ["ignore", "pipe", "pipe"] });
  atEnd(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  return {
    child,
    output: () => text,
    says: async (words) => {
      while (!text.includes(words)) await pause(20);
    },
    ended: once(child, "close").then(([code, signal]) => ({ code, signal })),
  };
}

/** Milliseconds of processor time of all threads of a process, by 10. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

describe("the watchdog", () => {
  for (const way of ["loop", "expression", "promises"])
    it(`ends a process whose main thread hangs (${way}) with its own code`, async ({ onTestFinished }) => {
      const { child, output, says, ended } = run(way, onTestFinished);
      await says("begins");
      const before = cpuMs(child.pid!);
      let used = 0;
      const ticker = setInterval(() => {
        try {
          used = cpuMs(child.pid!) - before;
        } catch {
          // It ended in this moment.
        }
      }, 20);
      expect(await ended).toEqual({ code: HUNG_EXIT_CODE, signal: null });
      clearInterval(ticker);
      expect(used).toBeLessThan(2_500);
      expect(output()).toMatch(/^bridge: the thread main used \d+ ms of processor time in one turn/m);
      expect(output()).toContain(`exit handlers run with ${HUNG_EXIT_CODE}`);
    }, 120_000);

  it("says what the thread took up last", async ({ onTestFinished }) => {
    const { output, ended } = run("handling one host", onTestFinished);
    expect(await ended).toEqual({ code: HUNG_EXIT_CODE, signal: null });
    expect(output()).toContain("in one turn (took up what culprit.example sent last); ending the process");
  }, 120_000);

  it("ends a process one of whose workers hangs", async ({ onTestFinished }) => {
    const { output, ended } = run("a worker", onTestFinished);
    expect(await ended).toEqual({ code: HUNG_EXIT_CODE, signal: null });
    expect(output()).toContain("bridge: the thread role used ");
  }, 120_000);

  it("leaves alone a process that takes up one request after the other in one turn", async ({
    onTestFinished,
  }) => {
    const { child, says } = run("many requests", onTestFinished);
    await says("all answered");
    await pause(500);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  }, 120_000);

  it.concurrent("kills a process that is blocked in a call for ten seconds", async ({ onTestFinished }) => {
    const { output, ended } = run("blocked in a call", onTestFinished);
    expect(await ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(output()).toMatch(/was blocked for 10\d{3} ms in one turn/);
  }, 120_000);

  it.concurrent("leaves alone a process that was stopped for longer than that", async ({
    onTestFinished,
  }) => {
    const { child, says } = run("nothing", onTestFinished);
    await says("begins");
    child.kill("SIGSTOP");
    await pause(12_000);
    child.kill("SIGCONT");
    await pause(1_500);
    expect(child.exitCode).toBeNull();
    expect(child.signalCode).toBeNull();
  }, 120_000);
});

describe("whether a turn is too long", () => {
  const limits = { cpuMs: 1_000, blockedMs: 10_000 };
  const looks = (
    count: number,
    at: (i: number) => {
      beats?: number;
      cpuMs?: number;
      state?: string;
      sinceMs?: number;
      inspected?: boolean;
    },
  ): (string | undefined)[] => {
    const turns = new LoopTurnWatch();
    return Array.from({ length: count }, (_, i) => {
      const { beats = 1, cpuMs = 0, state = "S", sinceMs = 250, inspected = false } = at(i);
      return turns.look({ beats, inspected, state: { cpuMs, state }, sinceMs }, limits);
    });
  };
  const verdicts = (seen: (string | undefined)[]): string[] => seen.filter((why) => why !== undefined);

  it("counts processor time from the last beat on", () => {
    expect(verdicts(looks(40, (i) => ({ beats: i + 1, cpuMs: i * 250 })))).toEqual([]);
    const hung = looks(7, (i) => ({ cpuMs: i * 250, state: "R" }));
    expect(hung.findIndex((why) => why !== undefined)).toBe(5);
  });

  it("does not count a thread as blocked that others starve, that was stopped or is being debugged", () => {
    for (const state of ["R", "T", "t"]) expect(verdicts(looks(100, () => ({ state })))).toEqual([]);
    expect(verdicts(looks(100, () => ({ inspected: true })))).toEqual([]);
    expect(verdicts(looks(100, () => ({}))).length).toBeGreaterThan(0);
  });

  it("takes a sleep of the whole machine for one tick", () => {
    expect(verdicts(looks(20, (i) => ({ sinceMs: i === 5 ? 3_600_000 : 250 })))).toEqual([]);
  });

  it("watches no thread that has not begun to beat", () => {
    expect(verdicts(looks(100, (i) => ({ beats: 0, cpuMs: i * 1_000 })))).toEqual([]);
  });
});
