/**
 * The Resolver port over a wire client of our own: it reports TTLs and DNSSEC states, which the system's resolver does
 * not, and tells a failure from an empty answer.
 */

import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { acquire, Semaphore } from "../../concurrency/semaphore.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DnsAnswer, DnssecState, FullResolver, ServiceBinding, SignedSet } from "../../ports/dns.ts";
import { cacheLookups } from "../../telemetry/instruments.ts";
import type { ServerAddress } from "./exchange.ts";
import type { QueryType } from "./query.ts";
import { MAX_ALIASES, normalizeName, readAnswer } from "./reading.ts";
import { readSignedSets, setOfText, textOfSet } from "./signed-sets.ts";
import { type UpstreamAnswer, UpstreamQuery } from "./upstream-query.ts";

const MAX_POSITIVE_SECONDS = 86_400;
/** RFC 2308 section 5: one to three hours have been found to work well. */
const MAX_NEGATIVE_SECONDS = 10_800;
const MIN_FAILURE_MS = 1_000;
const MAX_FAILURE_MS = 30_000;
/** A name whose last failure is this much older than its expiry starts at the shortest wait again. */
const FORGET_FAILURES_MS = 300_000;
const MEAN_ENTRY_CHARACTERS = 1024;

interface Entry {
  answer: DnsAnswer<string>;
  askedAtMs: number;
  expiresAtMs: number;
  /** Failures in a row, this one included. */
  failures: number;
}

/**
 * Answers kept for as long as their owners allow, and failures for as long as RFC 9520 asks. Bounded by entries and by
 * their text: at most 1,024 characters each on average. Times on the monotonic scale.
 */
class AnswerCache {
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxEntries: number) {
    this.#entries = new LRUCache({
      maxSize: maxEntries * MEAN_ENTRY_CHARACTERS,
      // Each counts as the mean at least, which bounds their number: `max` would take the memory of all at once.
      sizeCalculation: ({ answer }, key) =>
        Math.max(MEAN_ENTRY_CHARACTERS, key.length + charactersOf(answer)),
    });
  }

  /** The answer with the seconds it has left, or undefined. Failures are kept for as long as RFC 9520 asks, however old an answer may be. */
  get(key: string, nowMs: number, maxAgeMs: number): DnsAnswer<string> | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expiresAtMs <= nowMs) return undefined;
    if (entry.answer.outcome !== "failed" && entry.askedAtMs + maxAgeMs < nowMs) return undefined;
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
      this.#entries.set(key, { answer, askedAtMs: nowMs, expiresAtMs: nowMs + waitMs, failures });
    } else if (answer.ttlSeconds > 0) {
      const expiresAtMs = nowMs + answer.ttlSeconds * 1000;
      this.#entries.set(key, { answer, askedAtMs: nowMs, expiresAtMs, failures: 0 });
    } else {
      this.#entries.delete(key);
    }
  }
}

export interface ResolverOptions {
  /** Recursive resolvers to ask; the order counts until latencies are known. None: every lookup fails. */
  servers: ServerAddress[];
  /** Whether these servers validate DNSSEC and the way to them is trusted, so that their AD bit may be believed. */
  validating: boolean;
  clock: Clock;
  /** Default 100,000, of 1,024 characters on average. */
  cacheEntries?: number;
  /** Default 250. */
  minTimeoutMs?: number;
  /** Default 5,000. */
  maxTimeoutMs?: number;
}

/** Each lookup holds a socket at a time. */
const MAX_IN_FLIGHT = 1_024;
const MAX_WAITING = 65_536;
/** No try of a lookup starts later than this many of the longest time-outs after it began. */
const LOOKUP_TIMEOUTS = 4;

type Answer = DnsAnswer<string>;
type FailedAnswer = Extract<Answer, { outcome: "failed" }>;

const failedAnswer = (reason: FailedAnswer["reason"], detail: string): FailedAnswer => ({
  outcome: "failed",
  reason,
  detail,
});

const CLOSED = failedAnswer("unreachable", "the resolver is closed");

class WireResolver implements FullResolver {
  readonly #clock: Clock;
  readonly #upstream: UpstreamQuery;
  readonly #cache: AnswerCache;
  readonly #maxLookupMs: number;
  readonly #flights = new Map<string, Promise<Answer>>();
  readonly #lookups = new Semaphore(MAX_IN_FLIGHT, MAX_WAITING);
  #closed = false;

