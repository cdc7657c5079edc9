/**
 * Whether a history could have come from lists and counters that change at one instant each, between call and answer. Lists to
 * which every value is appended once show the order of all writes, so each anomaly is found by comparing
 * (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations", VLDB 2020, section 3).
 */
import type { Event, Final, Operation } from "./history.ts";

export interface Violation {
  rule: "lost" | "twice" | "invented" | "forked" | "reordered" | "undercounted" | "overcounted" | "moved";
  text: string;
}

export interface Verdict {
  violations: Violation[];
  /** Reads that lacked a write which had been answered before they began: copies may be behind (Bucket.get). */
  stale: number;
  /** By how much the latest of them was behind, milliseconds. */
  stalestMs: number;
  /** Additions beyond those that were answered: asked again, or not answered. */
  extra: number;
}

/** An addition is asked at most so often (src/adapters/nats/steady.ts). */
const MOST_ASKED = 3;

type Of<K extends Operation["kind"]> = Event & { operation: Extract<Operation, { kind: K }> };
const of = <K extends Operation["kind"]>(events: readonly Event[], ...kinds: K[]): Of<K>[] =>
  events.filter((event): event is Of<K> => (kinds as string[]).includes(event.operation.kind));

const by = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> =>
  Map.groupBy(items, keyOf);

/** Each value that was to be written, against what is there: what was answered is there once, what failed is not. */
function presence(events: readonly Of<"append" | "enter">[], found: readonly string[], where: string) {
  const violations: Violation[] = [];
  const times = new Map<string, number>();
  for (const value of found) times.set(value, (times.get(value) ?? 0) + 1);
  for (const { operation, outcome } of events) {
    const { value } = operation;
    const n = times.get(value) ?? 0;
    times.delete(value);
    if (n > 1) violations.push({ rule: "twice", text: `${value} is in ${where} ${n} times` });
    if (n === 0 && outcome.status === "ok")
      violations.push({ rule: "lost", text: `${value} was answered and is not in ${where}` });
    if (n > 0 && outcome.status === "failed")
      violations.push({ rule: "invented", text: `${value} failed (${outcome.why}) and is in ${where}` });
  }
  for (const value of times.keys())
    violations.push({ rule: "invented", text: `${value} is in ${where}, and nobody wrote it` });
  return violations;
}

/** What was seen of a list is where it began, at some time. */
const prefixes = (events: readonly Of<"append" | "read">[], final: readonly string[]): Violation[] =>
  events.flatMap(({ operation: { key }, outcome, client }): Violation[] => {
    if (outcome.status !== "ok" || !outcome.list) return [];
    const at = outcome.list.findIndex((value, i) => value !== final[i]);
    return at < 0
      ? []
      : [
          {
            rule: "forked",
            text: `${client} saw ${outcome.list[at]} at ${at} of ${key}, where ${final[at] ?? "nothing"} is`,
          },
        ];
  });

/** Whoever was answered before another began comes before that. */
function inOrder(appends: readonly Of<"append">[], final: readonly string[]): Violation[] {
  const place = new Map(final.map((value, i) => [value, i]));
  const answered = appends
    .filter(({ outcome }) => outcome.status === "ok")
    .map(({ operation, invokedMs, completedMs }) => ({
      value: operation.value,
      at: place.get(operation.value) ?? -1,
      invokedMs,
      completedMs,
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  // From the end: the earliest answer among those that come later in the list.
  const violations: Violation[] = [];
  let earliest: (typeof answered)[number] | undefined;
  for (const each of answered.reverse()) {
    if (earliest && earliest.completedMs < each.invokedMs)
      violations.push({
        rule: "reordered",
        text: `${earliest.value} was answered before ${each.value} was asked for, and comes after it`,
      });
    if (!earliest || each.completedMs < earliest.completedMs) earliest = each;
  }
  return violations;
}

function staleness(reads: readonly Of<"read">[], appends: readonly Of<"append">[]) {
  const answered = appends.filter(({ outcome }) => outcome.status === "ok");
  const behind = reads.flatMap(({ outcome, invokedMs }) => {
    if (outcome.status !== "ok") return [];
    const seen = new Set(outcome.list);
    const missed = answered.filter(
      ({ operation, completedMs }) => completedMs < invokedMs && !seen.has(operation.value),
    );
    return missed.length === 0 ? [] : [invokedMs - Math.min(...missed.map(({ completedMs }) => completedMs))];
  });
  return { stale: behind.length, stalestMs: Math.max(0, ...behind) };
}

/** Totals are never less than what was answered, each addition is told a total of its own. */
function counted(key: string, adds: readonly Of<"add">[], final: number) {
  const violations: Violation[] = [];
  const answered = adds.flatMap(({ outcome, ...event }) =>
    outcome.status === "ok" ? [{ ...event, total: outcome.total! }] : [],
  );
  const most = adds.length * MOST_ASKED;
  if (final < answered.length)
    violations.push({ rule: "undercounted", text: `${key} is ${final} after ${answered.length} additions` });
  if (final > most)
    violations.push({ rule: "overcounted", text: `${key} is ${final} after ${adds.length} additions` });
  for (const [total, same] of by(answered, (each) => String(each.total)))
    if (same.length > 1)
      violations.push({ rule: "undercounted", text: `${key} was told to be ${total} ${same.length} times` });
  const ends = answered.map(({ completedMs }) => completedMs).sort((a, b) => a - b);
  for (const { total, invokedMs } of answered) {
    const before = ends.findLastIndex((ms) => ms < invokedMs) + 1;
    if (total <= before)
      violations.push({
        rule: "undercounted",
        text: `${key} was told to be ${total} after ${before} answers`,
      });
  }
  return { violations, extra: final - answered.length };
}

const entered = (entries: readonly Of<"enter">[], log: readonly string[]): Violation[] => [
  ...presence(entries, log, "the log"),
  ...entries.flatMap(({ operation: { value }, outcome }): Violation[] =>
    outcome.status === "ok" && log[outcome.place!] !== value
      ? [
          {
            rule: "moved",
            text: `${value} was told to be at ${outcome.place}, where ${log[outcome.place!]} is`,
          },
        ]
      : [],
  ),
];

/** @param events of all clients, in any order */
export function check(events: readonly Event[], final: Final): Verdict {
  const violations: Violation[] = [];
  let [stale, stalestMs, extra] = [0, 0, 0];
  for (const [key, ofKey] of by(of(events, "append", "read"), ({ operation }) => operation.key)) {
    const list = final.lists.get(key) ?? [];
    const appends = of(ofKey, "append");
    violations.push(...presence(appends, list, key), ...prefixes(ofKey, list), ...inOrder(appends, list));
    const late = staleness(of(ofKey, "read"), appends);
    stale += late.stale;
    stalestMs = Math.max(stalestMs, late.stalestMs);
  }
  for (const [key, adds] of by(of(events, "add"), ({ operation }) => operation.key)) {
    const result = counted(key, adds, final.totals.get(key) ?? 0);
    violations.push(...result.violations);
    extra += result.extra;
  }
  violations.push(...entered(of(events, "enter"), final.log));
  return { violations, stale, stalestMs, extra };
}
