/**
 * Whether a connection has its broker, known at once. The client would let a request wait for its whole time-out, both
 * one made while the broker is away and one under way when it is lost; here either fails as soon as that is known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { errors, type NatsConnection } from "@nats-io/nats-core";

export interface ConnectionState {
  readonly up: boolean;
  /** From here on requests fail at once without a broker; a patient connection's, while a program starts, wait 10 s for it. */
  failFast(): void;
}

const away = () => new errors.ConnectionError("the broker is away");
const START_PATIENCE_MS = 10_000;
const POLL_MS = 50;

const states = new WeakMap<NatsConnection, ConnectionState>();

/**
 * Watches a connection from the first call on, and makes its requests (JetStream's too, which go through it) fail fast.
 * @param patient at the first call: only after `failFast`
 */
export const watchConnection = (connection: NatsConnection, patient = false): ConnectionState => {
  const known = states.get(connection);
  if (known) return known;
  const state = startWatch(connection, patient);
  states.set(connection, state);
  return state;
};

const startWatch = (connection: NatsConnection, patientAtFirst: boolean): ConnectionState => {
  let up = true;
  const underWay = new Set<(error: Error) => void>();
  const request = connection.request.bind(connection);
  let patient = patientAtFirst;
  const once: typeof request = (...args) => {
    if (!up) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      underWay.add(reject);
      const settle =
        <T>(as: (outcome: T) => void) =>
        (outcome: T): void => {
          underWay.delete(reject);
          as(outcome);
        };
      request(...args).then(settle(resolve), settle(reject));
    });
  };
  /** What a start asks for is idempotent: asked again when it was lost on the way. */
  const patiently: typeof request = async (...args) => {
    const giveUpAt = performance.now() + START_PATIENCE_MS;
    for (;;) {
      try {
        return await once(...args);
      } catch (error) {
        if (!(error instanceof errors.ConnectionError) || performance.now() > giveUpAt) throw error;
        while (!up && performance.now() < giveUpAt) await delay(POLL_MS);
      }
    }
  };
  connection.request = (...args) => (patient ? patiently(...args) : once(...args));
  const follow = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "reconnect") up = true;
      if (type !== "disconnect" && type !== "close") continue;
      up = false;
      for (const reject of underWay) reject(away());
      underWay.clear();
    }
  };
  void follow();
  return {
    get up() {
      return up;
    },
    failFast: () => {
      patient = false;
    },
  };
};