  constructor(options: ResolverOptions) {
    const minTimeoutMs = options.minTimeoutMs ?? 250;
    const maxTimeoutMs = options.maxTimeoutMs ?? 5_000;
    const { clock, servers, validating } = options;
    this.#clock = clock;
    this.#upstream = new UpstreamQuery({ servers, validating, clock, minTimeoutMs, maxTimeoutMs });
    this.#cache = new AnswerCache(options.cacheEntries ?? 100_000);
    this.#maxLookupMs = LOOKUP_TIMEOUTS * maxTimeoutMs;
  }

  txt(name: string, signal?: AbortSignal, maxAgeMs?: number): Promise<Answer> {
    return this.#resolve(name, "TXT", signal, false, maxAgeMs);
  }

  nameServers(name: string, signal?: AbortSignal): Promise<Answer> {
    return this.#resolve(name, "NS", signal);
  }

  caa(name: string, signal?: AbortSignal): Promise<Answer> {
    return this.#resolve(name, "CAA", signal);
  }

  async serviceBindings(name: string, signal?: AbortSignal): Promise<DnsAnswer<ServiceBinding>> {
    const answer = await this.#resolve(name, "SVCB", signal);
    return answer.outcome === "found"
      ? { ...answer, records: answer.records.map((text) => JSON.parse(text) as ServiceBinding) }
      : answer;
  }

  async signedSets(
    name: string,
    type: "TXT" | "DNSKEY" | "DS",
    signal?: AbortSignal,
  ): Promise<DnsAnswer<SignedSet>> {
    const answer = await this.#resolve(name, type, signal, true);
    return answer.outcome === "found" ? { ...answer, records: answer.records.map(setOfText) } : answer;
  }

  async addresses(name: string, signal?: AbortSignal): Promise<Answer> {
    const literal = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
    if (isIP(literal) !== 0) {
      return {
        outcome: "found",
        records: [literal],
        ttlSeconds: MAX_POSITIVE_SECONDS,
        dnssec: "unknown",
      };
    }
    const [v4, v6] = await Promise.all([
      this.#resolve(name, "A", signal),
      this.#resolve(name, "AAAA", signal),
    ]);
    return joinAddresses(v4, v6);
  }

  close(): void {
    this.#closed = true;
    this.#upstream.close();
  }

  async #resolve(
    text: string,
    type: QueryType,
    signal: AbortSignal | undefined,
    isSigned = false,
    maxAgeMs = Number.POSITIVE_INFINITY,
  ): Promise<Answer> {
    if (this.#closed) return CLOSED;
    if (signal?.aborted) return failedAnswer("unreachable", "aborted");
    const name = isSigned && text === "" ? "" : normalizeName(text);
    if (name === undefined) return failedAnswer("malformed", "not a domain name");
    const key = isSigned ? `signed ${type} ${name}` : `${type} ${name}`;
    const cached = this.#cache.get(key, this.#clock.monotonicMs(), maxAgeMs);
    cacheLookups.inc({ cache: "dns", result: cached ? "hit" : "miss" });
    if (cached) return ownCopy(cached);
    let flight = this.#flights.get(key);
    if (!flight) {
      flight = this.#fly(key, name, type, isSigned).finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
    }
    return ownCopy(await (signal ? untilAborted(flight, signal) : flight));
  }

  /** One lookup, bounded by the semaphore; its answer is cached. */
  async #fly(key: string, name: string, type: QueryType, isSigned: boolean): Promise<Answer> {
    if (!this.#lookups.tryAcquire() && (await acquire(this.#lookups)) === "full")
      return failedAnswer("unreachable", "too many lookups wait");
    try {
      const answer = await (isSigned ? this.#lookUpSigned(name, type) : this.#lookUp(name, type));
      if (this.#closed) return CLOSED;
      this.#cache.set(key, answer, this.#clock.monotonicMs());
      return answer;
    } finally {
      this.#lookups.release();
    }
  }

  /** Asks once, for the signatures too. A set is kept as text, as all that is cached. */
  async #lookUpSigned(name: string, type: QueryType): Promise<Answer> {
    const untilMs = this.#clock.monotonicMs() + this.#maxLookupMs;
    const answered = await this.#upstream.ask(name, type, untilMs, true);
    if (!answered.ok) return failedAnswer(answered.reason, answered.detail);
    const { message, dnssec } = answered;
    const reading = readAnswer(message, name, type);
    if (reading.kind === "malformed") return failedAnswer("malformed", reading.detail);
    if (reading.kind === "none")
      return {
        outcome: "none",
        nxdomain: reading.nxdomain,
        ttlSeconds: Math.min(reading.ttlSeconds, MAX_NEGATIVE_SECONDS),
        dnssec,
      };
    const sets = readSignedSets(message.wire);
    if (!sets) return failedAnswer("malformed", "the answer is damaged");
    const ttlSeconds = Math.min(reading.ttlSeconds, MAX_POSITIVE_SECONDS);
    return { outcome: "found", records: sets.map(textOfSet), ttlSeconds, dnssec };
  }

  /** Asks, and asks again where a chain of aliases leads out of an answer. */
  async #lookUp(name: string, type: QueryType): Promise<Answer> {
    const untilMs = this.#clock.monotonicMs() + this.#maxLookupMs;
    let owner = name;
    let aliases = 0;
    let ttlSeconds = Number.POSITIVE_INFINITY;
    let dnssec: DnssecState | undefined;
    while (aliases <= MAX_ALIASES) {
      const answered: UpstreamAnswer = await this.#upstream.ask(owner, type, untilMs);
      if (!answered.ok) return failedAnswer(answered.reason, answered.detail);
      dnssec = dnssec === undefined ? answered.dnssec : weaker(dnssec, answered.dnssec);
      const reading = readAnswer(answered.message, owner, type, aliases);
      if (reading.kind === "malformed") return failedAnswer("malformed", reading.detail);
      ttlSeconds = Math.min(ttlSeconds, reading.ttlSeconds);
      if (reading.kind === "found") {
        return {
          outcome: "found",
          records: reading.records,
          ttlSeconds: Math.min(ttlSeconds, MAX_POSITIVE_SECONDS),
          dnssec,
        };
      }
      if (reading.kind === "none") {
        return {
          outcome: "none",
          nxdomain: reading.nxdomain,
          ttlSeconds: Math.min(ttlSeconds, MAX_NEGATIVE_SECONDS),
          dnssec,
        };
      }
      owner = reading.name;
      aliases = reading.aliases;
    }
    return failedAnswer("malformed", "too many aliases, or a loop of them");
  }
}

