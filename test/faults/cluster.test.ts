/** What an operator sees of a broker's cluster under faults: three real nats-servers, three copies of each stream. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { joinRuntime } from "../../app/cli/parts.ts";
import { setUpStorage } from "../../app/cli/setup.ts";
import { attentionOf, partOf, readStatus } from "../../app/cli/status-read.ts";
import { startFront } from "../../app/front/front.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import type { OpenedRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { bucketStream } from "../../src/adapters/nats/topology.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { freePort } from "../support/ports.ts";

let cluster: Cluster;
let home: string;
let runtime: OpenedRuntime;
beforeAll(async () => {
  cluster = await startCluster(inject("natsBinary"));
  home = mkdtempSync(join(tmpdir(), "bridge-test-cluster-"));
  const config = readConfig({
    BRIDGE_HOME: home,
    BRIDGE_NATS_URL: cluster.url,
    BRIDGE_NATS_CA: cluster.caFile,
    BRIDGE_NATS_PREFIX: "seen",
    BRIDGE_NATS_REPLICAS: "3",
    BRIDGE_STORE_GIB: "1",
    BRIDGE_LOG_LEVEL: "fatal",
    BRIDGE_LIMITS_PERCENT: "10000",
    PORT: String(await freePort()),
  });
  await setUpStorage(config, cluster.url, { dryRun: false, create: true }, () => undefined);
  runtime = await joinRuntime(config);
}, 120_000);
afterAll(async () => {
  await runtime?.close();
  await cluster?.stop();
  rmSync(home, { recursive: true, force: true });
});

const look = () => readStatus(runtime, partOf("broker", "three servers", "up"));
const copies = async () => (await runtime.broker.storage()).copies;

describe("the status of a registry on three brokers", () => {
  it("counts every copy, names the broker that is away, says what its loss means, and is quiet once it has caught up", async () => {
    const whole = await copies();
    expect(whole).toMatchObject({ behind: 0, offline: 0, servers: [], current: whole.wanted });
    expect(whole.wanted).toBeGreaterThan(100);
    const lost = cluster.names.at(-1)!;
    await cluster.kill(lost);
    await expect
      .poll(async () => (await copies()).servers, { timeout: 30_000, interval: 500 })
      .toEqual([lost]);
    // Leaders are elected first.
    const said = new RegExp(
      `^\\d+ of ${whole.wanted} copies of streams are not current \\(${lost}\\): the next broker that is lost stops writes$`,
    );
    await expect
      .poll(async () => (await look()).attention[0], { timeout: 60_000, interval: 500 })
      .toMatch(said);
    const { behind, offline } = await copies();
    expect(behind + offline).toBe(whole.wanted / 3);
    await cluster.restart(lost);
    await expect
      .poll(async () => (await copies()).current, { timeout: 60_000, interval: 500 })
      .toBe(whole.wanted);
    expect(attentionOf({ ...(await look()), roles: [] } as never, null)).toEqual([]);
  }, 150_000);

  it("ends within seconds where no leader answers, and calls nothing down that it does not know of", async () => {
    const [keys] = await startRoles(runtime, ["accounts"], createMetrics());
    onTestFinished(() => keys!.drain());
    const others = cluster.names.slice(1);
    for (const name of others) cluster.signal(name, "SIGSTOP");
    onTestFinished(() => {
      for (const name of others) cluster.signal(name, "SIGCONT");
    });
    const startedMs = performance.now();
    const { parts, ok } = await look();
    expect(performance.now() - startedMs).toBeLessThan(12_000);
    expect(ok).toBe(false);
    expect(parts.find(({ where }) => where === "accounts")?.state).not.toBe("down");
    expect(parts.find(({ part }) => part === "storage")).toMatchObject({ state: "down" });
  }, 60_000);
});

describe("creations while the server that leads their stream is killed", () => {
  it("are each made once, and told to whoever repeats them with their key", async () => {
    // The brokers were stopped by the test before: their streams elect leaders, and copies catch up.
    await expect.poll(async () => (await copies()).behind, { timeout: 60_000, interval: 500 }).toBe(0);
    const [keys] = await startRoles(runtime, ["accounts"], createMetrics());
    onTestFinished(() => keys!.drain());
    const front = await startFront(runtime, createMetrics());
    onTestFinished(() => front.close());
    const post = async (key: string) => {
      const reply = await fetch(`http://127.0.0.1:${runtime.config.PORT}/api/v1/keys/generate`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ owner: "a test", email: `${key}@example.com` }),
      });
      return { status: reply.status, body: (await reply.json()) as { key?: string; code?: string } };
    };
    const untilMade = async (key: string): Promise<string> => {
      const giveUpAt = performance.now() + 90_000;
      for (;;) {
        const { status, body } = await post(key);
        if (status === 200) return body.key!;
        expect([key, body.code]).not.toEqual([key, "unknown_outcome"]);
        if (performance.now() > giveUpAt) throw new Error(`${key}: still ${status} ${body.code}`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    };
    const { cluster: raft } = await runtime.broker.jsm.streams.info(bucketStream("seen", "keys"));
    const names = Array.from({ length: 12 }, (_, i) => `creation-${i}`);
    const making = names.map(async (name, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 20));
      return untilMade(name);
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await cluster.kill(raft!.leader!);
    onTestFinished(() => cluster.restart(raft!.leader!));
    const made = await Promise.all(making);
    expect(new Set(made).size).toBe(names.length);
    for (const [i, name] of names.entries()) expect(await untilMade(name)).toBe(made[i]);
    expect(await runtime.broker.buckets.keys.count()).toBe(names.length);
  }, 150_000);
});
