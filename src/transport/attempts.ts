/**
 * How a front asks again while workers come and go (docs/decisions/0077). A request that no worker took is sent again. A
 * read that stays unanswered is sent to a second worker too, one that has just shown that its event loop turns; until the
 * broker has dropped the one that stands still, all calls go to such workers.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/nats-core";
import { isNoResponders } from "../adapters/nats/requests.ts";
import { directSubject, liveSubject } from "../rpc/contract.ts";
import { repeatedRequests } from "../telemetry/instruments.ts";
import type { ReplyMessage } from "./local.ts";

/** A role whose last worker moves to another broker is back by then; one that nobody runs answers at once from then on. */
const NOBODY_PATIENCE_MS = 3_000;
const NOBODY_PAUSE_MS = 50;
/** After so long without such a request, patience begins anew. */
const NOBODY_FORGOTTEN_MS = 10_000;
/** Of the deadline: a read that is unanswered for longer is asked of a second worker. */
const UNANSWERED_SHARE = 0.2;
/** A loop that turns answers at once. */
const LIVE_TIMEOUT_MS = 500;
/** Longer than a broker takes to drop a client that does not answer (ping_interval, ping_max of deploy/nats.conf). */
const SUSPICIOUS_MS = 10_000;
/** Second attempts are a tenth of the requests, after a burst of so many: they must not double an overload. */
const BURST = 256;
const SHARE = 0.1;

/** Sends the request to a subject, with so many milliseconds left. @throws as NatsConnection.request does */
export type Send = (subject: string, leftMs: number) => Promise<ReplyMessage>;

interface Shared {
  /** Until then some worker may stand still. */
  suspiciousUntilMs: number;
}

export class Attempts {
  readonly #connection: NatsConnection;
  readonly #live: string;
  #nobodySinceMs = Number.NEGATIVE_INFINITY;
  #nobodyLastMs = Number.NEGATIVE_INFINITY;
  #tokens = BURST;

  /** What holds for all services: a process that stands still may serve several. */
  readonly #shared: Shared;

  constructor(connection: NatsConnection, prefix: string, service: string, shared: Shared) {
    this.#connection = connection;
    this.#shared = shared;
    this.#live = liveSubject(prefix, service);
  }

  /**
   * @param subject of the operation, where any worker takes it
   * @param isRead it may be done twice
   * @returns the first answer of a worker
   * @throws as NatsConnection.request does, when there is none within `timeoutMs`
   */
  async make(subject: string, isRead: boolean, timeoutMs: number, send: Send): Promise<ReplyMessage> {
    const giveUpAtMs = performance.now() + timeoutMs;
    const leftMs = () => Math.max(1, Math.ceil(giveUpAtMs - performance.now()));
    this.#tokens = Math.min(BURST, this.#tokens + SHARE);
    for (;;) {
      try {
        const answer = await this.#once(subject, isRead, timeoutMs, (to) => send(to, leftMs()));
        this.#nobodyLastMs = Number.NEGATIVE_INFINITY;
        return answer;
      } catch (error) {
        if (!isNoResponders(error) || leftMs() <= 2 * NOBODY_PAUSE_MS || !this.#isPatient()) throw error;
        repeatedRequests.inc({ why: "nobody" });
        await delay(NOBODY_PAUSE_MS * (0.5 + Math.random()));
      }
    }
  }

  /** Whether a failed read may be made again. Whoever asks does it. */
  mayRepeat(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #isPatient(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#nobodyLastMs > NOBODY_FORGOTTEN_MS) this.#nobodySinceMs = nowMs;
    this.#nobodyLastMs = nowMs;
    return nowMs - this.#nobodySinceMs < NOBODY_PATIENCE_MS;
  }

  /** Who answers first of all workers of the service; undefined: none does. */
  async #alive(): Promise<string | undefined> {
    try {
      return (await this.#connection.request(this.#live, "", { timeout: LIVE_TIMEOUT_MS })).string();
    } catch {
      return undefined;
    }
  }

  async #once(
    subject: string,
    isRead: boolean,
    timeoutMs: number,
    send: (to: string) => Promise<ReplyMessage>,
  ): Promise<ReplyMessage> {
    if (performance.now() < this.#shared.suspiciousUntilMs) {
      const alive = await this.#alive();
      if (alive !== undefined) return send(directSubject(subject, alive));
    }
    const first = send(subject);
    if (!isRead) return first;
    // No AbortSignal: one costs each read an error with its stack.
    const { promise: unanswered, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), timeoutMs * UNANSWERED_SHARE);
    const answer = await Promise.race([first, unanswered]).finally(() => clearTimeout(timer));
    if (answer !== undefined || !this.mayRepeat()) return first;
    const alive = await this.#alive();
    if (alive === undefined) return first;
    repeatedRequests.inc({ why: "unanswered" });
    const second = send(directSubject(subject, alive));
    second.then(
      () => this.#suspect(first),
      () => undefined,
    );
    return firstOf(first, second);
  }

  /** A second attempt was answered: unless the first is too, some worker stands still. */
  #suspect(first: Promise<ReplyMessage>): void {
    void Promise.race([
      first.then(
        () => true,
        () => true,
      ),
      Promise.resolve(false),
    ]).then((isOver) => {
      if (!isOver) this.#shared.suspiciousUntilMs = performance.now() + SUSPICIOUS_MS;
    });
  }
}

/** The first answer; the first attempt's error where neither has one. */
const firstOf = (first: Promise<ReplyMessage>, second: Promise<ReplyMessage>): Promise<ReplyMessage> =>
  Promise.any([first, second]).catch(() => first);

interface Known extends Shared {
  services: Map<string, Attempts>;
}
const known = new WeakMap<NatsConnection, Known>();

/** Those of a service: what one call learns holds for all of the process. */
export function attemptsOf(connection: NatsConnection, prefix: string, service: string): Attempts {
  const shared = known.get(connection) ?? { suspiciousUntilMs: 0, services: new Map() };
  known.set(connection, shared);
  const attempts = shared.services.get(service) ?? new Attempts(connection, prefix, service, shared);
  shared.services.set(service, attempts);
  return attempts;
}
