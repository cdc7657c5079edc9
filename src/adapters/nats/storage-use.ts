/** What each stream of a registry holds, against its bounds: for operators, whose user may read all of them. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { BUCKETS, type BucketName } from "../../ports/storage.ts";
import { bucketStream, streamConfigs } from "./topology.ts";

export interface StreamUse {
  stream: string;
  bytes: number;
  /** -1: none. */
  maxBytes: number;
  /** Of the bound that is nearer, bytes or messages. */
  percent: number;
}

const percentOf = (used: number, most: number): number =>
  most > 0 ? Math.round((used / most) * 1_000) / 10 : 0;

/** The fullest first. */
export const readStorageUse = async (jsm: JetStreamManager, prefix: string): Promise<StreamUse[]> => {
  const names = [
    ...(Object.keys(BUCKETS) as BucketName[]).map((name) => bucketStream(prefix, name)),
    ...Object.values(streamConfigs(prefix)).map(({ name }) => name),
  ];
  const infos = await Promise.all(names.map((name) => jsm.streams.info(name)));
  const used = infos.map(({ config, state }) => ({
    stream: config.name,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    percent: Math.max(percentOf(state.bytes, config.max_bytes), percentOf(state.messages, config.max_msgs)),
  }));
  return used.sort((one, other) => other.percent - one.percent);
};
