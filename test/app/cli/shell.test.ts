/** The command line in a shell: completion by a real bash, colors on a real terminal, and none elsewhere. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { headlineOf, type Part } from "../../../app/cli/status.ts";
import { createProgram } from "../../../app/program.ts";
import { bridge } from "./run.ts";

const run = promisify(execFile);
const MAIN = new URL("../../../app/main.ts", import.meta.url).pathname;

describe("completion", () => {
  it("completes every command, and the options of each, in a real bash", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-completion-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "bridge.bash");
    const { code, out } = await bridge(["completion", "bash"]);
    expect(code).toBe(0);
    writeFileSync(file, out);
    const completed = async (...words: string[]): Promise<string[]> => {
      const typed = ["bridge", ...words].map((word) => `'${word}'`).join(" ");
      const script = `source ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _bridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return (await run("bash", ["--norc", "-euc", script])).stdout.split("\n").filter(Boolean);
    };
    const { commands } = createProgram();
    expect(await completed("")).toEqual(commands.map((command) => command.name()));
    expect(await completed("reg")).toEqual(["register"]);
    for (const name of ["blocks", "search", "publish"]) {
      const command = commands.find((each) => each.name() === name)!;
      const flags = [...command.options.map(({ long }) => long!), "--help"];
      expect(await completed(name, "--"), name).toEqual(flags);
    }
    expect(await completed("search", "--li")).toEqual(["--limit"]);
  });

  it.each(["zsh", "fish"])("has every command for %s", async (shell) => {
    const { code, out } = await bridge(["completion", shell]);
    expect(code).toBe(0);
    for (const command of createProgram().commands) expect(out).toContain(command.name());
    for (const quote of out.matchAll(/'[^'\n]*'/g)) expect(quote[0]).not.toContain("\u001b");
  });
});

describe("colors", () => {
  const ESCAPE = "\u001b[";
  /** Standard output is a terminal of its own. */
  const onTerminal = async (args: string, env: Record<string, string> = {}): Promise<string> => {
    const home = mkdtempSync(join(tmpdir(), "bridge-colors-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const settings = {
      PATH: process.env.PATH!,
      TERM: "xterm-256color",
      BRIDGE_HOME: home,
      PORT: "1",
      ...env,
    };
    const command = `${process.execPath} ${MAIN} ${args}`;
    const { stdout } = await run("script", ["-qc", command, "/dev/null"], { env: settings });
    return stdout;
  };

  it.skipIf(process.platform !== "linux")("are on a terminal, unless NO_COLOR says no", async () => {
    expect(await onTerminal("status")).toContain(`${ESCAPE}31m`);
    expect(await onTerminal("status", { NO_COLOR: "1" })).not.toContain(ESCAPE);
    expect(await onTerminal("status --json")).not.toContain(ESCAPE);
    expect(await onTerminal("status --help")).toContain(`${ESCAPE}1mUsage:`);
  });

  it("are in no pipe, unless FORCE_COLOR says so, and in no JSON at all", async () => {
    const settings = { BRIDGE_NATS_URL: "nats://127.0.0.1:1", PORT: "1", NO_COLOR: "" };
    const forced = { ...settings, FORCE_COLOR: "1" };
    expect((await bridge(["status"], settings)).out).not.toContain(ESCAPE);
    expect((await bridge(["status"], forced)).out).toContain(ESCAPE);
    expect((await bridge(["status", "--json"], forced)).out).not.toContain(ESCAPE);
  });
});

describe("the headline of status", () => {
  const up: Part = { part: "broker", where: "nats://b", up: true };
  const down: Part = { part: "worker", where: "crawler", up: false, detail: "no process answers" };
  it.each([
    [{ ok: true, parts: [up], sites: 3 }, "All is well: 1 part up, 3 sites known"],
    [
      { ok: true, parts: [up, up], sites: 1, deadLetters: 2, storage: [{ stream: "heard", percent: 93 }] },
      "Up, with something to look at: heard nearly full; 2 dead letters (2 parts up, 1 site known)",
    ],
    [{ ok: false, parts: [up, down] }, "1 part is down: worker crawler"],
  ])("of %j is one line", (status, line) => {
    expect(headlineOf(status as Parameters<typeof headlineOf>[0])).toBe(line);
  });
});
