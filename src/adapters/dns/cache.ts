/** Answers kept for as long as their owners allow, and failures for as long as RFC 9520 asks. */
import { LRUCache } from "lru-cache";
import type { DnsAnswer } from "../../ports/dns.ts";

export const MAX_POSITIVE_SECONDS = 86_400;
/** RFC 2308 section 5: one to three hours have been found to work well. */
export const MAX_NEGATIVE_SECONDS = 10_800;
const MIN_FAILURE_MS = 1_000;
const MAX_FAILURE_MS = 30_000;
/** A name whose last failure is this much older than its expiry starts at the shortest wait again. */
const FORGET_FAILURES_MS = 300_000;
const MEAN_ENTRY_CHARACTERS = 1024;

interface Entry {
  answer: DnsAnswer<string>;
  expiresAtMs: number;
  /** Failures in a row, this one included. */
  failures: number;
}

/** Bounded by entries and by their text: at most 1,024 characters each on average. Times on the monotonic scale. */
export class AnswerCache {
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxEntries: number) {
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxEntries * MEAN_ENTRY_CHARACTERS,
      sizeCalculation: ({ answer }, key) => key.length + charactersOf(answer),
    });
  }

  /** The answer with the seconds it has left, or undefined. */
  get(key: string, nowMs: number): DnsAnswer<string> | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expiresAtMs <= nowMs) return undefined;
    if (entry.answer.outcome === "failed") return entry.answer;
    return { ...entry.answer, ttlSeconds: Math.ceil((entry.expiresAtMs - nowMs) / 1000) };
  }

  /** Keeps an answer as its TTL says (0: not at all), a failure for 1 to 30 s, doubling with each one in a row. */
  set(key: string, answer: DnsAnswer<string>, nowMs: number): void {
    if (answer.outcome === "failed") {
      const last = this.#entries.peek(key);
      const isRepeated = last !== undefined && nowMs < last.expiresAtMs + FORGET_FAILURES_MS;
      const failures = 1 + (isRepeated ? last.failures : 0);
      const waitMs = Math.min(MAX_FAILURE_MS, MIN_FAILURE_MS * 2 ** (failures - 1));
      this.#entries.set(key, { answer, expiresAtMs: nowMs + waitMs, failures });
    } else if (answer.ttlSeconds > 0) {
      this.#entries.set(key, { answer, expiresAtMs: nowMs + answer.ttlSeconds * 1000, failures: 0 });
    } else {
      this.#entries.delete(key);
    }
  }
}

function charactersOf(answer: DnsAnswer<string>): number {
  if (answer.outcome === "failed") return answer.detail.length + 1;
  if (answer.outcome === "none") return 1;
  return answer.records.reduce((sum, record) => sum + record.length, 1);
}
