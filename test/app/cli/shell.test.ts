/** The command line in a shell: colors on a real terminal, and none elsewhere. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { statusHeadline } from "../../../app/cli/status.ts";
import { attentionOf, type Counts, partOf } from "../../../app/cli/status-read.ts";
import { bridge } from "./run.ts";

const run = promisify(execFile);
const MAIN = new URL("../../../app/main.ts", import.meta.url).pathname;

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

describe("a pipe whose reader has enough", () => {
  it("ends the command without a word", async () => {
    const piped = `"${process.execPath}" "${MAIN}" call --help | true; exit "\${PIPESTATUS[0]}"`;
    expect(await run("bash", ["-c", piped])).toEqual({ stdout: "", stderr: "" });
  });
});

describe("the headline of status", () => {
  const up = partOf("broker", "nats://b", "up");
  const down = partOf("worker", "crawler", "down", "no process answers");
  const unknown = partOf("worker", "search", "unknown", "has not answered");
  it.each([
    [{ ok: true, attention: [], parts: [up], sites: 3 }, "All is well: 1 part up, 3 sites known"],
    [
      { ok: true, parts: [up, up], sites: 1, attention: ["discovered nearly full", "2 dead letters"] },
      "Up, with something to look at: discovered nearly full; 2 dead letters (2 parts up, 1 site known)",
    ],
    [{ ok: false, attention: [], parts: [up, down] }, "1 part is down: worker crawler"],
    [
      { ok: false, attention: [], parts: [up, down, unknown] },
      "1 part is down: worker crawler; 1 part does not answer: worker search",
    ],
  ])("of %j is one line", (status, line) => {
    expect(statusHeadline(status as Parameters<typeof statusHeadline>[0])).toBe(line);
  });
});

describe("what status says to look at", () => {
  const quiet: Counts = {
    frontier: { tokens: 9, due: 0, inFlight: 0, redelivered: 0 },
    sites: 9,
    deadLetters: 0,
    agentWeb: null,
    blocked: 0,
    storage: [],
    copies: { wanted: 9, current: 9, behind: 0, offline: 0, servers: [] },
    witnesses: [],
    logFaults: [],
    own: { publicUrl: "https://r.example", kid: "k" },
    roles: [],
  };
  const role = (name: string, counts: Record<string, number>, trouble: string | null = null) => ({
    role: name,
    process: "host-a:7",
    trouble,
    requests: 0,
    errors: 0,
    averageMs: 0,
    counts,
  });
  it.each<[string, Partial<Counts>, string | null, string[]]>([
    ["nothing", {}, null, []],
    [
      "copies that a broker lost",
      { copies: { wanted: 9, current: 6, behind: 2, offline: 1, servers: ["nats-3"] } },
      null,
      ["3 of 9 copies of streams are not current (nats-3): the next broker that is lost stops writes"],
    ],
    [
      "an index that takes no writes, by host and process",
      { roles: [role("indexer", { lag: 397 }, "the index takes no writes: it answers 403")] },
      null,
      ["indexer (host-a:7): the index takes no writes: it answers 403"],
    ],
    ["an index that is being filled", {}, "it is being filled", ["index: it is being filled"]],
    [
      "visits of which most fail, over all crawlers",
      {
        roles: [
          role("crawler", { recent_visits: 390, recent_failed: 390 }),
          role("crawler", { recent_visits: 9, recent_failed: 9 }),
        ],
      },
      null,
      ["399 of 399 visits of the last 10 minutes failed"],
    ],
    [
      "few visits, however they end",
      { roles: [role("crawler", { recent_visits: 9, recent_failed: 9 })] },
      null,
      [],
    ],
    [
      "a witness that saw another tree, and none of a policy that is no more",
      {
        roles: [role("trust", { "cosigned_size A": 7 })],
        witnesses: ["A", "gone"].map((name) => ({
          name,
          size: 7,
          at: "2026-01-02T03:04:05Z",
          fault: "fork",
        })),
      },
      null,
      [
        "witness A: it saw another tree of this log: two histories were signed, or the witness lies; it cosigned 7 entries last, at 2026-01-02T03:04:05Z",
      ],
    ],
    [
      "a registry that is followed and shows two histories",
      {
        logFaults: [
          { source: "mcp-registry:\u001b[2Jpeer.example", kind: "fork", since: "2026-01-02T03:04:05Z" },
        ],
      },
      null,
      [
        "registry mcp-registry:�[2Jpeer.example: its log is not the one that was seen before: two histories were signed, or its tiles are false; since 2026-01-02T03:04:05Z",
      ],
    ],
    ["counts that are not known", { copies: null, storage: null, deadLetters: null }, null, []],
  ])("is %s", (_, counts, unfilled, looks) => {
    expect(attentionOf({ ...quiet, ...counts }, unfilled)).toEqual(looks);
  });
});
