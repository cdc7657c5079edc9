/**
 * A sharded frontier in virtual time: a billion hosts in registrable domains of a web's sizes, laid on slots, slots on shards.
 * What each shard holds and gives out, what moves when shards are added, how an hour without it is caught up, and what the
 * gate of addresses asks of other shards. Nothing of it is built (docs/production.md, section 8): what one shard can do is
 * what `npm run bench -- fleet` measures. `npm run bench -- shards [hosts] [shards] [claims a second of a shard]`
 */

import type { SiteRecord } from "../../schemas/site.ts";
import { FIRST_INTERVAL_MS, nextInterval } from "../../src/crawl/schedule.ts";
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import type { BenchLine } from "./bench-line.ts";

const HOSTS = 1_000_000_000;
const SHARDS = 256;
const SLOTS = 16_384;
const CLAIMS_A_SECOND = 1_000;
/** Sizes of domains and of addresses: Pareto of this exponent, cut at the largest. */
const EXPONENT = 1.1;
const LARGEST_DOMAIN = 10_000_000;
const LARGEST_ADDRESS = 5_000_000;
/** Part of the hosts that are listed, which are verified again within a day. */
const LISTED_SHARE = 0.1;
const LISTED_MS = 22 * HOUR_MS;
/** Of one visit: the document, the beacon, robots.txt and three pages. */
const REQUESTS_A_VISIT = 6;
/** An address that served a thousand requests is asked again after this long (src/egress/polite.ts). */
const IP_DELAY_MS = 50;
const ANSWER_MS = 200;
const MINUTE_MS = 60_000;
const SIMULATED_MS = 120 * DAY_MS;
const FOUND_WITHIN_MS = 30 * DAY_MS;

type Draw = () => number;
const paretoOf = (draw: Draw, largest: number) => (): number =>
  Math.min(largest, Math.floor((1 - draw()) ** (-1 / EXPONENT)));

/** Hosts of each slot. @param splitAbove domains that are laid host by host */
const slotsOf = (hosts: number, splitAbove: number, draw: Draw): Float64Array => {
  const size = paretoOf(draw, Math.min(LARGEST_DOMAIN, hosts / 100));
  const slots = new Float64Array(SLOTS);
  let evenly = 0;
  for (let placed = 0; placed < hosts; ) {
    const domain = Math.min(size(), hosts - placed);
    placed += domain;
    if (domain > splitAbove) evenly += domain;
    else slots[Math.floor(draw() * SLOTS)]! += domain;
  }
  return slots.map((count) => count + evenly / SLOTS);
};

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
const skewOf = (shards: readonly number[]): number => Math.max(...shards) / (sum(shards) / shards.length);

/** The heaviest slots first, each to the lightest shard. @returns slots of each shard */
const assign = (slots: Float64Array, shards: number): number[][] => {
  const of = Array.from({ length: shards }, () => [] as number[]);
  const held = new Array<number>(shards).fill(0);
  const heaviestFirst = [...slots.keys()].sort((a, b) => slots[b]! - slots[a]!);
  for (const slot of heaviestFirst) {
    const lightest = held.indexOf(Math.min(...held));
    of[lightest]!.push(slot);
    held[lightest]! += slots[slot]!;
  }
  return of;
};

/** Adds shards, each taking slots from whoever has most. @returns hosts that move, and the skew after it */
const resplit = (slots: Float64Array, of: readonly number[][], more: number) => {
  const shards = [...of.map((each) => [...each]), ...Array.from({ length: more }, () => [] as number[])];
  const held = shards.map((each) => sum(each.map((slot) => slots[slot]!)));
  const mean = sum(held) / shards.length;
  let moved = 0;
  for (let to = of.length; to < shards.length; to++)
    while (held[to]! < mean * 0.99) {
      const from = held.indexOf(Math.max(...held));
      const slot = shards[from]!.pop()!;
      shards[to]!.push(slot);
      held[from]! -= slots[slot]!;
      held[to]! += slots[slot]!;
      moved += slots[slot]!;
    }
  return { moved, skew: skewOf(held) };
};

/** Minutes between the visits of a host that never changes, from its first on. */
const intervals = (): number[] => {
  const minutes = [FIRST_INTERVAL_MS];
  for (;;) {
    const before = { interval_seconds: minutes.at(-1)! / 1_000, last_ok_at: "seen" } as unknown as SiteRecord;
    const next = nextInterval(before, false);
    if (next === minutes.at(-1)) return minutes.map((ms) => Math.round(ms / MINUTE_MS));
    minutes.push(next);
  }
};

interface Flow {
  /** Visits a second in the last simulated days, and in the fullest minute of them. */
  meanPerSecond: number;
  peakPerSecond: number;
  /** Minutes until that is so again after an hour in which nothing was given out. */
  catchUpMinutes: number;
}

