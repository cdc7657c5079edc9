/** Reads a stream's stored messages without a consumer (ADR-31, batched direct get). */
import { errors, type Msg, type MsgHdrs } from "@nats-io/nats-core";
import type { NatsBroker } from "./nats-broker.ts";

const READ_TIMEOUT_MS = 5_000;

export interface StoredMessage {
  seq: number;
  subject: string;
  /** The message's own and those of the answer (`Nats-Sequence`, `Nats-Subject`, …). */
  headers: MsgHdrs;
  data: Uint8Array;
}

/**
 * Messages of a stream from `seq` on, at most `batch`, of the subjects that `next_by_subj` names where it is given, and no
 * more once they have `max_bytes`. Of several copies any may answer, one that lags too. The broker may end a batch early;
 * an empty one is the end.
 * @throws a broker's fault (requests.ts)
 */
export const readStream = async (
  { connection, connectionState }: NatsBroker,
  stream: string,
  request: { seq: number; batch: number; next_by_subj?: string; max_bytes?: number },
): Promise<StoredMessage[]> => {
  // Only single requests fail fast by themselves (requests.ts).
  if (!connectionState.up) throw new errors.ConnectionError("the broker is away");
  const found: StoredMessage[] = [];
  const replies: AsyncIterable<Msg> = await connection.requestMany(
    `$JS.API.DIRECT.GET.${stream}`,
    JSON.stringify(request),
    { strategy: "sentinel", maxWait: READ_TIMEOUT_MS },
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
};
