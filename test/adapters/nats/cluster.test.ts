/** Three servers in a cluster, as deploy/nats.conf has them, and without a leader. What else they survive is in faults/main.ts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { backup, restore } from "../../../app/cli/backup.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openFrontier } from "../../../src/adapters/nats/frontier.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { bucketName, streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { BUCKETS, type BucketName } from "../../../src/ports/storage.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import { readConfig } from "../../../src/runtime/config.ts";
import { openIdentity } from "../../../src/stores/identity.ts";
import { openAuthority } from "../../../world/certificates.ts";
import { type Cluster, PASSWORD, startCluster } from "../../support/cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(inject("natsBinary"));
}, 60_000);
afterAll(() => cluster?.stop());

const PREFIX = "raised";
const open = (replicas?: number): Promise<NatsBroker> =>
  openBroker({
    url: cluster.url,
    prefix: PREFIX,
    name: "test",
    clock: systemClock,
    tls: { ca: cluster.ca },
    setUp: true,
    ...(replicas && { replicas }),
  });

const STREAMS = [
  ...(Object.keys(BUCKETS) as BucketName[]).map((name) => `KV_${bucketName(PREFIX, name)}`),
  ...Object.values(streamConfigs(PREFIX)).map(({ name }) => name),
];
const all = (copies: number) => Object.fromEntries(STREAMS.map((name) => [name, copies]));

async function copiesOf({ jsm }: NatsBroker): Promise<Record<string, number>> {
  const infos = await Promise.all(STREAMS.map((name) => jsm.streams.info(name)));
  return Object.fromEntries(infos.map(({ config }) => [config.name, config.num_replicas]));
}

it("keeps as many copies as are asked for, raises them later, and never lowers them", async () => {
  const single = await open();
  expect(await copiesOf(single)).toEqual(all(1));
  const three = await open(3);
  expect(await copiesOf(three)).toEqual(all(3));
  await (await open()).close();
  expect(await copiesOf(three)).toEqual(all(3));
  await Promise.all([single.close(), three.close()]);
}, 60_000);

it("takes a backup of one copy and restores it with three, each record and every proof", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-restored-"));
  const configOf = (prefix: string, copies: number) =>
    readConfig({
      BRIDGE_HOME: folder,
      BRIDGE_NATS_URL: cluster.url,
      BRIDGE_NATS_CA: cluster.caFile,
      BRIDGE_NATS_PREFIX: prefix,
      BRIDGE_NATS_REPLICAS: String(copies),
      // Beside the registry of the other tests.
      BRIDGE_STORE_GIB: "1",
    });
  const saved = await openBroker({
    url: cluster.url,
    prefix: "saved",
    name: "test",
    clock: systemClock,
    tls: { ca: cluster.ca },
    setUp: true,
    storeBytes: 2 ** 30,
  });
  try {
    const identity = await openIdentity(saved.buckets.service);
    const log = await openLog(saved, identity, "http://127.0.0.1", systemClock);
    for (let at = 0; at < 5; at++)
      await log.append({ kind: "certificate" }, `entry ${at}`, Buffer.from(`entry ${at}`));
    await saved.buckets.accounts.put("free", "{}");
    const head = await log.head();
    const file = join(folder, "saved");
    await backup(configOf("saved", 1), file);
    await restore(configOf("restored", 3), file, { force: false });
    const restored = await openBroker({
      url: cluster.url,
      prefix: "restored",
      name: "test",
      clock: systemClock,
      tls: { ca: cluster.ca },
    });
    const again = await openLog(restored, identity, "http://127.0.0.1", systemClock);
    expect((await again.head()).root).toEqual(head.root);
    expect((await restored.buckets.accounts.get("free"))!.text()).toBe("{}");
    const { config } = await restored.jsm.streams.info("KV_restored_accounts");
    expect(config.num_replicas).toBe(3);
    await restored.close();
  } finally {
    await saved.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

it("lets no server join whose certificate is not of the cluster's authority", async () => {
  /** What a server that connects hears first, or why it hears nothing. */
  const joinAs = (certificate: { key?: string; cert?: string }): Promise<string> =>
    new Promise((resolve) => {
      const [port] = cluster.routePorts;
      const socket = connect({ host: "127.0.0.1", port: port!, ca: cluster.ca, ...certificate });
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on("data", (chunk: Buffer) => {
        resolve(String(chunk).slice(0, 4));
        socket.destroy();
      });
    });
  const home = mkdtempSync(join(tmpdir(), "bridge-test-route-"));
  const stranger = openAuthority(home, Date.now()).issueFor(["127.0.0.1"]);
  rmSync(home, { recursive: true });
  expect(await joinAs(cluster.certificate)).toBe("INFO");
  expect(await joinAs({})).toMatch(/CERTIFICATE_REQUIRED|BAD_CERTIFICATE/);
  expect(await joinAs(stranger)).toMatch(/UNKNOWN_CA|BAD_CERTIFICATE/);
});

