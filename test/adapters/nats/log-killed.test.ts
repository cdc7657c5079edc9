/** The log under kill -9, of its workers and of its broker: what was acknowledged stands where it stood. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, inject, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import { startBrokerServer } from "../../../src/adapters/nats/server.ts";
import { auditCopy } from "../../../src/domain/trust/tlog/audit.ts";
import { parseNoteKey } from "../../../src/domain/trust/tlog/note.ts";
import { decodeBundle, parseTilePath } from "../../../src/domain/trust/tlog/tiles.ts";
import { openIdentity } from "../../../src/stores/identity.ts";

const APPENDER = fileURLToPath(new URL("./log-appender.ts", import.meta.url));

interface Acked {
  text: string;
  leafIndex: number;
  note: string;
}

it("keeps every acknowledged entry in its place through kill -9 of workers and broker", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-log-"));
  const server = await startBrokerServer({ binary: inject("natsBinary"), folder });
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const acked: Acked[] = [];
  let wanted = Promise.withResolvers<void>();
  let goal = 400;
  const start = (name: string) => {
    const child = spawn(process.execPath, [APPENDER, server.url, "killed", name], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    // One that outlives a test that failed would hold the output of the whole run open.
    onTestFinished(() => void child.kill("SIGKILL"));
    createInterface({ input: child.stdout }).on("line", (line) => {
      // A line that the kill cut in half was no acknowledgement to anybody.
      if (line.endsWith("}")) acked.push(JSON.parse(line) as Acked);
      if (acked.length >= goal) wanted.resolve();
    });
    return child;
  };
  const kill = async (child: ReturnType<typeof spawn>) => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const first = start("first");
  // One of two that make the streams at once may be refused (setup.ts).
  const ackedBy = (name: string) => acked.filter(({ text }) => text.startsWith(name)).length;
  await expect.poll(() => ackedBy("first"), { timeout: 20_000 }).toBeGreaterThan(0);
  const second = start("second");
  await wanted.promise;
  // One that is still starting ends when its broker does.
  await expect.poll(() => ackedBy("second"), { timeout: 20_000 }).toBeGreaterThan(0);
  await kill(first);
  process.kill(server.pid, "SIGKILL");
  wanted = Promise.withResolvers();
  goal = acked.length + 400;
  // The second goes on by itself once the broker is back.
  await wanted.promise;
  await kill(second);

  const broker = await openBroker({
    url: server.url,
    prefix: "killed",
    name: "reader",
    clock: systemClock,
    setUp: true,
  });
  onTestFinished(() => broker.close());
  const log = await openLog(
    broker,
    await openIdentity(broker.buckets.service),
    "https://registry.example",
    systemClock,
  );
  const { note, size } = await log.head();
  const entries: string[] = [];
  const read = async (path: string) => {
    if (path === "checkpoint") return Buffer.from(note);
    const name = parseTilePath(path)!;
    const bytes = await log.tile(name);
    if (name.level === "entries")
      entries.push(...decodeBundle(bytes!, name.width)!.map((entry) => Buffer.from(entry).toString()));
    return bytes;
  };
  const key = parseNoteKey(log.key)!;
  for (const { note: earlier } of [acked[0]!, acked[acked.length >> 1]!, acked.at(-1)!]) {
    entries.length = 0;
    expect(await auditCopy(read, { key, earlier: Buffer.from(earlier) })).toMatchObject({
      entries: size,
      faults: [],
    });
  }
  expect(acked.filter(({ text, leafIndex }) => entries[leafIndex] !== text)).toEqual([]);
  expect(new Set(entries).size).toBe(entries.length);
}, 60_000);