/** A chain is as secure as its weakest link. */
const weaker = (a: DnssecState, b: DnssecState): DnssecState => (a === "secure" ? b : a);

/** Callers own what they get; the cache and other waiters keep theirs. */
const ownCopy = (answer: Answer): Answer =>
  answer.outcome === "found" ? { ...answer, records: [...answer.records] } : answer;

/**
 * A caching stub resolver. Identical questions at one time share one query; a caller that aborts gets "unreachable" at
 * once while the lookup ends, within its own bounds, for those who ask next. Nothing holds the process while idle.
 */
export function createResolver(options: ResolverOptions): FullResolver {
  return new WireResolver(options);
}

function charactersOf(answer: DnsAnswer<string>): number {
  if (answer.outcome === "failed") return answer.detail.length + 1;
  if (answer.outcome === "none") return 1;
  return answer.records.reduce((sum, record) => sum + record.length, 1);
}

/**
 * A bogus half makes the whole bogus: somebody meddles with this name. Otherwise either half's addresses will do, and
 * "none" needs both halves or an NXDOMAIN, which speaks for all types (RFC 8020).
 */
function joinAddresses(v4: Answer, v6: Answer): Answer {
  const halves = [v4, v6];
  const failures = halves.filter((half) => half.outcome === "failed");
  const bogus = failures.find((half) => half.reason === "bogus");
  if (bogus) return bogus;
  const found = halves.filter((half) => half.outcome === "found");
  if (found.length > 0) {
    return {
      outcome: "found",
      records: found.flatMap((half) => half.records),
      ttlSeconds: Math.min(...found.map((half) => half.ttlSeconds)),
      dnssec: found.map((half) => half.dnssec).reduce(weaker),
    };
  }
  const none = halves.filter((half) => half.outcome === "none");
  const denial = none.find((half) => half.nxdomain);
  if (failures[0] && !denial) return failures[0];
  return {
    outcome: "none",
    nxdomain: denial !== undefined,
    ttlSeconds: Math.min(...none.map((half) => half.ttlSeconds)),
    dnssec: none.map((half) => half.dnssec).reduce(weaker),
  };
}

/** The answer, or an abort if that comes first. */
function untilAborted(flight: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(failedAnswer("unreachable", "aborted"));
    signal.addEventListener("abort", abort, { once: true });
    flight.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
