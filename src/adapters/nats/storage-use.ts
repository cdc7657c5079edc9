/** How full each bucket and stream of a registry is. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { BUCKETS, type BucketName, type StreamName } from "../../ports/storage.ts";
import type { StorageUse, StoredName } from "../../ports/storage-limits.ts";
import { bucketStream, streamConfigs } from "./topology.ts";

const percentOf = (used: number, most: number): number =>
  most > 0 ? Math.round((used / most) * 1_000) / 10 : 0;

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

/** The fullest first. */
export const readStorageUse = async (jsm: JetStreamManager, prefix: string): Promise<StorageUse[]> => {
  const used = storedStreams(prefix).map(async ([name, stream]) => {
    const { config, state } = await jsm.streams.info(stream);
    const percent = Math.max(
      percentOf(state.bytes, config.max_bytes),
      percentOf(state.messages, config.max_msgs),
    );
    return { name, stream, bytes: state.bytes, maxBytes: config.max_bytes, percent };
  });
  return (await Promise.all(used)).sort((one, other) => other.percent - one.percent);
};
