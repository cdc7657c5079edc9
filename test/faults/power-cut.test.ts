/** A power cut, not a kill: what no program had told the disk to keep is gone. What was acknowledged is not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { homePaths } from "../../app/processes/home.ts";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { isSameHash, verifyConsistency } from "../../src/domain/trust/tlog/merkle.ts";
import type { SignedHead, TransparencyLog } from "../../src/ports/log.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { freePort } from "../support/ports.ts";
import { openPowerCutDisk } from "./power-cut-disk.ts";

const disk = openPowerCutDisk();
disk?.remove();
const why = disk ? "" : " (skipped: loop devices cannot be mounted here)";

/** How long strangers write before the cut, and how old a write must be that the embedded broker's second of it cannot take along. */
const WRITING_MS = 8_000;
const OLD_MS = 5_000;

interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}
interface Opened {
  broker: NatsBroker;
  log: TransparencyLog;
  close(): Promise<void>;
}
interface Acked {
  text: string;
  leafIndex: number;
  head: SignedHead;
  atMs: number;
}

const embedded = (folder: string): Promise<Server> =>
  startBrokerServer({ binary: inject("natsBinary"), folder: homePaths(folder).nats });

/** One server with the line of deploy/nats.conf that says when it writes. */
async function deployed(folder: string): Promise<Server> {
  const line = /^ *sync_interval: \S+$/m.exec(
    readFileSync(join(import.meta.dirname, "../../deploy/nats.conf"), "utf8"),
  )![0];
  const port = await freePort();
  const file = join(folder, "deployed.conf");
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\njetstream {\n  store_dir: "${folder}/store"\n  max_file_store: 128GB\n${line}\n}\n`,
  );
  const child = spawn(inject("natsBinary"), ["-c", file], { stdio: "ignore" });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url: `nats://127.0.0.1:${port}`, pid: child.pid!, stop };
}

/** As a process of a registry whose home is `home`. */
async function open(home: string, server: Server, isEmbedded: boolean): Promise<Opened> {
  const settings = readConfig({
    BRIDGE_HOME: home,
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_PUBLIC_URL: "https://registry.example",
    ...(!isEmbedded && { BRIDGE_NATS_URL: server.url }),
  });
  let runtime: OpenedRuntime | undefined;
  // One that reads its store does not listen yet.
  await expect
    .poll(async () => (runtime = await openRuntime(settings, server.url).catch(() => undefined)), {
      timeout: 60_000,
    })
    .toBeDefined();
  const { broker, transparency, close } = runtime!;
  return { broker, log: await transparency(), close: () => close().catch(() => undefined) };
}

/** Writes until `ended`: leaves of both kinds, and a record after each. What is acknowledged is told. */
async function write(
  { broker, log }: Opened,
  name: string,
  told: Acked[],
  ended: () => boolean,
): Promise<void> {
  const topic = { kind: "interaction", project: "p" } as const;
  for (let i = 0; !ended(); i++) {
    const text = `${name}-${i}`;
    const entry = Buffer.from(text);
    const { leafIndex, head } = await (i % 2
      ? log.commit({ kind: "change" }, text, entry)
      : log.append(topic, text, entry));
    await broker.buckets.registrations.put(text, text);
    if (!ended()) told.push({ text, leafIndex, head, atMs: performance.now() });
  }
}

/** Writes, cuts the power and starts again. @returns what was acknowledged, and the broker that came back */
async function cutWhileWriting(start: (folder: string) => Promise<Server>, isEmbedded: boolean) {
  const cuttable = openPowerCutDisk()!;
  onTestFinished(() => cuttable.remove());
  const server = await start(cuttable.folder);
  onTestFinished(() => server.stop());
  const before = await open(cuttable.folder, server, isEmbedded);
  const acked: Acked[] = [];
  let isCut = false;
  const writing = Promise.all(["a", "b", "c", "d"].map((name) => write(before, name, acked, () => isCut)));
  await delay(WRITING_MS);
  const unsynced = "not told to the disk".repeat(1_000);
  writeFileSync(join(cuttable.folder, "unsynced"), unsynced);
  // It writes no more; what it has said by now, it has said.
  process.kill(server.pid, "SIGSTOP");
  await delay(100);
  isCut = true;
  const cutAtMs = performance.now();
  const after = cuttable.cut();
  process.kill(server.pid, "SIGCONT");
  await writing;
  await before.close();
  await server.stop();
  // The disk is one that forgets.
  expect(readOr(join(after, "unsynced"))).not.toBe(unsynced);
  const again = await start(after);
  onTestFinished(() => again.stop());
  const opened = await open(after, again, isEmbedded);
  onTestFinished(() => opened.close());
  return { acked, cutAtMs, ...opened };
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Every leaf in its place with its entry, and one history: the last head that was signed is of the tree that is there. */
async function expectLeaves(log: TransparencyLog, acked: readonly Acked[]): Promise<void> {
  expect(acked.length).toBeGreaterThan(50);
  const lost: string[] = [];
  for (const { text, leafIndex } of acked) {
    const found = await log.leaf(leafIndex);
    const entry =
      found && "leaf" in found ? Buffer.from(found.opening?.entry ?? found.leaf).toString() : undefined;
    if (entry !== text) lost.push(text);
  }
  expect(lost).toEqual([]);
  const signed = acked.map(({ head }) => head).reduce((a, b) => (a.size > b.size ? a : b));
  const head = await log.head();
  const proof = await log.consistencyProof(signed.size, head.size);
  const isOne =
    head.size === signed.size
      ? isSameHash(head.root, signed.root)
      : verifyConsistency(signed.size, head.size, proof, signed.root, head.root);
  expect([head.size >= signed.size, isOne]).toEqual([true, true]);
  await log.append({ kind: "registration" }, "on", Buffer.from("it goes on"));
}

describe.skipIf(!disk)(`a power cut${why}`, () => {
  it("of a machine with its own broker takes no leaf along, and of other records what is younger than seconds", {
    timeout: 180_000,
  }, async () => {
    const { acked, cutAtMs, broker, log } = await cutWhileWriting(embedded, true);
    await expectLeaves(log, acked);
    const lost: string[] = [];
    for (const { text, atMs } of acked)
      if (cutAtMs - atMs > OLD_MS && !(await broker.buckets.registrations.get(text))) lost.push(text);
    expect(lost).toEqual([]);
  });

  it("of a broker with the deployed setting takes nothing along that was acknowledged", {
    timeout: 180_000,
  }, async () => {
    const { acked, broker, log } = await cutWhileWriting(deployed, false);
    await expectLeaves(log, acked);
    const lost: string[] = [];
    for (const { text } of acked) if (!(await broker.buckets.registrations.get(text))) lost.push(text);
    expect(lost).toEqual([]);
  });
});