it("lets a role's user read and write its own where there are copies, and nothing of others", async () => {
  // The prefix of deploy/nats-users.conf, which these servers include.
  const join = (user: string, setUp: boolean): Promise<NatsBroker> =>
    openBroker({
      url: cluster.url,
      user,
      password: PASSWORD,
      setUp,
      replicas: 3,
      prefix: "bridge",
      name: user,
      clock: systemClock,
      tls: { ca: cluster.ca },
    });
  const operator = await join("operator", true);
  const { gossip_places: places, accounts } = (await join("gossip", false)).buckets;
  await places.put("tried.1", "somebody");
  // A copy may answer that has not heard of the write yet.
  await expect.poll(async () => (await places.get("tried.1"))?.text()).toBe("somebody");
  const keys = async () => {
    const found: string[] = [];
    for await (const key of places.keys()) found.push(key);
    return found;
  };
  await expect.poll(keys).toEqual(["tried.1"]);
  await operator.buckets.accounts.put("id.1", "secret");
  await expect(accounts.get("id.1")).rejects.toThrow(/Permissions Violation/i);
  await expect(accounts.put("id.1", "mine")).rejects.toThrow(/Permissions Violation/i);
  await expect.poll(async () => (await operator.buckets.accounts.get("id.1"))?.text()).toBe("secret");
});

it("lets one of those win who write one record or token at once, and tells the others of a conflict", async () => {
  const brokers = await Promise.all([1, 2].map(() => open(3)));
  const buckets = brokers.map(({ buckets: { sites } }) => sites);
  let revision = 0;
  for (let round = 0; round < 50; round++) {
    const writes = Array.from({ length: 10 }, (_, i) =>
      buckets[i % 2]!.compareAndSet("contended", String(i), revision),
    );
    const won = (await Promise.all(writes)).filter((each) => each !== undefined);
    expect(won).toHaveLength(1);
    revision = won[0]!;
  }
  const frontiers = brokers.map((each) => openFrontier(each, 10_000));
  const inAnHour = Date.now() + HOUR_MS;
  for (let round = 0; round < 20; round++) {
    const host = `contended-${round}.example`;
    const added = await Promise.all(
      [0, 1, 0, 1].map((i) =>
        frontiers[i]!.add(host, inAnHour, { source: "seed", discoveredAt: 1, visited: false }),
      ),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
  }
  await Promise.all(brokers.map((each) => each.close()));
}, 60_000);

/** What the broker answers to a read, without asking again. */
async function answerOf({ connection }: NatsBroker, stream: string): Promise<string> {
  const request = JSON.stringify({ last_by_subj: ">" });
  // Not among the requests that are made again (steady.ts).
  const answers = await connection.requestMany(`$JS.API.STREAM.MSG.GET.${stream}`, request, {
    strategy: "count",
    maxMessages: 1,
    maxWait: 500,
  });
  for await (const answer of answers) return answer.string();
  return "";
}

it("has a read wait while the cluster has no leader, for seconds, and answers once there is one", async () => {
  const [url] = cluster.url.split(",");
  const [, ...others] = cluster.names;
  const broker = await openBroker({
    url: url!,
    prefix: "led",
    name: "test",
    clock: systemClock,
    tls: { ca: cluster.ca },
    setUp: true,
    replicas: 3,
    storeBytes: 2 ** 30,
  });
  broker.connectionState.failFast();
  await broker.buckets.accounts.put("free", "{}");
  const says = () => answerOf(broker, "KV_led_accounts");
  for (const name of others) cluster.signal(name, "SIGSTOP");
  try {
    await expect.poll(says, { timeout: 60_000, interval: 500 }).toContain('"err_code":10008');
    const startedMs = performance.now();
    await expect(broker.buckets.accounts.get("free")).rejects.toThrow("temporarily unavailable");
    expect(performance.now() - startedMs).toBeGreaterThan(2_500);
  } finally {
    for (const name of others) cluster.signal(name, "SIGCONT");
  }
  // An election takes longer than a read waits: of the reads of that time the last ones are answered.
  const answers: Promise<string>[] = [];
  const read = () => broker.buckets.accounts.get("free").then((entry) => entry!.text(), String);
  while ((await says()).includes('"err_code":10008')) {
    answers.push(read());
    await systemClock.sleep(200);
  }
  expect((await Promise.all(answers)).at(-1)).toBe("{}");
  await broker.close();
}, 120_000);
