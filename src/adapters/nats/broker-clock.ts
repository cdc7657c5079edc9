/** The broker's wall clock, as far as a process can know it: the one time that all processes share. */
import type { JetStreamManager } from "@nats-io/jetstream";
import type { Clock } from "../../ports/clock.ts";

/** As long as a clock that was set at the broker's machine goes unnoticed, and processes differ about what time it is. */
const READ_EVERY_MS = 10_000;
/** A busy machine is asked more often, until an answer came quickly. */
const SAMPLES = 4;
const MAX_SAMPLES = 16;
const QUICK_MS = 10;
/** Readings of the last minute: what was written by an older one (a lease, a host's pause) has run out. */
const EARLIER_KEPT = 6;
/** A clock that was set by more is believed as it is: a machine that slept must not rest its hosts for as long again. */
const MAX_SET_MS = 60_000;

interface ClockReading {
  /** How far the broker's clock is ahead of the monotonic one. */
  offsetMs: number;
  errorMs: number;
}

export interface BrokerClock {
  now(): number;
  /** The most that `now` may be off, either way, in milliseconds; also from what others take for the time meanwhile. */
  errorMs(): number;
  stop(): void;
}

/** Reads the clock, and again every ten seconds. @throws when the first reading fails */
export async function followClock(jsm: JetStreamManager, stream: string, clock: Clock): Promise<BrokerClock> {
  let newest = await readClock(jsm, stream, clock);
  let earlier: ClockReading[] = [];
  let errorMs = newest.errorMs;
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(READ_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      // A broker that is away keeps the last reading: the monotonic clock goes on.
      const fresh = await readClock(jsm, stream, clock).catch(() => undefined);
      if (!fresh) continue;
      earlier = [newest, ...earlier].slice(0, EARLIER_KEPT);
      newest = fresh;
      errorMs = errorAmong(newest, earlier);
    }
  };
  void loop();
  return {
    now: () => clock.monotonicMs() + newest.offsetMs,
    errorMs: () => errorMs,
    stop: () => stopping.abort(),
  };
}

/**
 * Reads the broker's clock from the time stamps of a stream's infos, which are whole milliseconds here. The quickest
 * answer counts: half of its time is the most that the offset can be wrong, and leases of all processes rest on it.
 */
async function readClock(jsm: JetStreamManager, stream: string, clock: Clock): Promise<ClockReading> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let sample = 0; sample < SAMPLES || (sample < MAX_SAMPLES && best.tookMs > QUICK_MS); sample++) {
    const before = clock.monotonicMs();
    const info = (await jsm.streams.info(stream)) as { ts?: string };
    const tookMs = clock.monotonicMs() - before;
    const offsetMs = (info.ts ? Date.parse(info.ts) + 0.5 : clock.now()) - (before + tookMs / 2);
    if (tookMs < best.tookMs) best = { tookMs, offsetMs };
  }
  return { offsetMs: best.offsetMs, errorMs: best.tookMs / 2 + 0.5 };
}

/**
 * The error of the newest reading among those of the last minute. Where an earlier one cannot be true of the same clock,
 * that was set in between: others may go by the earlier one still, and what they wrote by it holds. Whoever knows both
 * keeps its distance from both.
 */
const errorAmong = (newest: ClockReading, earlier: readonly ClockReading[]): number =>
  earlier.reduce((errorMs, before) => {
    const apartMs = Math.abs(newest.offsetMs - before.offsetMs);
    const wasSet = apartMs > newest.errorMs + before.errorMs && apartMs <= MAX_SET_MS;
    return wasSet ? Math.max(errorMs, apartMs + before.errorMs) : errorMs;
  }, newest.errorMs);
