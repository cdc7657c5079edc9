/**
 * Requests over a connection: whether it has its broker, known at once; who answers; and which errors are the broker's.
 * The client would let a request wait for its whole time-out, both one made while the broker is away and one under way
 * when it is lost; here either fails as soon as that is known.
 */
import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { errors, type NatsConnection, headers as natsHeaders } from "@nats-io/nats-core";
import type { RequestOutcome } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import { WIRE } from "../../rpc/contract.ts";
import { brokerLosses } from "../../telemetry/instruments.ts";
import { parseTraceparent } from "../../telemetry/scope.ts";
import { currentTraceparent, isTracing } from "../../telemetry/tracing.ts";
import { systemClock } from "../clock/system-clock.ts";
import { isStorageFull } from "./fill.ts";
import { leaveServer, leaveSilent, type Resident, withinTime } from "./lame-duck.ts";
import { isNoResponders, isUnanswered, steadyOf } from "./steady.ts";

export { isNoResponders };

export interface ConnectionState {
  readonly up: boolean;
  /** From here on requests fail at once without a broker; a patient connection's, while a program starts, wait 10 s for it. */
  failFast(): void;
  /** Adds what is to pause while the connection moves to another server. @returns a function that removes it */
  add(resident: Resident): () => void;
}

const away = () => new errors.ConnectionError("the broker is away");
/** As the client has where none is given. */
const DEFAULT_TIMEOUT_MS = 1_000;
const START_PATIENCE_MS = 10_000;
/** A client that loses one server of several is at another one by then. */
const RECONNECT_MS = 1_000;
const POLL_MS = 50;

const states = new WeakMap<NatsConnection, ConnectionState>();

/** While it lasts, requests wait. */
class Hold {
  #pause: PromiseWithResolvers<void> | undefined;

  get end(): Promise<void> | undefined {
    return this.#pause?.promise;
  }

  begin(): void {
    this.#pause ??= Promise.withResolvers();
  }

  release(): void {
    this.#pause?.resolve();
    this.#pause = undefined;
  }
}

/** What a watch keeps of its connection, and the requests that are made over it. */
class Watch {
  up = true;
  /** The connection moves to another server (lame-duck.ts). */
  readonly moving = new Hold();
  /** The connection was just lost: requests fail at once when there is no next server for so long. */
  readonly #returning = new Hold();
  /** Its server has gone, whether or not that is meant. */
  #isGone = false;
  readonly #underWay = new Set<(error: Error) => void>();
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  readonly #request: NatsConnection["request"];
  /** Looks whether a server stands still. */
  readonly #doubt: () => void;

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#request = connection.request.bind(connection);
    this.#doubt = onceAtATime(() => leaveSilent(connection, clock));
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** One request: waits while the connection moves or returns, fails at once without one. */
  once(...args: Parameters<NatsConnection["request"]>): ReturnType<NatsConnection["request"]> {
    const held = this.moving.end ?? this.#returning.end;
    if (held) return held.then(() => this.once(...args));
    if (!this.up) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      this.#underWay.add(reject);
      this.#request(...withTrace(args))
        .finally(() => this.#underWay.delete(reject))
        .then(resolve, (error: Error) => {
          if (isUnanswered(error)) this.#doubt();
          reject(error);
        });
    });
  }

  /** The connection has no server. What is under way fails, unless it moves: that may be answered at the next server. */
  gone(): void {
    this.#isGone = true;
    if (!this.moving.end) this.#lose();
  }

  back(): void {
    this.up = true;
    this.#isGone = false;
    this.#returning.release();
  }

  /** The move ended, at another server or without one. */
  moved(): void {
    this.moving.release();
    if (this.#isGone) this.#lose();
  }

  #lose(): void {
    if (this.up) brokerLosses.inc();
    if (this.#connection.isClosed()) this.#returning.release();
    else if (this.up) {
      this.#returning.begin();
      void withinTime(this.#clock, RECONNECT_MS, this.#returning.end!).then(() => this.#returning.release());
    }
    this.up = false;
    for (const reject of this.#underWay) reject(away());
    this.#underWay.clear();
  }
}

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
 * Watches a connection from the first call on, and makes its requests (JetStream's too, which go through it) fail fast.
 * @param first of the first call: its clock; and whether requests are patient until `failFast`
 */
export function watchConnection(
  connection: NatsConnection,
  first: { clock?: Clock; isPatient?: boolean } = {},
): ConnectionState {
  const known = states.get(connection);
  if (known) return known;
  const state = startWatch(connection, first.clock ?? systemClock, first.isPatient ?? false);
  states.set(connection, state);
  return state;
}

function startWatch(connection: NatsConnection, clock: Clock, patientAtFirst: boolean): ConnectionState {
  const watch = new Watch(connection, clock);
  const residents = new Set<Resident>();
  let patient = patientAtFirst;
  const once: NatsConnection["request"] = (...args) => watch.once(...args);
  const patiently = patientOf(connection, once, () => watch.up, clock);
  connection.request = steadyOf(
    (...args) => (patient ? patiently(...args) : once(...args)),
    DEFAULT_TIMEOUT_MS,
    clock,
  );
  const leave = onceAtATime(() =>
    leaveServer(connection, clock, {
      residents,
      hold: () => watch.moving.begin(),
      release: () => watch.moved(),
      underWay: () => watch.underWay,
      isUp: () => watch.up,
    }),
  );
  const follow = async (): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "reconnect") watch.back();
      if (type === "ldm") leave();
      if (type === "disconnect" || type === "close") watch.gone();
    }
  };
  void follow();
  return {
    get up() {
      return watch.up;
    },
    failFast: () => {
      patient = false;
    },
    add: (resident) => {
      residents.add(resident);
      return () => void residents.delete(resident);
    },
  };
}