/** One shard, minute by minute: its hosts are found in a month, and visited as fast as it gives them out. */
const flowOf = (hosts: number, claimsPerSecond: number): Flow => {
  const steps = intervals();
  const listed = Math.round(LISTED_MS / MINUTE_MS);
  const minutes = SIMULATED_MS / MINUTE_MS;
  const ahead = Math.max(...steps, listed) + 1;
  /** Hosts due in each minute, by step of their interval; the last kind are listed ones. */
  const due = steps.concat(listed).map(() => new Float64Array(ahead));
  const waiting = new Array<number>(due.length).fill(0);
  const found = FOUND_WITHIN_MS / MINUTE_MS;
  const flow: Flow = { meanPerSecond: 0, peakPerSecond: 0, catchUpMinutes: 1 };
  const outage = minutes - (7 * DAY_MS) / MINUTE_MS;
  const lastDays = outage - (28 * DAY_MS) / MINUTE_MS;
  for (let minute = 0; minute < minutes; minute++) {
    if (minute < found) {
      waiting[0]! += (hosts * (1 - LISTED_SHARE)) / found;
      waiting[steps.length]! += (hosts * LISTED_SHARE) / found;
    }
    const stands = minute >= outage && minute < outage + 60;
    for (const [kind, calendar] of due.entries()) {
      waiting[kind]! += calendar[minute % ahead]!;
      calendar[minute % ahead] = 0;
    }
    const all = sum(waiting);
    const given = stands ? 0 : Math.min(all, claimsPerSecond * 60);
    for (const [kind, count] of waiting.entries()) {
      const mine = all === 0 ? 0 : (given * count) / all;
      waiting[kind]! -= mine;
      const next = kind >= steps.length - 1 ? kind : kind + 1;
      due[next]![(minute + (next === steps.length ? listed : steps[next]!)) % ahead]! += mine;
    }
    if (minute >= lastDays && minute < outage) {
      flow.meanPerSecond += given / 60 / (outage - lastDays);
      flow.peakPerSecond = Math.max(flow.peakPerSecond, given / 60);
    }
    if (minute >= outage + 60 && all > given) flow.catchUpMinutes = minute - outage - 59;
  }
  return flow;
};

/** Part of the hosts on addresses whose pauses let them be visited less often than they are due. */
const boundByAddress = (hosts: number, visitsPerHostAndDay: number, draw: Draw) => {
  const size = paretoOf(draw, LARGEST_ADDRESS);
  const visitsADay = DAY_MS / (REQUESTS_A_VISIT * (IP_DELAY_MS + ANSWER_MS));
  let late = 0;
  for (let placed = 0; placed < hosts; ) {
    const here = Math.min(size(), hosts - placed);
    placed += here;
    if (here * visitsPerHostAndDay > visitsADay) late += here;
  }
  return { share: late / hosts, hostsAnAddress: visitsADay / visitsPerHostAndDay };
};

export const bench = async (
  hosts = HOSTS,
  shards = SHARDS,
  claimsPerSecond = CLAIMS_A_SECOND,
): Promise<BenchLine[]> => {
  const draw = mulberry32(1);
  const conditions = `${hosts} hosts, ${shards} shards, ${SLOTS} slots, a shard gives out ${claimsPerSecond} hosts a second; domains and addresses of Pareto sizes (${EXPONENT}); ${LISTED_SHARE * 100} % listed, visited every 22 h; virtual time`;
  const line = (name: string, value: number, unit: string, baseline: number | null = null): BenchLine => ({
    name: `shards: ${name}`,
    value: Number(value.toPrecision(3)),
    unit,
    baseline: baseline && Number(baseline.toPrecision(3)),
    ratio: baseline ? Number((value / baseline).toPrecision(3)) : null,
    conditions,
  });
  const byDomain = slotsOf(hosts, Number.POSITIVE_INFINITY, draw);
  // A domain of more hosts than a slot has is laid on all slots, host by host.
  const slots = slotsOf(hosts, hosts / SLOTS, draw);
  const held = (layout: readonly number[][], of: Float64Array): number[] =>
    layout.map((each) => sum(each.map((slot) => of[slot]!)));
  const layout = assign(slots, shards);
  const mean = hosts / shards;
  const { moved, skew } = resplit(slots, layout, shards / 4);
  const flow = flowOf(Math.max(...held(layout, slots)), claimsPerSecond);
  const perHostAndDay = (flow.meanPerSecond * DAY_MS) / 1_000 / mean;
  const address = boundByAddress(hosts, perHostAndDay, draw);
  return [
    line("hosts of a shard", mean, "hosts"),
    line(
      "the fullest shard, whole domains",
      Math.max(...held(assign(byDomain, shards), byDomain)),
      "hosts",
      mean,
    ),
    line(
      "the fullest shard, domains larger than a slot split",
      Math.max(...held(layout, slots)),
      "hosts",
      mean,
    ),
    line("hosts that move to a quarter more shards", moved, "hosts", hosts / 5),
    line("the fullest shard after it", skew, "of the mean"),
    line("visits of the fullest shard", flow.meanPerSecond, "visits/s", claimsPerSecond),
    line("visits of its fullest minute", flow.peakPerSecond, "visits/s", claimsPerSecond),
    line("all of it given out once", mean / claimsPerSecond / 3_600, "hours"),
    line("an hour without it is caught up in", flow.catchUpMinutes, "minutes"),
    line("visits of all", flow.meanPerSecond * shards, "visits/s"),
    line(
      "requests for an address that another shard keeps",
      2 * REQUESTS_A_VISIT * flow.meanPerSecond * (1 - 1 / shards),
      "requests/s a shard",
    ),
    line("hosts that an address's pauses leave time for", address.hostsAnAddress, "hosts"),
    line("hosts on addresses with more", address.share * 100, "%"),
  ];
};
