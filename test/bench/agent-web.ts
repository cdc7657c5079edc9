/**
 * Visits and probes a second of hosts of the agent web, beside a crawl of sites of our own format; and what the broker keeps of so
 * many found hosts, beside verified ones: copies, under other names, of what the crawl stored.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import { type MsgHdrs, headers as natsHeaders } from "@nats-io/nats-core";
import type { OpenedRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { type NatsBroker, readStream, type StoredMessage } from "../../src/adapters/nats/nats-broker.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { wantedStreams } from "../../src/adapters/nats/topology.ts";
import { agentWebToday } from "../../src/agent-web/counts.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { DEFAULT_STORE_BYTES } from "../../src/ports/storage.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import type { BenchLine } from "./bench-line.ts";
import { crawlOnce } from "./crawl.ts";

const CONCURRENCY = 64;
/** That of crawls, too: it is in the subjects. */
const { BRIDGE_NATS_PREFIX: PREFIX } = readConfig({});
const READ_BATCH = 1_000;
const IN_FLIGHT = 512;
/** A broker that writes down the state of a million messages is silent for seconds. */
const PUBLISH_TIMEOUT_MS = 60_000;
/** After this the server has given its caches back. */
const SETTLE_MS = 20_000;
/** Of a message that removes. */
const REMOVED = "KV-Operation";

/** Fields that a direct read adds. */
const OF_READS: ReadonlySet<string> = new Set([
  "Nats-Stream",
  "Nats-Subject",
  "Nats-Sequence",
  "Nats-Time-Stamp",
  "Nats-Num-Pending",
  "Nats-Last-Sequence",
]);

interface Crawled {
  rate: number;
  probesPerSecond: number;
  /** What is stored of each host of which anything is. */
  stored: StoredMessage[][];
  keys: string[];
}

interface Kept {
  bytes: number;
  residentBytes: number;
}

/** @param copies found hosts that are stored; of verified ones a tenth */
export async function bench(hosts = 1_000, copies = 1_000_000): Promise<BenchLine[]> {
  const found = await crawled(hosts, hosts);
  const verified = await crawled(hosts, 0);
  const keptFound = await keptOf(found, copies);
  const keptVerified = await keptOf(verified, Math.ceil(copies / 10));
  const of = `copies of ${found.keys.length} found and ${verified.keys.length} verified hosts that a crawl stored, with their tokens: ${copies} and ${Math.ceil(copies / 10)} of them; wanted at most .2`;
  const rates = `${hosts} hosts of each kind over HTTPS, concurrency ${CONCURRENCY}, delays 0, all roles, the sites on the same machine`;
  return [
    line(
      "agent-web: visits",
      found.rate,
      "visits/s",
      verified.rate,
      `${rates}; of the 18 kinds two answer only after the deadline of a probe; baseline: sites of our own format`,
    ),
    line("agent-web: probes", found.probesPerSecond, "probes/s", null, rates),
    line("agent-web: disk", keptFound.bytes, "bytes a found host", keptVerified.bytes, of),
    line(
      "agent-web: memory",
      keptFound.residentBytes,
      "resident bytes of the broker a found host",
      keptVerified.residentBytes,
      of,
    ),
  ];
}

const line = (
  name: string,
  value: number,
  unit: string,
  baseline: number | null,
  conditions: string,
): BenchLine => ({
  name,
  value: Math.round(value * 10) / 10,
  unit,
  baseline: baseline === null ? null : Math.round(baseline * 10) / 10,
  ratio: baseline === null ? null : Number((value / baseline).toFixed(3)),
  conditions,
});

