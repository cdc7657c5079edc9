/**
 * The end of keys without an account that nobody uses: anybody can make them, and their records would stay for ever. Days of use are
 * in the day counters, which are kept for 40 days; each key is looked at once a week, which notes its last day.
 */
import type { Logger } from "pino";
import type { GatewayKeyRecord, KeyRecord } from "../../schemas/key.ts";
import { every } from "../../src/concurrency/every.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Counters } from "../../src/ports/counters.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Records } from "../../src/stores/records.ts";
import { dateOf, endOfUnused, isRevoked, lastUse, usageKey } from "./rules.ts";

const HOUR_MS = 3_600_000;
/** Hours until each key was looked at once: at most a 168th of all is looked at in an hour. */
const ROUND_HOURS = 168;
/** Keys whose use is asked for at once. */
const AT_ONCE = 100;
/** A use so recent needs no look. */
const RECENT_MS = 7 * DAY_MS;
/** The counters' days, less one: whoever was not looked at for longer may have been used without a trace. */
const SEEN_DAYS = 39;
/** A key that ended so long ago is forgotten. */
const FORGET_MS = 90 * DAY_MS;

export interface UnusedDeps {
  /** Of all keys. */
  records: Records<KeyRecord>;
  counters: Pick<Counters, "list">;
  /** Milliseconds. */
  now: () => number;
}

/** The last day on which each of some keys was used, as noted or as counted. @returns what tells it of a key */
export async function daysOfUse(
  counters: Pick<Counters, "list">,
  keys: readonly GatewayKeyRecord[],
): Promise<(key: GatewayKeyRecord) => string | undefined> {
  const counts = await counters.list(
    "day",
    keys.map(({ usageId }) => usageKey(usageId)),
  );
  const newest = new Map<string, string>();
  for (const { key, period, total } of counts)
    if (total > 0 && period > (newest.get(key) ?? "")) newest.set(key, period);
  return ({ usageId, usedOn }) => {
    const period = newest.get(usageKey(usageId));
    const counted = period === undefined ? undefined : dateOf(period);
    return counted === undefined || (usedOn !== undefined && usedOn > counted) ? usedOn : counted;
  };
}

/** The record after a look: with the day of its last use, or ended. Pure. */
export function looked(record: GatewayKeyRecord, usedOn: string | undefined, now: number): GatewayKeyRecord {
  const today = iso(now).slice(0, 10);
  const next: GatewayKeyRecord = {
    ...record,
    ...(usedOn !== undefined && { usedOn }),
    checkedOn: today,
  };
  const wasSeen = record.checkedOn !== undefined && now - Date.parse(record.checkedOn) < SEEN_DAYS * DAY_MS;
  const isOver = (endOfUnused(next) ?? Number.POSITIVE_INFINITY) <= now;
  return isOver && wasSeen ? { ...next, revokedAt: iso(now) } : next;
}

/** Looks every hour. Of several processes each does: what one has done the others find done. @returns what ends it */
export const sweepUnused = (deps: UnusedDeps, clock: Clock, log: Logger): (() => void) =>
  every(clock, HOUR_MS, () => {
    void lookForUnused(deps, Math.floor(deps.now() / HOUR_MS)).catch((error: unknown) =>
      log.warn({ err: error }, "unused API keys were not looked for; the next round is in a week"),
    );
  });

/** Looks at the keys of an hour of the week. @param hour any count of hours; the same keys come again after a week */
export async function lookForUnused(deps: UnusedDeps, hour: number): Promise<void> {
  let names: string[] = [];
  for await (const name of deps.records.keys()) {
    if (!isKey(name) || hourOf(name) !== hour % ROUND_HOURS) continue;
    names.push(name);
    if (names.length < AT_ONCE) continue;
    await lookAtSome(deps, names);
    names = [];
  }
  await lookAtSome(deps, names);
}

/** Wallets are among the names; hashes alone are keys. */
const isKey = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** The hour of the week in which a key is looked at. @param hash the name of its record */
export const hourOf = (hash: string): number => Number.parseInt(hash.slice(0, 8), 16) % ROUND_HOURS;

async function lookAtSome(deps: UnusedDeps, names: readonly string[]): Promise<void> {
  const { records, counters, now } = deps;
  const stored = await Promise.all(names.map(async (name) => ({ name, key: await records.get(name) })));
  const free = stored.flatMap(({ name, key }) =>
    key?.value.kind === "gateway" && key.value.accountId === null
      ? [{ name, value: key.value, revision: key.revision }]
      : [],
  );
  for (const { name, value, revision } of free)
    if (value.revokedAt !== null && Date.parse(value.revokedAt) + FORGET_MS <= now())
      await records.removeRevision(name, revision);
  const unused = free.filter(({ value }) => !isRevoked(value, now()) && now() - lastUse(value) >= RECENT_MS);
  const usedOn = await daysOfUse(
    counters,
    unused.map(({ value }) => value),
  );
  for (const { name, value } of unused)
    await records.update(name, (record) =>
      record?.kind !== "gateway" || isRevoked(record, now())
        ? { result: true }
        : { next: looked(record, usedOn(value), now()), result: true },
    );
}
