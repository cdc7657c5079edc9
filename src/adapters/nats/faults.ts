/** Which errors say that the broker is away, full or restarting, as against a record or program that is wrong. */
import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { errors } from "@nats-io/nats-core";

const OF_THE_BROKER = [
  errors.TimeoutError,
  errors.RequestError,
  errors.NoRespondersError,
  errors.ConnectionError,
  errors.ClosedConnectionError,
  errors.DrainingConnectionError,
  JetStreamError,
];
/** The client does not export this one's class. */
const NOT_ENABLED = "JetStreamNotEnabled";

/**
 * Whether the same call may succeed once the broker is well again. Of the errors that JetStream answers with, those of
 * the server (5xx, no room among them) are; what it says of the request itself (4xx, a wrong sequence) is not.
 */
export const isBrokerFault = (error: unknown): boolean => {
  if (error instanceof JetStreamApiError) return error.status >= 500;
  return (
    OF_THE_BROKER.some((kind) => error instanceof kind) ||
    (error instanceof Error && error.name === NOT_ENABLED)
  );
};