async function crawled(hosts: number, agentSites: number): Promise<Crawled> {
  const world = await forkWorld({ sites: hosts, soundShare: 1, agentSites, seed: 11 });
  const read: Omit<Crawled, "rate"> = { probesPerSecond: 0, stored: [], keys: [] };
  try {
    const { visitsPerSecond: rate } = await crawlOnce(world, CONCURRENCY, async (runtime, seconds) => {
      const { probes } = await agentWebToday(runtime.broker.counters, runtime.broker.now());
      read.probesPerSecond = probes.reduce((sum, { endpoints }) => sum + endpoints, 0) / seconds;
      const wanted = world.hosts.filter(({ agent }) => (agentSites > 0 ? agent?.found : agent === null));
      const all = await storedOf(runtime);
      for (const { host } of wanted) {
        const key = hostKey(host);
        const stored = all.get(key);
        if (!stored) continue;
        read.keys.push(key);
        read.stored.push(stored);
      }
    });
    return { rate, ...read };
  } finally {
    await world.stop();
  }
}

/** Messages by the host in whose name they are stored. */
async function storedOf({ broker }: OpenedRuntime): Promise<Map<string, StoredMessage[]>> {
  const nats = broker as NatsBroker;
  const messages: StoredMessage[] = [];
  for (const { config } of wantedStreams(nats.prefix, 1, DEFAULT_STORE_BYTES)) {
    // The others hold no record of one host.
    if (!config.allow_direct) continue;
    for (let seq = 1; ; ) {
      const batch = await readStream(nats, config.name, { seq, batch: READ_BATCH, next_by_subj: ">" });
      messages.push(...batch.filter(({ headers }) => !headers.get(REMOVED)));
      if (batch.length < READ_BATCH) break;
      seq = batch.at(-1)!.seq + 1;
    }
  }
  const byKey = new Map<string, StoredMessage[]>();
  for (const message of messages)
    for (const token of new Set(message.subject.split("."))) {
      const of = byKey.get(token);
      if (of) of.push(message);
      else byKey.set(token, [message]);
    }
  return byKey;
}

/** What a broker of its own keeps a host, on disk and in memory, when so many are stored. */
async function keptOf({ stored, keys }: Crawled, copies: number): Promise<Kept> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-bench-nats-"));
  const server = await startBrokerServer({ binary: await ensureNatsServer(() => undefined), folder });
  const broker = await openBroker({
    url: server.url,
    name: "bench",
    clock: systemClock,
    prefix: PREFIX,
    setUp: true,
  });
  const before = residentBytes(server.pid);
  await fill(broker, stored, keys, copies);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  let bytes = 0;
  for await (const { state } of broker.jsm.streams.list()) bytes += state.bytes;
  const resident = residentBytes(server.pid) - before;
  await broker.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return { bytes: bytes / copies, residentBytes: resident / copies };
}

async function fill(
  { connection }: NatsBroker,
  stored: readonly StoredMessage[][],
  keys: readonly string[],
  copies: number,
): Promise<void> {
  const js = jetstream(connection);
  let waiting: Promise<unknown>[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const at = copy % keys.length;
    const [key, name] = [keys[at]!, `${keys[at]}-${copy}`];
    for (const { subject, data, headers } of stored[at]!) {
      const renamed = (text: string) => text.replaceAll(key, name);
      waiting.push(
        js.publish(renamed(subject), data, {
          headers: fieldsOf(headers, renamed),
          timeout: PUBLISH_TIMEOUT_MS,
        }),
      );
    }
    if (waiting.length >= IN_FLIGHT) {
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
}

/**
 * Those of the message as it was published, for they are stored with it; without those that a direct read adds (ADR-31). What a broker
 * would act on again (a sequence that is expected, an id that it knows) has another name of the same length.
 */
function fieldsOf(stored: MsgHdrs, renamed: (text: string) => string): MsgHdrs {
  const fields = natsHeaders();
  for (const name of stored.keys()) {
    if (OF_READS.has(name)) continue;
    const kept = name.startsWith("Nats-Schedule") ? name : name.replace(/^Nats/, "Kept");
    fields.set(kept, renamed(stored.get(name)));
  }
  return fields;
}

const residentBytes = (pid: number): number =>
  1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
