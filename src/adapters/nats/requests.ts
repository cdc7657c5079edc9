/**
 * Requests over a connection: whether it has its broker, known at once; who answers; and which errors are the broker's.
 * The client would let a request wait for its whole time-out, both one made while the broker is away and one under way
 * when it is lost; here either fails as soon as that is known.
 */
import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { errors, type NatsConnection, headers as natsHeaders } from "@nats-io/nats-core";
import type { Answer } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import { WIRE } from "../../rpc/contract.ts";
import { brokerLosses } from "../../telemetry/instruments.ts";
import { parseTraceparent } from "../../telemetry/scope.ts";
import { currentTraceparent, isTracing } from "../../telemetry/tracing.ts";
import { systemClock } from "../clock/system-clock.ts";
import { isStorageFull } from "./fill.ts";
import { leaveServer, leaveSilent, type Resident } from "./lame-duck.ts";
import { isNoResponders, isUnanswered, steadyOf } from "./steady.ts";

export { isNoResponders };

export interface ConnectionState {
  readonly up: boolean;
  /** From here on requests fail at once without a broker; a patient connection's, while a program starts, wait 10 s for it. */
  failFast(): void;
  /** Adds what is to pause while the connection moves to another server. @returns a function that removes it */
  add(resident: Resident): () => void;
}

/**
 * A request of a trace that is recorded names its span, and so does a record that it writes: whoever reads either goes on
 * with the trace. Requests to the broker's own API do not.
 */
const withTrace = (args: Parameters<NatsConnection["request"]>): Parameters<NatsConnection["request"]> => {
  const [subject, payload, options] = args;
  const traceparent = isTracing() && !subject.startsWith("$JS.API") ? currentTraceparent() : undefined;
  if (!parseTraceparent(traceparent)?.sampled) return args;
  const headers = options?.headers ?? natsHeaders();
  headers.set(WIRE.traceparent, traceparent!);
  return [subject, payload, { timeout: DEFAULT_TIMEOUT_MS, ...options, headers }];
};

const away = () => new errors.ConnectionError("the broker is away");
/** As the client has where none is given. */
const DEFAULT_TIMEOUT_MS = 1_000;
const START_PATIENCE_MS = 10_000;
const POLL_MS = 50;

const states = new WeakMap<NatsConnection, ConnectionState>();

/**
 * Watches a connection from the first call on, and makes its requests (JetStream's too, which go through it) fail fast.
 * @param first of the first call: its clock; and whether requests are patient until `failFast`
 */
export const watchConnection = (
  connection: NatsConnection,
  first: { clock?: Clock; isPatient?: boolean } = {},
): ConnectionState => {
  const known = states.get(connection);
  if (known) return known;
  const state = startWatch(connection, first.clock ?? systemClock, first.isPatient ?? false);
  states.set(connection, state);
  return state;
};

/** Work that is not begun while it is under way. */
const onceAtATime = (work: () => Promise<void>): (() => void) => {
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    const end = (): void => {
      isUnderWay = false;
    };
    // Of a connection that is being closed.
    void work().then(end, end);
  };
};

/** What a start asks for is idempotent: asked again when it was lost on the way. */
const patientOf =
  (once: NatsConnection["request"], isUp: () => boolean, clock: Clock): NatsConnection["request"] =>
  async (...args) => {
    const giveUpAt = clock.monotonicMs() + START_PATIENCE_MS;
    for (;;) {
      try {
        return await once(...args);
      } catch (error) {
        if (!(error instanceof errors.ConnectionError) || clock.monotonicMs() > giveUpAt) throw error;
        while (!isUp() && clock.monotonicMs() < giveUpAt) await clock.sleep(POLL_MS);
      }
    }
  };

const startWatch = (connection: NatsConnection, clock: Clock, patientAtFirst: boolean): ConnectionState => {
  let up = true;
  const underWay = new Set<(error: Error) => void>();
  const request = connection.request.bind(connection);
  let patient = patientAtFirst;
  const residents = new Set<Resident>();
  /** While the connection moves to another server (lame-duck.ts). */
  let moving: PromiseWithResolvers<void> | undefined;
  let isLost = false;
  const lose = (): void => {
    if (up) brokerLosses.inc();
    up = false;
    for (const reject of underWay) reject(away());
    underWay.clear();
  };
  const doubt = onceAtATime(() => leaveSilent(connection, clock));
  const once: typeof request = (...args) => {
    if (moving) return moving.promise.then(() => once(...args));
    if (!up) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      underWay.add(reject);
      request(...withTrace(args))
        .finally(() => underWay.delete(reject))
        .then(resolve, (error: Error) => {
          if (isUnanswered(error)) doubt();
          reject(error);
        });
    });
  };
  const patiently = patientOf(once, () => up, clock);
  connection.request = steadyOf(
    (...args) => (patient ? patiently(...args) : once(...args)),
    DEFAULT_TIMEOUT_MS,
    clock,
  );
  const leave = onceAtATime(() =>
    leaveServer(connection, clock, {
      residents,
      hold: () => {
        moving = Promise.withResolvers();
      },
      release: () => {
        moving?.resolve();
        moving = undefined;
        if (isLost) lose();
      },
      underWay: () => underWay.size,
      isUp: () => up,
    }),
  );
  const follow = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "reconnect") {
        up = true;
        isLost = false;
      }
      if (type === "ldm") leave();
      if (type !== "disconnect" && type !== "close") continue;
      isLost = true;
      // Meant: requests wait, and those under way may be answered at the next server.
      if (!moving) lose();
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
    add: (resident) => {
      residents.add(resident);
      return () => void residents.delete(resident);
    },
  };
};

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
  if (isStorageFull(error)) return true;
  return (
    OF_THE_BROKER.some((kind) => error instanceof kind) ||
    (error instanceof Error && error.name === NOT_ENABLED)
  );
};

/**
 * Whether a message is somebody's request, and not one that a consumer was made to deliver here: whoever may make consumers
 * of a bucket may name any subject for them, but the broker itself then says where the answer goes.
 */
export const isRequest = ({ reply }: { reply?: string }): boolean => reply?.startsWith("_INBOX") === true;
