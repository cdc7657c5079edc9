/**
 * Histories of a real cluster of three brokers, as clients see it through the registry's own stores: records that are updated,
 * counters, and the log, while brokers and clients are killed, stopped, parted, out of disk, or set to another time. What was
 * answered must be there once, in an order that could have been (check.ts). Prints its seed; what the processes do meanwhile is
 * the machine's.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { bucketStream, counterStream, streamConfigs } from "../../src/adapters/nats/topology.ts";
import { randomFrom } from "../../world/random.ts";
import { pause } from "../faults/programs.ts";
import { mountSmallDisk } from "../faults/small-disk.ts";
import { startCluster } from "../support/cluster.ts";
import { unpackPackages } from "../support/debian-packages.ts";
import { readOptions } from "../support/options.ts";
import { check } from "./check.ts";
import { startClients } from "./clients.ts";
import { FAULT_NAMES, type FaultName, faultsOf, inflict, untilWell } from "./faults.ts";
import type { Final } from "./history.ts";
import { makeNetwork } from "./network.ts";

const USAGE = `Usage: npm run histories -- [options]

What clients of a cluster of three brokers were answered, held to what could have been, while it has faults.
  --seconds=N       (60)
  --only=FAULT      more than once for several: ${FAULT_NAMES.join(", ")}
  --seed=N          printed, for doing it again

Examples: npm run histories -- --seconds=600 --seed=7
          npm run histories -- --only=isolateBroker

Exit code 1 when something was answered that could not have been.
`;

const values = readOptions(USAGE, {
  seconds: { type: "string", default: "60" },
  seed: { type: "string" },
  only: { type: "string", multiple: true, default: [] },
});
const seed = values.seed ? Number(values.seed) : Math.floor(Math.random() * 1e6);
const unknown = values.only.filter((name) => !(FAULT_NAMES as string[]).includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no fault ${unknown.join(", ")}.\n\n${USAGE}`);
  process.exit(2);
}

const PREFIX = "histories";
const NAMES = ["ada", "bob", "cyd"];
const DISK_MB = 256;
const REST_MS = 1_500;
/** Copies have caught up by then. */
const SETTLE_MS = 3_000;
const MOST_SHOWN = 20;
const CACHE = join(import.meta.dirname, "../../.cache/faketime");

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** libfaketime's library; undefined where Debian's package cannot be had. */
const findFakeTime = (): string | undefined => {
  try {
    const root = unpackPackages(["libfaketime"], CACHE);
    const libraries = readdirSync(root, { recursive: true, encoding: "utf8" });
    const library = libraries.find((file) => file.endsWith("/libfaketime.so.1"));
    return library && join(root, library);
  } catch {
    return undefined;
  }
};

/** Everything that is there, as the streams' leaders have it. */
const finalOf = async ({ jsm }: NatsBroker): Promise<Final> => {
  const subjectsOf = async (stream: string): Promise<string[]> => {
    const { state } = await jsm.streams.info(stream, { subjects_filter: ">" });
    return Object.keys(state.subjects ?? {});
  };
  const last = async (stream: string, subject: string): Promise<string> =>
    (await jsm.streams.getMessage(stream, { last_by_subj: subject }))?.string() ?? "";
  const lists = new Map<string, string[]>();
  const bucket = bucketStream(PREFIX, "plans");
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
};

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
    ...{ url: cluster.url, prefix: PREFIX, ca: cluster.ca, seed, names: NAMES, folder },
    fakeTime: findFakeTime(),
  });
  const random = randomFrom(seed, "faults");
  const scene = { cluster, clients, names: NAMES, network, disk, random };
  const wanted = values.only.length > 0 ? (values.only as FaultName[]) : FAULT_NAMES;
  const { possible, leftOut } = faultsOf(scene, wanted);
  say(
    `seed ${seed}; ${leftOut.length > 0 ? `left out here: ${leftOut.join(", ")}` : "every fault can be done"}`,
  );
  const endMs = performance.now() + Number(values.seconds) * 1_000;
  const inflicted = new Map<FaultName, number>();
  while (performance.now() < endMs && possible.length > 0) {
    await pause(REST_MS);
    const name = possible[random.below(possible.length)]!;
    const fromMs = performance.now();
    const to = await inflict(name, scene);
    await untilWell(cluster);
    inflicted.set(name, (inflicted.get(name) ?? 0) + 1);
    say(
      `${name} ${to}: ${((performance.now() - fromMs) / 1_000).toFixed(1)} s, ${clients.events.length} operations`,
    );
  }
  await clients.stop();
  await pause(SETTLE_MS);
  const { violations, stale, stalestMs, extra } = check(clients.events, await finalOf(broker));
  const counts = Map.groupBy(clients.events, ({ outcome }) => outcome.status);
  const told = [...counts].map(([status, events]) => `${events.length} ${status}`).join(", ");
  say(`faults: ${[...inflicted].map(([name, n]) => `${name} ${n}`).join(", ")}`);
  say(
    `${clients.events.length} operations (${told}); ${stale} reads behind, the most by ${stalestMs.toFixed(0)} ms; ${extra} additions beyond the answers; ${violations.length} violations`,
  );
  for (const { rule, text } of violations.slice(0, MOST_SHOWN)) say(`${rule}: ${text}`);
  await broker.close();
  if (violations.length > 0) process.exitCode = 1;
} finally {
  await cluster.stop();
  disk?.remove();
  network?.remove();
  rmSync(folder, { recursive: true, force: true });
}
