/** The connection to the broker and everything opened on it: streams, buckets, and the broker's clock. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { followClock } from "./broker-clock.ts";
import { type ConnectOptions, connectBroker } from "./connect.ts";
import { openCounters } from "./counters.ts";
import type { NatsBroker } from "./nats-broker.ts";
import { changeFeed, openDelayedQueue, openDiscoveredHosts } from "./queues.ts";
import { bindBuckets, ensureTopology } from "./reconcile.ts";
import { ask, isBrokerFault, watchConnection } from "./requests.ts";
import { streamConfigs } from "./topology.ts";

export interface BrokerOptions extends ConnectOptions {
  prefix: string;
  /** Copies of each stream and bucket; default 1. */
  replicas?: number;
  /** Whether streams and buckets are made and brought up to date; default true. A user of one role (rights.ts) may not. */
  setUp?: boolean;
}

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Joins a broker and makes sure that all streams and buckets are there, unless `setUp` is false.
 * Reconnects for ever; requests made while it is away fail after their own time-out.
 * @throws when the broker cannot be reached at first, or is older than message schedules (nats-server 2.12)
 */
export const openBroker = async (options: BrokerOptions): Promise<NatsBroker> => {
  const connection = await connectBroker(options);
  try {
    return await openOn(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
};

const openOn = async (connection: NatsConnection, options: BrokerOptions): Promise<NatsBroker> => {
  const { prefix, clock } = options;
  const connectionState = watchConnection(connection, true);
  const js = jetstream(connection, { timeout: REQUEST_TIMEOUT_MS });
  const jsm = await jetstreamManager(connection, { timeout: REQUEST_TIMEOUT_MS });
  const setsUp = options.setUp ?? true;
  const replicas = options.replicas ?? 1;
  const stores = await (setsUp
    ? ensureTopology(js, jsm, prefix, replicas)
    : bindBuckets(js, prefix, replicas));
  const time = await followClock(jsm, streamConfigs(prefix).frontier.name, clock);
  const broker: NatsBroker = {
    connection,
    prefix,
    js,
    jsm,
    buckets: stores,
    setsUp,
    connectionState,
    now: time.now,
    clockErrorMs: time.errorMs,
    isFault: isBrokerFault,
    counters: openCounters(connection, jsm, prefix, time.now),
    get siteChanges() {
      return changeFeed(broker, "sites");
    },
    get discoveredHosts() {
      return openDiscoveredHosts(broker);
    },
    webhooks: (leaseMs) =>
      openDelayedQueue(broker, "webhooks", { consumer: "webhooks", leaseMs, maxPending: 1_000 }),
    ask: (subject, payload, timeoutMs) => ask(connection, `${prefix}.${subject}`, payload, timeoutMs),
    close: async () => {
      time.stop();
      // Without a broker there is nothing to drain into.
      await (connectionState.up ? connection.drain() : connection.close());
    },
  };
  return broker;
};
