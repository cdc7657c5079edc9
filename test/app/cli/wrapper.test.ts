/**
 * app/bridge.mjs as it runs where the system's Node is too old: it installs what the lock says and hands signals on. A copy
 * of it in a project of its own, whose least Node is one that nobody has yet.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const PARTS = join(ROOT, "app/cli/parts.ts");

/** Says what is asked of it; takes a second and a half to end. */
const PROGRAM = `
import { setTimeout as delay } from "node:timers/promises";
import { runUntilStopped, listenForStop } from ${JSON.stringify(PARTS)};
const request = listenForStop();
setInterval(() => undefined, 1_000);
console.log("ready " + process.pid);
await runUntilStopped(async () => {
  console.log("draining");
  await delay(1_500);
  console.log("drained");
}, request);
`;

let project: string;
/** Groups of processes: what a failed test leaves is ended. */
const started: number[] = [];
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "bridge-test-wrapper-"));
  const pinned = join(project, `node_modules/node-${process.platform}-${process.arch}/bin`);
  mkdirSync(pinned, { recursive: true });
  mkdirSync(join(project, "app"));
  symlinkSync(process.execPath, join(pinned, "node"));
  const source = readFileSync(join(ROOT, "app/bridge.mjs"), "utf8");
  expect(source).toContain("const MINIMUM = [24, 18];");
  writeFileSync(join(project, "app/bridge.mjs"), source.replace("[24, 18]", "[999, 0]"));
  for (const file of ["app/install.mjs", "app/supervisor.mjs"])
    writeFileSync(join(project, file), readFileSync(join(ROOT, file)));
  writeFileSync(join(project, "package-lock.json"), "{}");
  const stamp = createHash("sha256").update("{}").digest("hex");
  writeFileSync(join(project, "node_modules/.bridge-installed"), stamp);
  writeFileSync(join(project, "program.ts"), PROGRAM);
  const start = `${JSON.stringify(process.execPath)} app/bridge.mjs run program.ts`;
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", scripts: { start } }));
});
afterAll(() => {
  for (const group of started) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It ended, as it should.
    }
  }
  rmSync(project, { recursive: true, force: true });
});

interface Wrapped {
  wrapper: ChildProcess;
  /** Process id of the program itself. */
  pid: number;
  output(): string;
}

async function until(what: string, test: () => boolean, timeoutMs = 15_000): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!test()) {
    if (performance.now() > giveUpAt) throw new Error(`${what} did not come`);
    await delay(20);
  }
}

/** In a process group of its own, as a shell starts a command. */
async function startWrapped(): Promise<Wrapped> {
  const wrapper = spawn(process.execPath, ["app/bridge.mjs", "run", "program.ts"], {
    cwd: project,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(wrapper.pid!);
  let text = "";
  for (const stream of [wrapper.stdout, wrapper.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  await until("ready", () => /^ready \d+$/m.test(text));
  return { wrapper, pid: Number(/ready (\d+)/.exec(text)![1]), output: () => text };
}

async function endOf({ wrapper, output }: Wrapped) {
  const [code, signal] =
    wrapper.exitCode === null && wrapper.signalCode === null
      ? await once(wrapper, "exit")
      : [wrapper.exitCode, wrapper.signalCode];
  return { code, signal, output: output() };
}
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the program behind the wrapper", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "drains when the wrapper alone gets %s",
    async (signal) => {
      const wrapped = await startWrapped();
      expect(wrapped.pid).not.toBe(wrapped.wrapper.pid);
      wrapped.wrapper.kill(signal);
      expect(await endOf(wrapped)).toMatchObject({ code: 0, output: expect.stringContaining("drained") });
    },
  );

  it.each(["SIGINT", "SIGTERM"] as const)(
    "drains when every process of the group gets one %s, as from a terminal or a supervisor",
    async (signal) => {
      const wrapped = await startWrapped();
      process.kill(-wrapped.wrapper.pid!, signal);
      expect(await endOf(wrapped)).toMatchObject({ code: 0, output: expect.stringContaining("drained") });
    },
  );

  it("ends at once when the wrapper gets a second SIGINT", async () => {
    const wrapped = await startWrapped();
    wrapped.wrapper.kill("SIGINT");
    await until("draining", () => wrapped.output().includes("draining"));
    await delay(600);
    wrapped.wrapper.kill("SIGINT");
    const { code, output } = await endOf(wrapped);
    expect(code).toBe(130);
    expect(output).not.toContain("drained");
  });

  it("ends when the wrapper is killed", async () => {
    const wrapped = await startWrapped();
    wrapped.wrapper.kill("SIGKILL");
    await until("the end of the program", () => !isRunning(wrapped.pid));
    expect(wrapped.output()).toContain("drained");
  });
});

/** Runs a command in a terminal of its own, types Ctrl-C once it says `ready`, and prints what came and how it ended. */
const TERMINAL = `
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
text, typed, started = b"", 0, time.monotonic()
while time.monotonic() - started < 20:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    text += chunk
    if (typed == 0 and b"ready" in text) or (typed == 1 and sys.argv[1] == "2" and b"draining" in text):
        if typed == 1:
            time.sleep(0.6)
        os.write(terminal, b"\\x03")
        typed += 1
_, status = os.waitpid(pid, 0)
sys.stdout.write(text.decode() + "\\nended " + str(os.waitstatus_to_exitcode(status)))
`;
const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0;
const inTerminal = (times: number, command: string[]): string =>
  spawnSync("python3", ["-c", TERMINAL, String(times), ...command], { cwd: project, encoding: "utf8" })
    .stdout;

describe.skipIf(!hasPython)("Ctrl-C in a terminal", () => {
  const bridge = [process.execPath, "app/bridge.mjs", "run", "program.ts"];
  it("drains the program behind the wrapper", () => {
    const text = inTerminal(1, bridge);
    expect(text).toMatch(/drained/);
    expect(text).toMatch(/ended 0$/);
  });

  it("drains it once when npm started it, which hands the signal on too", () => {
    expect(inTerminal(1, ["npm", "start"])).toMatch(/drained/);
    expect(inTerminal(1, ["npm", "exec", "--", process.execPath, "program.ts"])).toMatch(/drained/);
  });

  it("ends it at once when it is typed twice", () => {
    const text = inTerminal(2, bridge);
    expect(text).not.toMatch(/drained/);
    expect(text).toMatch(/ended 130$/);
  });
});
