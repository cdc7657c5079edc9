/** One request to whoever listens on a subject. */
import { type NatsConnection, NoRespondersError, RequestError } from "@nats-io/nats-core";
import type { Answer } from "../../ports/broker.ts";

export const isNoResponders = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());

export const ask = async (
  connection: NatsConnection,
  subject: string,
  payload: string,
  timeoutMs: number,
): Promise<Answer> => {
  try {
    const reply = await connection.request(subject, payload, { timeout: timeoutMs });
    return { outcome: "answered", data: reply.data };
  } catch (error) {
    return { outcome: isNoResponders(error) ? "nobody" : "failed" };
  }
};
