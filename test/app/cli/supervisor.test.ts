import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { pauseAfter } from "../../../app/supervisor.mjs";

const SUPERVISOR = new URL("../../../app/supervisor.mjs", import.meta.url).href;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A supervisor of children that run `script` each, on the Node of these tests. */
function supervised(script: string, restart = true, mostMissed = 15) {
  const program = `
    import { spawn } from "node:child_process";
    import { supervise } from ${JSON.stringify(SUPERVISOR)};
    const start = () => {
      console.log("start");
      return spawn(process.execPath, ["-e", ${JSON.stringify(script)}], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
    };
    const { child } = supervise(start, ${restart}, ${mostMissed});
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  return {
    child,
    starts: () => output.match(/^start$/gm)?.length ?? 0,
    output: () => output,
    ended: once(child, "close").then(([code]) => code as number),
    says: async (words: string) => {
      while (!output.includes(words)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

describe("the supervisor", () => {
  it("starts again what ended by the watchdog or crashed, at a growing distance", async () => {
    for (const [script, how] of [
      ["process.exit(5)", "with code 5"],
      ["process.abort()", "by SIGABRT"],
    ] as const) {
      const { child, starts, says, ended } = supervised(script);
      await says(`bridge ended ${how}; restarting in 1 s`);
      await says(`bridge ended ${how}; restarting in 2 s`);
      expect(starts()).toBe(2);
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  });

  it.each([0, 1, 2, 3, 130])("ends with code %i as its child did, and starts nothing", async (code) => {
    const { starts, ended } = supervised(`process.exit(${code})`);
    expect(await ended).toBe(code);
    expect(starts()).toBe(1);
  });

  it("ends a child that was stopped dead, and starts it again; one that never said that it turns may stand", async () => {
    const beating = supervised(`process.send("beat", () => process.kill(process.pid, "SIGSTOP"))`, true, 2);
    // It ends by itself some time after this test.
    const blocked = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)";
    const silent = supervised(blocked, true, 2);
    await beating.says("bridge stood still for 2 s; ending it");
    await beating.says("bridge ended by SIGKILL; restarting in 1 s");
    expect(silent.output()).toBe("start\n");
  });

  it("starts no command again that does one thing", async () => {
    const { starts, ended } = supervised("process.exit(5)", false);
    expect(await ended).toBe(5);
    expect(starts()).toBe(1);
  });

  it("waits a second at first, at most a minute, and a second again after five quiet minutes", () => {
    const pauses = Array.from({ length: 8 }, () => 0);
    for (let i = 0; i < pauses.length; i++) pauses[i] = pauseAfter(0, pauses[i - 1] ?? 0);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(pauseAfter(300_000, 60_000)).toBe(1_000);
  });

  it("ends its child when npm has started it and its shell has ended, as on a signal to npm alone", async () => {
    const program = `
      import { spawn } from "node:child_process";
      import { supervise } from ${JSON.stringify(SUPERVISOR)};
      const start = () => spawn(process.execPath, ["-e", "console.log('child ' + process.pid); setInterval(() => {}, 1000)"], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
      const supervised = supervise(start, true);
      process.on("SIGTERM", () => supervised.child.kill("SIGTERM"));
    `;
    // A shell between, as npm has one.
    const shell = spawn("sh", ["-c", '"$0" --input-type=module -e "$1" & wait', process.execPath, program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, npm_lifecycle_event: "start" },
    });
    const [line] = (await once(shell.stdout, "data")) as [Buffer];
    const pid = Number(/child (\d+)/.exec(String(line))![1]);
    onTestFinished(() => {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended, as it should.
      }
    });
    shell.kill("SIGTERM");
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });
});
