/** How full each bucket and stream of a registry is, and what has become of its copies in a cluster. */
import type { JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import {
  BUCKETS,
  type BucketName,
  type StorageState,
  type StorageUse,
  type StoredName,
  type StreamCopies,
  type StreamName,
} from "../../ports/storage.ts";
import { bucketStream, streamConfigs } from "./topology.ts";

/**
 * What each stream's leader says. One that does not answer within the manager's timeout has no leader, or none that can be
 * reached: it is named, and what the others say stands.
 * @param jsm with a short timeout
 */
export async function readStorage(
  jsm: Pick<JetStreamManager, "streams">,
  prefix: string,
): Promise<StorageState> {
  const streams = storedStreams(prefix);
  const asked = await Promise.allSettled(streams.map(([, stream]) => jsm.streams.info(stream)));
  const use: StorageUse[] = [];
  const silent: string[] = [];
  const copies: StreamCopies = { wanted: 0, current: 0, behind: 0, offline: 0, servers: [] };
  streams.forEach(([name, stream], i) => {
    const answer = asked[i]!;
    if (answer.status === "rejected") silent.push(stream);
    else {
      use.push(useOf(name, answer.value));
      addCopies(copies, answer.value);
    }
  });
  // A broker that does not answer at all is a fault of its own.
  const [first] = asked;
  if (use.length === 0 && first?.status === "rejected") throw first.reason;
  return { use: use.sort((one, other) => other.percent - one.percent), silent, copies };
}

/** Every bucket and stream by its name in the table of bounds, with its name at the broker. */
export const storedStreams = (prefix: string): [StoredName, string][] => [
  ...(Object.keys(BUCKETS) as BucketName[]).map((name): [StoredName, string] => [
    name,
    bucketStream(prefix, name),
  ]),
  ...Object.entries(streamConfigs(prefix)).map(([name, config]): [StoredName, string] => [
    name === "log" ? "log_stream" : (name as Exclude<StreamName, "log">),
    config.name,
  ]),
];

function useOf(name: StoredName, { config, state }: StreamInfo): StorageUse {
  const percent = Math.max(
    percentOf(state.bytes, config.max_bytes),
    percentOf(state.messages, config.max_msgs),
  );
  return { name, stream: config.name, bytes: state.bytes, maxBytes: config.max_bytes, percent };
}

const percentOf = (used: number, most: number): number =>
  most > 0 ? Math.round((used / most) * 1_000) / 10 : 0;

/** Adds what a stream's leader says of its copies. The leader's own is current. */
function addCopies(copies: StreamCopies, { config, cluster }: StreamInfo): void {
  copies.wanted += config.num_replicas;
  copies.current++;
  const servers = new Set(copies.servers);
  for (const { name, current, offline } of cluster?.replicas ?? []) {
    copies[offline ? "offline" : current ? "current" : "behind"]++;
    if (offline || !current) servers.add(name);
  }
  copies.servers = [...servers].sort();
}
