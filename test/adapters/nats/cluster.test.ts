/** Three servers in a cluster, as deploy/nats.conf has them. What they survive is in faults/main.ts: an election takes its time. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Broker, openBroker } from "../../../src/adapters/nats/broker.ts";
import { BUCKETS, type BucketName, bucketName, streamConfigs } from "../../../src/adapters/nats/topology.ts";
import { systemClock } from "../../../src/adapters/system-clock.ts";
import { type Cluster, startCluster } from "../../support/cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(inject("natsBinary"));
}, 60_000);
afterAll(() => cluster?.stop());

const PREFIX = "raised";
const open = (replicas?: number): Promise<Broker> =>
  openBroker({
    url: cluster.url,
    prefix: PREFIX,
    name: "test",
    clock: systemClock,
    ...(replicas && { replicas }),
  });

const STREAMS = [
  ...(Object.keys(BUCKETS) as BucketName[]).map((name) => `KV_${bucketName(PREFIX, name)}`),
  ...Object.values(streamConfigs(PREFIX)).map(({ name }) => name),
];
const all = (copies: number) => Object.fromEntries(STREAMS.map((name) => [name, copies]));

const copiesOf = async ({ jsm }: Broker): Promise<Record<string, number>> => {
  const infos = await Promise.all(STREAMS.map((name) => jsm.streams.info(name)));
  return Object.fromEntries(infos.map(({ config }) => [config.name, config.num_replicas]));
};

it("keeps as many copies as are asked for, raises them later, and never lowers them", async () => {
  const single = await open();
  expect(await copiesOf(single)).toEqual(all(1));
  const three = await open(3);
  expect(await copiesOf(three)).toEqual(all(3));
  await (await open()).close();
  expect(await copiesOf(three)).toEqual(all(3));
  await Promise.all([single.close(), three.close()]);
}, 60_000);
