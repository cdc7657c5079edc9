/**
 * Histories of a real cluster of three brokers, as clients see it through the registry's own stores: records that are updated,
 * counters, and the log, while brokers and clients are killed, stopped, parted, out of disk, or set to another time. What was
 * answered must be there once, in an order that could have been (check.ts). What the processes do meanwhile is the machine's.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../../../deploy/nats-server.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { bucketStream, counterStream, streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { randomFrom } from "../../../world/random.ts";
import { startCluster } from "../../support/cluster.ts";
import { unpackPackages } from "../../support/debian-packages.ts";
import { pause } from "../programs.ts";
import { mountSmallDisk } from "../small-disk.ts";
import { check } from "./check.ts";
import { startClients } from "./clients.ts";
import { FAULT_NAMES, type FaultName, faultsOf, inflict, type Scene, untilWell } from "./faults.ts";
import type { Event, Final } from "./history.ts";
import { makeNetwork } from "./network.ts";

export interface HistoriesOptions {
  minutes: number;
  seed: number;
  /** Those to choose from; none: all. */
  faults: readonly FaultName[];
}

const PREFIX = "histories";
const NAMES = ["ada", "bob", "cyd"];
const DISK_MB = 256;
const REST_MS = 1_500;
/** Copies have caught up by then. */
const SETTLE_MS = 3_000;
const MOST_SHOWN = 20;
const CACHE = join(import.meta.dirname, "../../../.cache/faketime");

/** libfaketime's library; undefined where Debian's package cannot be had. */
function findFakeTime(): string | undefined {
  try {
    const root = unpackPackages(["libfaketime"], CACHE);
    const libraries = readdirSync(root, { recursive: true, encoding: "utf8" });
    const library = libraries.find((file) => file.endsWith("/libfaketime.so.1"));
    return library && join(root, library);
  } catch {
    return undefined;
  }
}

/** Everything that is there, as the streams' leaders have it. */
async function finalOf({ jsm }: NatsBroker): Promise<Final> {
  const subjectsOf = async (stream: string): Promise<string[]> => {
    const { state } = await jsm.streams.info(stream, { subjects_filter: ">" });
    return Object.keys(state.subjects ?? {});
  };
  const last = async (stream: string, subject: string): Promise<string> =>
    (await jsm.streams.getMessage(stream, { last_by_subj: subject }))?.string() ?? "";
  const lists = new Map<string, string[]>();
  const bucket = bucketStream(PREFIX, "accounts");
  for (const subject of await subjectsOf(bucket)) {
    const key = subject.split(".").at(-1)!;
    if (key.startsWith("list-")) lists.set(key, JSON.parse(await last(bucket, subject)));
  }
  const totals = new Map<string, number>();
  const counters = counterStream(PREFIX, "day");
  for (const subject of await subjectsOf(counters)) {
    const key = subject.split(".").at(-2)!;
    // A counter that was counted in two periods would be short in each.
    totals.set(key, Math.max(totals.get(key) ?? 0, Number(JSON.parse(await last(counters, subject)).val)));
  }
  const log: string[] = [];
  const stream = streamConfigs(PREFIX).log.name;
  const { state } = await jsm.streams.info(stream);
  for (let seq = 1; seq <= state.last_seq; seq++)
    log.push((await jsm.streams.getMessage(stream, { seq }))?.string() ?? "");
  return { lists, totals, log };
}

/** @returns whether nothing was answered that could not have been */
export async function histories(
  { minutes, seed, faults }: HistoriesOptions,
  say: (line: string) => void,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-histories-"));
  const binary = await ensureNatsServer(say);
  const network = makeNetwork(3);
  const disk = mountSmallDisk(DISK_MB);
  const hosts = Array.from({ length: 3 }, (_, at) => ({
    ...(network?.hosts[at] ?? { address: "127.0.0.1", command: [] }),
    store: disk && at === 2 ? join(disk.folder, "store") : undefined,
  }));
  const cluster = await startCluster(binary, hosts);
  try {
    const options = { url: cluster.url, prefix: PREFIX, clock: systemClock, tls: { ca: cluster.ca } };
    const broker = await openBroker({ ...options, name: "histories", setUp: true, replicas: 3 });
    const clients = await startClients({
      url: cluster.url,
      prefix: PREFIX,
      ca: cluster.ca,
      seed,
      names: NAMES,
      folder,
      fakeTime: findFakeTime(),
    });
    const scene = { cluster, clients, names: NAMES, network, disk, random: randomFrom(seed, "faults") };
    await inflictUntil(performance.now() + minutes * 60_000, scene, faults, say);
    await clients.stop();
    await pause(SETTLE_MS);
    const isGood = judge(clients.events, await finalOf(broker), say);
    await broker.close();
    return isGood;
  } finally {
    await cluster.stop();
    disk?.remove();
    network?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inflictUntil(
  endMs: number,
  scene: Scene,
  wanted: readonly FaultName[],
  say: (line: string) => void,
): Promise<void> {
  const { possible, leftOut } = faultsOf(scene, wanted.length > 0 ? wanted : FAULT_NAMES);
  say(leftOut.length > 0 ? `left out here: ${leftOut.join(", ")}` : "every fault can be done");
  const inflicted = new Map<FaultName, number>();
  while (performance.now() < endMs && possible.length > 0) {
    await pause(REST_MS);
    const name = possible[scene.random.below(possible.length)]!;
    const to = await inflict(name, scene);
    await untilWell(scene.cluster);
    inflicted.set(name, (inflicted.get(name) ?? 0) + 1);
    say(`${name} ${to}: ${scene.clients.events.length} operations`);
  }
  say(`faults: ${[...inflicted].map(([name, n]) => `${name} ${n}`).join(", ")}`);
}

function judge(events: readonly Event[], final: Final, say: (line: string) => void): boolean {
  const { violations, stale, stalestMs, extra } = check(events, final);
  const counts = Map.groupBy(events, ({ outcome }) => outcome.status);
  const told = [...counts].map(([status, { length }]) => `${length} ${status}`).join(", ");
  say(
    `${events.length} operations (${told}); ${stale} reads behind, the most by ${stalestMs.toFixed(0)} ms; ${extra} additions beyond the answers; ${violations.length} violations`,
  );
  for (const { rule, text } of violations.slice(0, MOST_SHOWN)) say(`${rule}: ${text}`);
  return violations.length === 0;
}
