/**
 * Leases on hosts and addresses, one holder at a time over all processes. The frontier's token alone cannot keep a pause:
 * the address is known only after DNS, hosts of one address are with different workers, and checks of many kinds send too.
 * Every outgoing request holds a lease on its host and on its address; a lease is a record written by compare-and-set.
 * Each process knows the error of its view of the broker's clock: who writes a time adds its error, who waits adds its own.
 */

import { hash } from "node:crypto";
import { z } from "zod";
import { KeyedMutex } from "../concurrency/keyed-mutex.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Clock } from "../ports/clock.ts";
import { DAY_MS } from "../ports/time.ts";
import { recentlyUsed } from "../stores/recently-used.ts";
import type { Records } from "../stores/records.ts";

/** Bounded back-off after 429 and 5xx: from a minute, doubling, to a day; forgotten after thirty quiet minutes. */
const BACKOFF_FIRST_MS = 60_000;
const BACKOFF_MAX_MS = DAY_MS;
const BACKOFF_FORGET_MS = 1_800_000;
/** Compare-and-set attempts before the caller is sent away. */
const MAX_ATTEMPTS = 60;

export const GateRecord = z.looseObject({
  /** Lease end in broker milliseconds; 0 when free. */
  until: z.number(),
  holder: z.string(),
  /** Earliest next request. */
  next: z.number(),
  backoffMs: z.number(),
  backoffAt: z.number(),
  /** Requests answered without an error since the last one. */
  streak: z.number(),
});
export type GateRecord = z.infer<typeof GateRecord>;

export interface GateOutcome {
  /** Earliest next request to this key, broker milliseconds. */
  nextAt: number;
  /** A 429 or 5xx: the key backs off. */
  pushedBack?: boolean;
  /** No usable answer: the streak starts anew. */
  failed?: boolean;
}

export interface Lease {
  readonly streak: number;
  /** Expiry, broker milliseconds; 0 once it was released or lost. */
  readonly until: number;
  /**
   * When the lease before this one expired, broker milliseconds; 0 when its holder released it. A holder that did not may
   * have sent until then, and set no pause.
   */
  readonly expiredAt: number;
  /** Extends the lease; false when it was lost. One that was released has nothing to lose. */
  renew(): Promise<boolean>;
  release(outcome: GateOutcome): Promise<void>;
}
export type LeaseResult = { ok: true; lease: Lease } | { ok: false; retryAt: number };

export interface Gate {
  /** Waits at most `maxWaitMs` for the key to be free, then takes it; else says when to come back. */
  enter(key: string, maxWaitMs: number, signal?: AbortSignal): Promise<LeaseResult>;
}

/** The record of a key that nobody holds and that has no history. */
export const FREE: GateRecord = { until: 0, holder: "", next: 0, backoffMs: 0, backoffAt: 0, streak: 0 };

export interface GateOptions {
  records: Pick<Records<GateRecord>, "get" | "compareAndSet">;
  /** The broker's clock, milliseconds: shared by all holders. */
  now: () => number;
  /** The most that `now` may be off. */
  clockErrorMs: () => number;
  clock: Clock;
  holder: string;
  leaseMs: number;
}

interface Held {
  value: GateRecord;
  revision: number;
}

interface LeaseHooks {
  /** Writes over a revision; undefined when another was first. */
  write: (value: GateRecord, revision: number) => Promise<Held | undefined>;
  /** When a lease that is written now expires. */
  leaseEnd: () => number;
  now: () => number;
  /** Called once on release. */
  onRelease: () => void;
}

/**
 * Hosts may be addresses too, as those of webhooks. A host that cannot stand in a broker key is hashed.
 */
export function hostGateKey(host: string): string {
  const name = hostKey(host.replaceAll(":", "-").replace(/^\[|\]$/g, ""));
  return /^[\w/-]{1,253}$/.test(name) ? `h/${name}` : `h/=/${hash("sha256", host)}`;
}
export const addressGateKey = (address: string): string =>
  `i/${address.replaceAll(":", "-").replaceAll(".", "/")}`;

/** The record after a release: pure, so that back-off can be read and tested in one place. */
export function afterRelease(record: GateRecord, outcome: GateOutcome, now: number): GateRecord {
  // Quiet is what follows a back-off, not the back-off itself: else none would ever grow past the half hour.
  const forgotten = now - (record.backoffAt + record.backoffMs) > BACKOFF_FORGET_MS;
  if (outcome.pushedBack) {
    const again = record.backoffMs > 0 && !forgotten;
    const backoffMs = again ? Math.min(BACKOFF_MAX_MS, record.backoffMs * 2) : BACKOFF_FIRST_MS;
    return { ...FREE, next: Math.max(outcome.nextAt, now + backoffMs), backoffMs, backoffAt: now };
  }
  return {
    ...FREE,
    next: outcome.nextAt,
    backoffMs: forgotten ? 0 : record.backoffMs,
    backoffAt: forgotten ? 0 : record.backoffAt,
    streak: outcome.failed ? 0 : record.streak + 1,
  };
}

