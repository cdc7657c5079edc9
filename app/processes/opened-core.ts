/** The core as the composition root opens it. */
import type { MessagePort } from "node:worker_threads";
import type { DestinationStream } from "pino";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { IndexReading } from "../../src/ports/index.ts";
import type { Core } from "../../src/runtime/core.ts";

/** The core with the broker's connection and its shutdown. */
export interface OpenedCore extends Core {
  /** The arguments it was opened with, for threads that open their own core. */
  natsUrl: string;
  extra: Extra;
  broker: NatsBroker;
  close(): Promise<void>;
}

export interface Extra {
  /** Certificates trusted besides the system's, for the synthetic web. */
  ca?: string[];
  publicUrl?: string;
  /** How long to try to reach the broker; default: once. */
  waitForBrokerMs?: number;
  /** Id of this process; default: a new one. */
  id?: string;
  /** Where the embedded index is read; default: in dedicated threads. "in place": no role of this process has a thread either. */
  reading?: IndexReading;
  /** In a role's dedicated thread: the way to the process's encoder. */
  encoder?: { name: string; port: MessagePort };
  /** Module of the threads that read pages; default: the crawl's own. Tests pass one that hangs. */
  pageThread?: string;
  /** Where log lines go; default: standard error. Dedicated threads have the default. */
  logs?: DestinationStream;
}
