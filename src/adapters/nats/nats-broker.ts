/** What the adapters of this folder share of the broker. */

import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { errors, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/nats-core";
import type { Broker } from "../../ports/broker.ts";
import { type ConnectionState, isBrokerFault } from "./requests.ts";

/** The broker as adapters and composition see it: the port, and the connection behind it. */
export interface NatsBroker extends Broker {
  readonly connection: NatsConnection;
  readonly prefix: string;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly connectionState: ConnectionState;
  close(): Promise<void>;
}

/** Every message is acked by itself: the ack of one worker must not speak for what another holds. */
type Settings = Partial<ConsumerConfig> & { ack_wait: number; max_ack_pending: number };

const CONSUMER_NOT_FOUND = 10_014;

const READ_TIMEOUT_MS = 5_000;

export interface StoredMessage {
  seq: number;
  subject: string;
  /** The message's own and those of the answer (`Nats-Sequence`, `Nats-Subject`, …). */
  headers: MsgHdrs;
  data: Uint8Array;
}

/**
 * A durable pull consumer that all processes of a role share: created where it is missing, and brought up to date where
 * an older version made it.
 * @throws a broker's fault (requests.ts)
 */
export async function openConsumer(
  { js, jsm }: NatsBroker,
  stream: string,
  name: string,
  settings: Settings,
): Promise<Consumer> {
  const config = { durable_name: name, ack_policy: AckPolicy.Explicit, ...settings };
  await jsm.consumers.add(stream, config).catch((error: unknown) => {
    if (isBrokerFault(error)) throw error;
    return jsm.consumers.update(stream, name, config);
  });
  return js.consumers.get(stream, name);
}

/** What the broker says of a durable consumer; undefined before anybody made it. */
export async function consumerInfo(
  { jsm }: Pick<NatsBroker, "jsm">,
  stream: string,
  name: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await jsm.consumers.info(stream, name);
  } catch (error) {
    if ((error as { code?: unknown }).code === CONSUMER_NOT_FOUND) return undefined;
    throw error;
  }
}

/** What comes from the client until the signal ends it. */
export async function* untilAborted<T>(
  source: AsyncIterable<T> & { stop(): void },
  signal: AbortSignal,
): AsyncGenerator<T> {
  const stop = (): void => source.stop();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    yield* source;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Reads without a consumer (ADR-31, batched direct get): stored messages of a stream from `seq` on, at most `batch`, of the subjects that `next_by_subj` names where it is given, and no
 * more once they have `max_bytes`. Of several copies any may answer, one that lags too. The broker may end a batch early;
 * an empty one is the end.
 * @throws a broker's fault (requests.ts)
 */
export async function readStream(
  { connection, connectionState }: NatsBroker,
  stream: string,
  request: { seq: number; batch: number; next_by_subj?: string; max_bytes?: number },
  maxWait = READ_TIMEOUT_MS,
): Promise<StoredMessage[]> {
  // Only single requests fail fast by themselves (requests.ts).
  if (!connectionState.up) throw new errors.ConnectionError("the broker is away");
  const found: StoredMessage[] = [];
  const replies: AsyncIterable<Msg> = await connection.requestMany(
    `$JS.API.DIRECT.GET.${stream}`,
    JSON.stringify(request),
    { strategy: "sentinel", maxWait },
  );
  for await (const { headers, data } of replies) {
    const status = headers?.code ?? 0;
    // 204: end of the batch; 404: nothing from there on.
    if (status === 204 || status === 404) return found;
    if (!headers || status !== 0) throw new errors.RequestError(`${stream} cannot be read: ${status}`);
    found.push({
      seq: Number(headers.get("Nats-Sequence")),
      subject: headers.get("Nats-Subject"),
      headers,
      data,
    });
  }
  throw new errors.TimeoutError();
}