/** A gate whose leases are seen by every process on the same broker. */
export function createGate(options: GateOptions): Gate {
  const { now, clockErrorMs, clock, holder, leaseMs } = options;
  const leaseEnd = () => now() + clockErrorMs() + leaseMs;
  // A key that this very process holds is waited for here: no broker is asked while a neighbor has it.
  const local = new KeyedMutex();
  const records = openHeld(options.records);

  /** Takes the record of a key whose turn in this process has come. */
  const take = async (key: string, giveUpAt: number, signal?: AbortSignal): Promise<LeaseResult> => {
    const write = records.writeOver(key);
    let held = records.known(key);
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal?.aborted; attempt++) {
      const passed = now() - clockErrorMs();
      const leased = held.value.until > passed;
      const waitMs = held.value.next - passed;
      if (!leased && waitMs <= 0) {
        const { until } = held.value;
        const taken = await write({ ...held.value, until: leaseEnd(), holder }, held.revision);
        if (taken) {
          const hooks = { write, leaseEnd, now, onRelease: () => local.release(key) };
          return { ok: true, lease: openLease(taken, until, hooks) };
        }
        await clock.sleep(Math.random() * Math.min(50, 2 + attempt * 2), signal);
      } else if (held.value.next > giveUpAt) {
        return { ok: false, retryAt: soon(held.value.next, 250) };
      } else if (leased && now() >= giveUpAt) {
        return { ok: false, retryAt: soon(now(), 5_000) };
      } else {
        await clock.sleep(Math.max(Math.ceil(waitMs), leased ? 50 + Math.random() * 200 : 0), signal);
      }
      held = await records.read(key);
    }
    return { ok: false, retryAt: soon(now(), 2_000) };
  };

  return {
    enter: async (key, maxWaitMs, signal) => {
      const giveUpAt = now() + maxWaitMs;
      if (!(await acquireWithin(local, key, maxWaitMs, clock)))
        return { ok: false, retryAt: soon(now(), 5_000) };
      let entry: LeaseResult | undefined;
      try {
        entry = await take(key, giveUpAt, signal);
        return entry;
      } finally {
        if (!entry?.ok) local.release(key);
      }
    },
  };
}

/** The records of keys, and what this process wrote last, so that an uncontended key costs one write and no read. */
function openHeld(records: GateOptions["records"]) {
  const known = recentlyUsed<Held>(20_000);
  const free: Held = { value: FREE, revision: 0 };
  return {
    known: (key: string): Held => known.get(key) ?? free,
    read: async (key: string): Promise<Held> => (await records.get(key)) ?? free,
    writeOver:
      (key: string): LeaseHooks["write"] =>
      async (value, revision) => {
        const written = await records.compareAndSet(key, value, revision);
        if (written === undefined) {
          known.delete(key);
          return undefined;
        }
        const held = { value, revision: written };
        known.set(key, held);
        return held;
      },
  };
}

function openLease(taken: Held, expiredAt: number, { write, leaseEnd, now, onRelease }: LeaseHooks): Lease {
  let held: Held | undefined = taken;
  let released = false;
  let renewing: Promise<void> | undefined;
  const renewOnce = async (): Promise<void> => {
    if (held) held = await write({ ...held.value, until: leaseEnd() }, held.revision);
  };
  return {
    streak: taken.value.streak,
    expiredAt,
    get until() {
      return held?.value.until ?? 0;
    },
    // One write at a time: two over the same revision would look like a lease lost to another.
    renew: async () => {
      if (released) return true;
      renewing ??= renewOnce().finally(() => {
        renewing = undefined;
      });
      await renewing;
      return released || held !== undefined;
    },
    release: async (outcome) => {
      released = true;
      // A renewal under way makes the revision that this write must follow.
      await renewing?.catch(() => undefined);
      const mine = held;
      held = undefined;
      try {
        // A lease that expired and was taken by another has a newer revision: this write then does nothing.
        if (mine) await write(afterRelease(mine.value, outcome, now()), mine.revision);
      } finally {
        onRelease();
      }
    },
  };
}

const soon = (fromMs: number, spreadMs: number): number => fromMs + spreadMs * (0.2 + 0.8 * Math.random());

/** Whether the key was acquired within `maxWaitMs`. */
async function acquireWithin(
  mutex: KeyedMutex,
  key: string,
  maxWaitMs: number,
  clock: Clock,
): Promise<boolean> {
  if (mutex.tryAcquire(key)) return true;
  const [timeout, acquired] = [new AbortController(), new AbortController()];
  void clock.sleep(maxWaitMs, acquired.signal).then(() => {
    if (!acquired.signal.aborted) timeout.abort();
  });
  const outcome = await mutex.acquire(key, timeout.signal);
  acquired.abort();
  return outcome === "acquired";
}