/** What a start asks for is idempotent: asked again when it was lost on the way. */
const patientOf =
  (
    connection: NatsConnection,
    once: NatsConnection["request"],
    isUp: () => boolean,
    clock: Clock,
  ): NatsConnection["request"] =>
  async (...args) => {
    const giveUpAt = clock.monotonicMs() + START_PATIENCE_MS;
    for (;;) {
      try {
        return await once(...args);
      } catch (error) {
        const isOver = connection.isClosed() || clock.monotonicMs() >= giveUpAt;
        if (isOver || !(error instanceof errors.ConnectionError)) throw error;
        while (!isUp() && clock.monotonicMs() < giveUpAt) await clock.sleep(POLL_MS);
      }
    }
  };

/** Work that is not begun while it is under way. */
function onceAtATime(work: () => Promise<void>): () => void {
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
}

export async function sendRequest(
  connection: NatsConnection,
  subject: string,
  payload: string,
  timeoutMs: number,
): Promise<RequestOutcome> {
  try {
    const reply = await connection.request(subject, payload, { timeout: timeoutMs });
    return { outcome: "answered", data: reply.data };
  } catch (error) {
    return { outcome: isNoResponders(error) ? "nobody" : "failed" };
  }
}

/**
 * Whether the same call may succeed once the broker is well again. Of the errors that JetStream answers with, those of
 * the server (5xx, no room among them) are; what it says of the request itself (4xx, a wrong sequence) is not.
 */
export function isBrokerFault(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status >= 500;
  if (isStorageFull(error)) return true;
  return (
    OF_THE_BROKER.some((kind) => error instanceof kind) ||
    (error instanceof Error && error.name === NOT_ENABLED)
  );
}

/**
 * Whether a message is somebody's request, and not one that a consumer was made to deliver here: whoever may make consumers
 * of a bucket may name any subject for them, but the broker itself then says where the answer goes.
 */
export const isRequest = ({ reply }: { reply?: string }): boolean => reply?.startsWith("_INBOX") === true;

/**
 * A request of a trace that is recorded names its span, and so does a record that it writes: whoever reads either goes on
 * with the trace. Requests to the broker's own API do not.
 */
function withTrace(args: Parameters<NatsConnection["request"]>): Parameters<NatsConnection["request"]> {
  const [subject, payload, options] = args;
  const traceparent = isTracing() && !subject.startsWith("$JS.API") ? currentTraceparent() : undefined;
  if (!parseTraceparent(traceparent)?.sampled) return args;
  const headers = options?.headers ?? natsHeaders();
  headers.set(WIRE.traceparent, traceparent!);
  return [subject, payload, { timeout: DEFAULT_TIMEOUT_MS, ...options, headers }];
}
