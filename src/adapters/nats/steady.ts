/**
 * Requests to JetStream while the leader of a stream changes: the old one answers no more, the new one not yet, or a
 * server answers that there is none. What can be asked twice is asked again soon, in place of waiting for the whole
 * time-out; a write that is to follow a revision is asked again by who can tell its own from another's (buckets.ts).
 */
import {
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NoRespondersError,
  RequestError,
} from "@nats-io/nats-core";
import type { Clock } from "../../ports/clock.ts";

type Request = NatsConnection["request"];

/** A leader answers within milliseconds; a busy one may take longer, and is then asked twice. */
const FIRST_MS = 1_000;
/** A stream has a new leader by then, where two of three servers are well: nats-server stands for election after 4 to 9 s of silence. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;
const WRITE_MS = 2_500;
const READS = /^\$JS\.API\.(?:DIRECT\.GET|STREAM\.MSG\.GET|STREAM\.INFO|CONSUMER\.INFO)\./;

/** A write that is to follow a revision: asked again, it meets its own (buckets.ts). */
export const EXPECTED_REVISION_FIELD = "Nats-Expected-Last-Subject-Sequence";

/**
 * Error codes of JetStream, as its answers have them, that say: not now, and nothing was done. A stream or the cluster has no
 * leader (JSClusterNotAvailErr); the copies are agreeing on another write of the same key, which may yet fail
 * (JSStreamWrongLastSequenceConstantErr). Each with when to ask again.
 */
const NOT_NOW = [
  { mark: '"err_code":10008', pauseMs: 50 },
  { mark: '"err_code":10164', pauseMs: 5 },
];
/** Of an answer that is an error: longer ones are not looked through. */
const MAX_ERROR_BYTES = 1_024;

export const isNoResponders = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());

/** @param timeoutMs where the caller gives none */
export const steadyOf =
  (request: Request, timeoutMs: number, clock: Clock): Request =>
  async (...args) => {
    const [subject, payload, options] = args;
    const headers = options?.headers;
    const totalMs = options?.timeout ?? timeoutMs;
    const within = (ms: number): Parameters<Request> => [subject, payload, { ...options, timeout: ms }];
    const writes = isWrite(subject, headers);
    const taken = writes ? untilTaken(request, clock) : request;
    const made = writes || isOfJetStream(subject) ? untilNow(taken, clock) : taken;
    if (!isRepeatable(subject, headers))
      return writes ? made(...within(Math.min(totalMs, WRITE_MS))) : made(...args);
    const ask = (ms: number) => made(...within(ms));
    let leftMs = totalMs;
    let hasLost = false;
    for (let ms = FIRST_MS; ms < leftMs; leftMs -= ms, ms *= 2)
      try {
        return await ask(ms);
      } catch (error) {
        if (!isUnanswered(error) && (hasLost || !isLost(error))) throw error;
        hasLost ||= isLost(error);
      }
    return ask(leftMs);
  };

const isWrite = (subject: string, headers: MsgHdrs | undefined): boolean =>
  subject.startsWith("$KV.") || headers?.keys().some((name) => name.startsWith("Nats-")) === true;

/** Asks again while nobody answers for a stream. */
const untilTaken =
  (request: Request, clock: Clock): Request =>
  async (...args) => {
    const giveUpAtMs = clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      try {
        return await request(...args);
      } catch (error) {
        if (!isNoResponders(error) || clock.monotonicMs() >= giveUpAtMs) throw error;
        await clock.sleep(PAUSE_MS);
      }
    }
  };

/** What JetStream itself answers: not workers, nor what is stored, as to a direct read. */
const isOfJetStream = (subject: string): boolean =>
  subject.startsWith("$JS.API.") && !subject.startsWith("$JS.API.DIRECT.");

/** Asks again while the answer is that it cannot be done now. */
const untilNow =
  (request: Request, clock: Clock): Request =>
  async (...args) => {
    const giveUpAtMs = clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      const answer = await request(...args);
      const pauseMs = notNow(answer);
      if (pauseMs === undefined || clock.monotonicMs() >= giveUpAtMs) return answer;
      await clock.sleep(pauseMs * (0.5 + Math.random()));
    }
  };

/** When to ask again; undefined after any other answer. A quotation mark in a record's own name is escaped in answers. */
function notNow({ data }: Msg): number | undefined {
  if (data.length > MAX_ERROR_BYTES) return undefined;
  const answer = Buffer.from(data.buffer, data.byteOffset, data.length);
  return NOT_NOW.find(({ mark }) => answer.includes(mark))?.pauseMs;
}

/** What may be done twice: reads, messages that the stream knows by their ids, and counts, which are rather too high than too low. */
function isRepeatable(subject: string, headers: MsgHdrs | undefined): boolean {
  if (READS.test(subject)) return true;
  if (headers === undefined || headers.has(EXPECTED_REVISION_FIELD)) return false;
  return headers.has("Nats-Msg-Id") || headers.has("Nats-Incr");
}

/** Whether nobody said what became of a request: a write may have been done, or not. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  (error instanceof errors.RequestError && error.cause instanceof errors.TimeoutError);

/** Whether the connection was lost meanwhile: the next request waits for its return, though not for long (requests.ts). */
export const isLost = (error: unknown): boolean =>
  error instanceof errors.ConnectionError ||
  (error instanceof Error && error.cause instanceof errors.ConnectionError);
