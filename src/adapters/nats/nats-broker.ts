/** What the adapters of this folder share of the broker. */
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import type { Broker } from "../../ports/broker.ts";
import type { ConnectionState } from "./requests.ts";

/** The broker as adapters and composition see it: the port, and the connection behind it. */
export interface NatsBroker extends Broker {
  readonly connection: NatsConnection;
  readonly prefix: string;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** Whether this process made the streams and buckets, and what else has to be there for all (BrokerOptions.setUp). */
  readonly setsUp: boolean;
  readonly connectionState: ConnectionState;
  close(): Promise<void>;
}
