/**
 * The registry and a witness of others: litewitness of torchwood (Go), which shares no code with it. Go builds it once, into the
 * cache of node_modules; OpenSSH's agent holds its key.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyCheckpoint } from "../../../sdk/typescript/src/index.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { EMPTY_ROOT } from "../../../src/domain/trust/tlog/merkle.ts";
import { formatNoteKey, noteKeyOf } from "../../../src/domain/trust/tlog/note.ts";
import { SAID } from "../../../src/stores/witnesses.ts";
import { ASK_EVERY_MS, askWitnesses, readCosignatures } from "../../../workers/trust/witnesses.ts";
import { freePort } from "../../support/ports.ts";
import { startRegistry } from "../../support/registry.ts";
import { depsFor, fill, newIdentity, openTestLog } from "./witness-servers.ts";

const VERSION = "v0.10.0";
const FOLDER = join(import.meta.dirname, "../../../node_modules/.cache/litewitness", VERSION);
const BINARY = join(FOLDER, "litewitness");
const newKey = (name: string) => formatNoteKey(noteKeyOf(name, generateKey().publicKey));
const signal = new AbortController().signal;

function whyNot(): string {
  if (spawnSync("ssh-agent", ["-h"]).error) return "OpenSSH's agent is not installed";
  if (existsSync(BINARY)) return "";
  // It needs a newer Go than distributions have: Go fetches the one that its module names.
  const env = { ...process.env, GOBIN: FOLDER, GOTOOLCHAIN: "auto" };
  const built = spawnSync("go", ["install", `filippo.io/torchwood/cmd/litewitness@${VERSION}`], { env });
  return existsSync(BINARY) ? "" : `Go did not build it: ${built.error?.message ?? built.stderr}`;
}
const why = whyNot();

/** A process that is stopped at the test's end. */
function start(command: string, args: string[], cwd: string): ChildProcess {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A witness, its line of a policy, and what makes it know a log by its key. */
async function startWitness() {
  // Names of sockets are short.
  const folder = mkdtempSync(join(tmpdir(), "lw-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [agent, key] = [join(folder, "agent"), join(folder, "key")];
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  start("ssh-agent", ["-D", "-a", agent], folder);
  await expect.poll(() => existsSync(agent)).toBe(true);
  execFileSync("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: agent }, stdio: "ignore" });
  const fingerprint = execFileSync("ssh-keygen", ["-l", "-f", key], { encoding: "utf8" }).split(" ")[1]!;
  const port = await freePort();
  const options = ["-name", "witness.example/w1", "-ssh-agent", agent, "-key", fingerprint];
  const witness = start(BINARY, [...options, "-listen", `127.0.0.1:${port}`], folder);
  let said = "";
  witness.stderr!.on("data", (part) => {
    said += part;
  });
  await expect.poll(() => /vkey=\S+/.test(said) && /listening/.test(said), { message: said }).toBe(true);
  const line = `witness lite ${/vkey="?([^"\s]+)/.exec(said)![1]} http://127.0.0.1:${port}\n`;
  const knows = ({ origin, key }: { origin: string; key: string }): void => {
    const database = new DatabaseSync(join(folder, "litewitness.db"));
    const root = Buffer.from(EMPTY_ROOT).toString("base64");
    database.prepare("INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)").run(origin, root);
    database.prepare("INSERT INTO key (origin, key) VALUES (?, ?)").run(origin, key);
    database.close();
  };
  return { folder, line, knows };
}

describe.skipIf(why !== "")(`a witness of others${why && ` (skipped: ${why})`}`, () => {
  it("cosigns a log as it grows, and its cosignatures are what the SDK's readers ask for", async () => {
    const log = await openTestLog(newIdentity());
    const { origin, key } = log.transparency;
    const witness = await startWitness();
    witness.knows(log.transparency);
    const policy = `log ${key}\n${witness.line}quorum lite\n`;
    const at = { now: Date.now() };
    const deps = depsFor(log, policy, at);
    // Powers of two, one more, and across a tile.
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 7],
      [7, 8],
      [8, 300],
    ] as const) {
      await fill(log.transparency, from, to);
      at.now += ASK_EVERY_MS;
      await askWitnesses(deps, signal);
      const reached = await readCosignatures(deps).reached();
      const state = await verifyCheckpoint(reached!.note, policy);
      expect(state).toMatchObject({ origin, size: to, witnesses: { lite: expect.any(Number) } });
    }
  });

  it("refuses a second history of one key, at its size and beyond, and goes on with the first", async () => {
    const identity = newIdentity();
    const [one, two] = [await openTestLog(identity), await openTestLog(identity)];
    const witness = await startWitness();
    witness.knows(one.transparency);
    const policy = `${witness.line}quorum lite\n`;
    const at = { now: Date.now() };
    const ask = async (log: typeof one) => {
      at.now += 8 * ASK_EVERY_MS;
      const deps = depsFor(log, policy, at);
      await askWitnesses(deps, signal);
      return (await deps.said.get(SAID))!.value.words[0]!;
    };
    await fill(one.transparency, 0, 5, "one");
    expect(await ask(one)).toMatchObject({ size: 5, fault: null });
    await fill(two.transparency, 0, 4, "two");
    expect(await ask(two)).toMatchObject({ size: 0, fault: "ahead" });
    await fill(two.transparency, 4, 5, "two");
    expect(await ask(two)).toMatchObject({ size: 0, fault: "fork" });
    await fill(two.transparency, 5, 9, "two");
    expect(await ask(two)).toMatchObject({ size: 0, fault: "fork", line: null });
    await fill(one.transparency, 5, 6, "one");
    expect(await ask(one)).toMatchObject({ size: 6, fault: null });
  });

  it("knows no other log, and trusts no other key of this one", async () => {
    const [known, stranger] = [await openTestLog(newIdentity()), await openTestLog(newIdentity())];
    const { key } = known.transparency;
    const at = { now: Date.now() };
    const faultOf = async (origin: string) => {
      const witness = await startWitness();
      witness.knows({ origin, key });
      const deps = depsFor(stranger, `${witness.line}quorum lite\n`, at);
      at.now += ASK_EVERY_MS;
      await askWitnesses(deps, signal);
      return (await deps.said.get(SAID))!.value.words.at(-1)!.fault;
    };
    await fill(stranger.transparency, 0, 3);
    expect(await faultOf("another.example/log")).toBe("refused_log");
    expect(await faultOf(stranger.transparency.origin)).toBe("refused_key");
  });

  it("is asked by a registry whose operator names it, and anybody reads what it cosigned", {
    timeout: 120_000,
  }, async () => {
    const witness = await startWitness();
    const file = join(witness.folder, "policy");
    writeFileSync(file, `${witness.line}quorum lite\n`);
    const config = { BRIDGE_WITNESS_POLICY: file };
    const registry = await startRegistry({ roles: ["trust"], alsoAllow: "127.0.0.1/32:*", config });
    onTestFinished(() => registry.stop());
    const read = async (query: string) => {
      const reply = await fetch(`${registry.url}/.well-known/bridge-log/checkpoint${query}`);
      return { status: reply.status, text: await reply.text() };
    };
    expect(await read("?witnessed=true")).toMatchObject({ status: 404 });
    const log = await registry.runtime.transparency();
    witness.knows(log);
    await fill(log, 0, 3);
    await expect.poll(async () => (await read("?witnessed=true")).status, { timeout: 90_000 }).toBe(200);
    const { text } = await read("?witnessed=true");
    expect(await verifyCheckpoint(text, `log ${log.key}\n${witness.line}quorum lite\n`)).toMatchObject({
      size: 3,
    });
    expect((await read("")).text).toBe(text);
    expect(await registry.metrics.text()).toContain(
      'bridge_role_count{role="trust",count="cosigned_size lite"} 3',
    );
    // A policy for another log is a mistake that a start tells, not one that readers find.
    writeFileSync(file, `log ${newKey("other.example/log")}\n${witness.line}quorum lite\n`);
    await expect(startRegistry({ roles: ["trust"], config, join: registry })).rejects.toThrow(
      "is for other logs",
    );
  });
});
