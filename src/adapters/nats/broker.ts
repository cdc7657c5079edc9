/** The connection to the broker and everything opened on it: streams, buckets, and the broker's clock. */

import { type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { BrokerUntrusted, connectPatched } from "../../patches/nats-transport.ts";
import type { Clock } from "../../ports/clock.ts";
import { DEFAULT_STORE_BYTES } from "../../ports/storage.ts";
import { presenceKey } from "../../stores/presences.ts";
import { followClock } from "./broker-clock.ts";
import { bindBuckets } from "./buckets.ts";
import { openCounters } from "./counters.ts";
import type { NatsBroker } from "./nats-broker.ts";
import { changeFeed, openDelayedQueue, openDiscoveredHosts, queueEntrance } from "./queues.ts";
import { isBrokerFault, sendRequest, watchConnection } from "./requests.ts";
import { BROKER_USERS, inboxOf } from "./rights.ts";
import { applySetup, checkStorage, planSetup } from "./setup.ts";
import { readStorage } from "./storage-use.ts";
import { streamConfigs } from "./topology.ts";

export interface BrokerOptions {
  /** One or more nats:// addresses, separated by commas. Credentials may stand in the address. */
  url: string;
  name: string;
  clock: Clock;
  /** In place of what stands in the address. */
  user?: string;
  password?: string;
  /** PEM texts; with any of them, a broker that speaks no TLS is refused. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** How long to try where nothing answers at first; default 0. */
  waitMs?: number;
  prefix: string;
  /** How connections are made; default: over TCP. A simulation has a network of its own. */
  connect?: typeof connectPatched;
  /** Whether streams and buckets are made and brought up to date first, as `bridge setup` does; default: false. */
  setUp?: boolean;
  /** Whether this process restores a backup; default: false. */
  isRestoring?: boolean;
  /** With `setUp`: copies of each stream and bucket; default 1. */
  replicas?: number;
  /** With `setUp`: what all of them may take together; default DEFAULT_STORE_BYTES. */
  storeBytes?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const CONNECT_PAUSE_MS = 250;
/** A broker that is silent this long, twice, is taken for lost: a machine that vanished closes no connection. */
const PING_EVERY_MS = 10_000;

/** What Node and OpenSSL say of a certificate that does not fit what it is checked by. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_SSL|ERR_TLS/;

const REQUEST_TIMEOUT_MS = 10_000;
/** Whoever asks how the streams are wants to hear of one without a leader while it has none. */
const LOOK_TIMEOUT_MS = 2_000;
/** A cluster elects a leader for each new stream. */
const SETUP_TIMEOUT_MS = 30_000;

/** Why a connection was not made, where it is for the broker's certificate, or for ours. */
export function certificateFault(error: unknown): string | undefined {
  if (error instanceof BrokerUntrusted) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code && CERTIFICATE_FAULT.test(code)) return error.message;
  return certificateFault(error.cause);
}

/** A connection that writes and reads no more than the configuration of streams: for `bridge setup`, backup and restore. */
export async function openManager(
  options: BrokerOptions,
): Promise<{ connection: NatsConnection; jsm: JetStreamManager; close(): Promise<void> }> {
  const connection = await connectBroker(options);
  try {
    const jsm = await jetstreamManager(connection, { timeout: SETUP_TIMEOUT_MS });
    return { connection, jsm, close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Reconnects for ever. @throws when the broker cannot be reached within `waitMs` */
async function connectBroker(options: BrokerOptions): Promise<NatsConnection> {
  const { name, clock, waitMs = 0, connect = connectPatched } = options;
  const giveUpAt = clock.monotonicMs() + waitMs;
  for (;;) {
    try {
      return await connect({
        ...credentials(options),
        name,
        maxReconnectAttempts: -1,
        // What listens there and says nothing (a broker that hangs, another program on its port) is given up for now.
        timeout: CONNECT_TIMEOUT_MS,
        reconnectTimeWait: 250,
        reconnectJitter: 250,
        ignoreClusterUpdates: false,
        waitOnFirstConnect: false,
        // Each request would otherwise build two errors for a stack that nobody reads: a tenth of a crawl's time.
        noAsyncTraces: true,
        pingInterval: PING_EVERY_MS,
        maxPingOut: 2,
      });
    } catch (error) {
      // One that is being started again answers in a moment.
      if (clock.monotonicMs() >= giveUpAt) throw error;
      await clock.sleep(CONNECT_PAUSE_MS);
    }
  }
}

function credentials({ url, user: givenUser, password, tls }: BrokerOptions) {
  const servers = url.split(",").map((item) => item.trim());
  const first = new URL(servers[0]!.includes("://") ? servers[0]! : `nats://${servers[0]}`);
  const user = givenUser ?? decodeURIComponent(first.username);
  const pass = password ?? decodeURIComponent(first.password);
  const bare = servers.map((server) => server.replace(/\/\/[^@/]*@/, "//"));
  return {
    servers: bare,
    ...(pass ? { user, pass, ...inboxFor(user) } : user ? { token: user } : {}),
    ...(tls && { tls }),
  };
}

/** A user of one role hears nothing but its own inbox; other users, of brokers that others configured, have the usual one. */
const inboxFor = (user: string) =>
  (BROKER_USERS as readonly string[]).includes(user) ? { inboxPrefix: inboxOf(user) } : {};

/**
 * Joins a broker whose streams and buckets are there.
 * Reconnects for ever; requests made while it is away fail after their own time-out.
 * @throws StorageMismatch when they are not, or are of another version; an error of the client when the broker cannot be
 * reached at first, or is older than message schedules (nats-server 2.12)
 */
export async function openBroker(options: BrokerOptions): Promise<NatsBroker> {
  const connection = await connectBroker(options);
  try {
    return await openOn(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function openOn(connection: NatsConnection, options: BrokerOptions): Promise<NatsBroker> {
  const { prefix, clock } = options;
  const connectionState = watchConnection(connection, { clock, isPatient: true });
  const js = jetstream(connection, { timeout: REQUEST_TIMEOUT_MS });
  const jsm = await jetstreamManager(connection, { timeout: REQUEST_TIMEOUT_MS });
  const quick = await jetstreamManager(connection, { timeout: LOOK_TIMEOUT_MS, checkAPI: false });
  if (options.setUp) {
    const { replicas = 1, storeBytes = DEFAULT_STORE_BYTES } = options;
    const patient = await jetstreamManager(connection, { timeout: SETUP_TIMEOUT_MS });
    await applySetup(patient, await planSetup(patient, { prefix, replicas, storeBytes }));
  }
  const { replicas } = await checkStorage(jsm, prefix, options.isRestoring);
  const stores = await bindBuckets(js, prefix, replicas, clock);
  const time = await followClock(jsm, streamConfigs(prefix).frontier.name, clock);
  const broker: NatsBroker = {
    connection,
    prefix,
    js,
    jsm,
    buckets: stores,
    connectionState,
    now: time.now,
    clockErrorMs: time.errorMs,
    isFault: isBrokerFault,
    counters: openCounters(connection, jsm, prefix, time.now),
    get siteChanges() {
      return changeFeed(broker, "sites");
    },
    get presenceChanges() {
      return changeFeed(broker, "contents", presenceKey("*"));
    },
    get discoveredHosts() {
      return openDiscoveredHosts(broker);
    },
    webhooks: (leaseMs) =>
      openDelayedQueue(broker, "webhooks", { consumer: "webhooks", leaseMs, maxPending: 1_000 }),
    get webhookEntrance() {
      return queueEntrance(broker, "webhooks");
    },
    storage: () => readStorage(quick, prefix),
    mail: (leaseMs) => openDelayedQueue(broker, "mail", { consumer: "mail", leaseMs, maxPending: 256 }),
    ask: (subject, payload, timeoutMs) => sendRequest(connection, `${prefix}.${subject}`, payload, timeoutMs),
    close: async () => {
      time.stop();
      // Without a broker there is nothing to drain into.
      await (connectionState.up ? connection.drain() : connection.close());
    },
  };
  return broker;
}
