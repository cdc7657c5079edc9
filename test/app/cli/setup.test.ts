/** `bridge setup`: what a start refuses, what a dry run shows, and that nothing else writes a stream's configuration. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { brokerUrlOf } from "../../../app/cli/parts.ts";
import { setUpStorage } from "../../../app/cli/setup.ts";
import { openRuntime } from "../../../app/processes/runtime.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openManager } from "../../../src/adapters/nats/broker.ts";
import { METADATA, streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { STORAGE_VERSION, StorageMismatch } from "../../../src/ports/storage.ts";
import { type Config, readConfig } from "../../../src/runtime/config.ts";

const configOf = (prefix: string, more: Record<string, string> = {}): Config =>
  readConfig({ BRIDGE_NATS_PREFIX: prefix, BRIDGE_NATS_URL: inject("natsUrl"), ...more });
const newPrefix = (): string => `m${randomBytes(6).toString("hex")}`;

let manager: Awaited<ReturnType<typeof openManager>>;
beforeAll(async () => {
  manager = await openManager({ url: inject("natsUrl"), name: "test", prefix: "none", clock: systemClock });
});
afterAll(() => manager?.close());

async function setUp(config: Config, flags = { dryRun: false, create: true }) {
  const lines: string[] = [];
  const changes = await setUpStorage(config, brokerUrlOf(config), flags, (line) => void lines.push(line));
  return { lines, changes };
}
async function streamsOf(prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of manager.jsm.streams.names()) if (name.includes(prefix)) names.push(name);
  return names;
}
async function joined(config: Config): Promise<void> {
  const runtime = await openRuntime(config, brokerUrlOf(config));
  await runtime.close();
}

describe("the streams of a registry", () => {
  it("are made by no start: a wrong prefix makes nothing, and the start says what to run", async () => {
    const prefix = newPrefix();
    await expect(joined(configOf(prefix))).rejects.toThrow(StorageMismatch);
    await expect(joined(configOf(prefix))).rejects.toThrow(
      `The broker holds no registry named ${prefix} (BRIDGE_NATS_PREFIX). Run \`bridge setup\``,
    );
    await setUp(configOf(newPrefix()));
    await expect(setUp(configOf(prefix), { dryRun: false, create: false })).rejects.toThrow(/--create/);
    expect(await streamsOf(prefix)).toEqual([]);
  });

  it("are shown by a dry run, made once, and then are as they should be", async () => {
    const prefix = newPrefix();
    const dry = await setUp(configOf(prefix), { dryRun: true, create: true });
    expect(dry.lines).toContain(`create KV_${prefix}_sites`);
    expect(await streamsOf(prefix)).toEqual([]);
    const first = await setUp(configOf(prefix));
    expect(first.lines.at(-1)).toBe(`create ${prefix}_FRONTIER`);
    expect(await streamsOf(prefix)).toHaveLength(first.changes.length);
    expect((await setUp(configOf(prefix))).changes).toEqual([]);
    await joined(configOf(prefix));
  });

  it("are written by no start, whatever its settings say", async () => {
    const prefix = newPrefix();
    await setUp(configOf(prefix));
    const read = async () => {
      const infos = await Promise.all(
        (await streamsOf(prefix)).map((name) => manager.jsm.streams.info(name)),
      );
      return infos.map(({ config }) => config);
    };
    const before = await read();
    await joined(configOf(prefix, { BRIDGE_NATS_REPLICAS: "3", BRIDGE_STORE_GIB: "7" }));
    expect(await read()).toEqual(before);
    const { lines } = await setUp(configOf(prefix, { BRIDGE_STORE_GIB: "7" }), {
      dryRun: true,
      create: false,
    });
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^update KV_${prefix}_operator_audit: max_bytes \\d+ → \\d+$`)),
    );
  });

  it("of another version are left alone, and the start says so", async () => {
    const prefix = newPrefix();
    await setUp(configOf(prefix));
    const { name } = streamConfigs(prefix).frontier;
    const other = String(STORAGE_VERSION + 1);
    await manager.jsm.streams.update(name, { metadata: { [METADATA.version]: other } });
    await expect(joined(configOf(prefix))).rejects.toThrow(`is of storage version ${other}`);
    await expect(setUp(configOf(prefix))).rejects.toThrow(`is of storage version ${other}`);
  });

  it("that hold more than their bound stand in the way, and nothing is changed", async () => {
    const prefix = newPrefix();
    const config = configOf(prefix);
    await setUp(config);
    const runtime = await openRuntime(config, brokerUrlOf(config));
    for (let at = 0; at < 20; at++)
      await runtime.broker.buckets.operator_audit.put(`k${at}`, "x".repeat(16_000));
    for (let at = 0; at < 60; at++) await runtime.broker.buckets.service.put(`k${at}`, "x".repeat(64_000));
    await runtime.close();
    const small = configOf(prefix, { BRIDGE_STORE_GIB: "1" });
    await expect(setUp(small)).rejects.toThrow(/KV_\w+_service holds .* raise BRIDGE_STORE_GIB/);
    const { config: held } = await manager.jsm.streams.info(`KV_${prefix}_operator_audit`);
    expect(held.max_bytes).toBeGreaterThan(60 << 20);
  });
});
