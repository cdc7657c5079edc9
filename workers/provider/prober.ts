/**
 * Checks of single domains on request: the crawl's own stages through the gate, without its pages. Whoever asks for
 * the same domain at one time shares one probe, so that strangers cannot make us ask a site more often than it bears.
 */
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { AgentRun } from "../../schemas/provider.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { every } from "../../src/concurrency/every.ts";
import type { Looks } from "../../src/crawl/look.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import type { CheckOptions, PageOptions } from "../../src/crawl/stages/context.ts";
import { checkClaims } from "../../src/crawl/visit.ts";
import { unseenInQuarantine, type VisitFindings } from "../../src/crawl/visit-findings.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Polite, Visit } from "../../src/egress/polite.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Records } from "../../src/stores/records.ts";
import { failedRun, runAgent } from "./agent-run.ts";
import { createLines } from "./lines.ts";

/** Probes under way in one process, and those that wait for a permit; past them a probe is "busy". */
const CONCURRENCY = 256;
const MAX_WAITING = 20_000;
const MAX_RECENT = 2_000;
/** When to ask again for what takes longer than was expected. */
const OVERDUE_MS = 2_000;
/** Patience with DNS before a line is chosen. */
const LOOKUP_MS = 2_000;
/** Requests of one probe at most, robots.txt and the document; and what each takes beside its pause, milliseconds. */
const REQUESTS = 2;
const REQUEST_MS = 250;

export interface ProberDeps {
  polite: Polite;
  sites: Records<SiteRecord>;
  looks: Looks;
  resolver: Pick<Resolver, "txt" | "addresses">;
  visit: CheckOptions;
  readPage: PageOptions["readPage"];
  /** Called for a host whose page ended the thread that read it. */
  onHung: (host: string) => void;
  /** Longest life of one probe from its start on. */
  timeoutMs: number;
  /** How long a lease holds without being renewed. */
  leaseMs: number;
  /** A host's pause: who asks within it gets the last answer, for the site must not be asked again yet. */
  pauseMs: number;
  /** The same of an address. */
  addressPauseMs: number;
  clock: Clock;
  /** Called where a look could not be kept. */
  onLost: (error: unknown) => void;
  /** Called on every conclusive probe. */
  onSeen: (host: string, seen: VisitFindings, record: SiteRecord | undefined) => void;
}

export type Probe =
  | {
      kind: "seen";
      seen: VisitFindings;
      record: SiteRecord | undefined;
      at: number;
      agentRun?: AgentRun;
    }
  /** The host is leased or pauses, or the probe did not end in time: nothing was learned. */
  | { kind: "not_now" };

/** Who goes first in a line: who waits for one answer, what was never seen, what is only seen again. */
export type Urgency = "waited_for" | "unseen" | "again";
const PRIORITY: Readonly<Record<Urgency, number>> = { waited_for: 2, unseen: 1, again: 0 };

export interface Prober {
  /** Goes on to its end, whoever stops waiting for it. */
  probe(host: string, agentRun: boolean, urgency?: Urgency): Promise<Probe>;
  /** When a probe under way is likely to have ended, milliseconds of the broker's clock. */
  expectedAt(host: string): number;
  readonly stats: { probes: number; shared: number; notNow: number };
  drain(): Promise<void>;
}

export interface VisitDeps extends Pick<ProberDeps, "polite" | "clock" | "timeoutMs" | "leaseMs"> {
  /** Pause after each request, where it is not the crawl's. */
  hostDelayMs?: number;
}

interface UnderWay {
  probing: Promise<Probe>;
  expectedAt?: number;
}

class SharedProber implements Prober {
  readonly stats = { probes: 0, shared: 0, notNow: 0 };
  readonly #deps: ProberDeps;
  readonly #queue = new PQueue({ concurrency: CONCURRENCY });
  readonly #underWay = new Map<string, UnderWay>();
  readonly #lines = createLines();
  readonly #stopping = new AbortController();
  readonly #recent = new LRUCache<string, { probe: Probe; atMs: number }>({ max: MAX_RECENT });

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  probe(host: string, agentRun: boolean, urgency: Urgency = "waited_for"): Promise<Probe> {
    const key = `${agentRun ? "+" : ""}${host}`;
    const shared = this.#underWay.get(key);
    if (shared) {
      this.stats.shared++;
      return shared.probing;
    }
    const { clock, pauseMs } = this.#deps;
    const last = this.#recent.get(key);
    if (last && clock.monotonicMs() - last.atMs < pauseMs) return Promise.resolve(last.probe);
    if (this.#underWay.size >= MAX_WAITING || this.#stopping.signal.aborted)
      return Promise.resolve({ kind: "not_now" });
    return this.#begin(key, host, agentRun, urgency);
  }

  expectedAt(host: string): number {
    const { visit, timeoutMs } = this.#deps;
    const under = this.#underWay.get(host) ?? this.#underWay.get(`+${host}`);
    return Math.max(visit.now() + OVERDUE_MS, under?.expectedAt ?? visit.now() + timeoutMs);
  }

  async drain(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#underWay.values()].map(({ probing }) => probing));
  }

  #begin(key: string, host: string, agentRun: boolean, urgency: Urgency): Promise<Probe> {
    this.stats.probes++;
    const probing = this.#inLine(key, host, agentRun, urgency)
      .then((probe) => {
        if (probe.kind === "not_now") this.stats.notNow++;
        else this.#recent.set(key, { probe, atMs: this.#deps.clock.monotonicMs() });
        return probe;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { probing });
    return probing;
  }

  /** Waits in the queue of the host's address, then for a permit of this process. */
  async #inLine(key: string, host: string, agentRun: boolean, urgency: Urgency): Promise<Probe> {
    const { addressPauseMs, pauseMs, visit } = this.#deps;
    const address = await this.#addressOf(host);
    const before = this.#lines.length(address);
    const under = this.#underWay.get(key);
    const eachMs = REQUESTS * (addressPauseMs * 1.1 + REQUEST_MS);
    if (under) under.expectedAt = visit.now() + pauseMs + (before + 1) * eachMs;
    const result = this.#lines.enter(address, PRIORITY[urgency], () =>
      this.#queue.add(() => this.#run(host, agentRun)),
    );
    return (await result) ?? { kind: "not_now" };
  }

  /** Where its document is likely to be asked for; a host without an address waits for itself. */
  async #addressOf(host: string): Promise<string> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(LOOKUP_MS)]);
    const keys = await keysOfDomain(this.#deps.resolver, host, signal);
    const at = keys.ok ? keys.endpoint.hostname : host;
    const found = await this.#deps.resolver.addresses(at, signal);
    return (found.outcome === "found" && found.records.toSorted()[0]) || host;
  }

  async #run(host: string, agentRun: boolean): Promise<Probe> {
    if (this.#stopping.signal.aborted) return { kind: "not_now" };
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#deps.timeoutMs)]);
    const probe = await withinVisit(this.#deps, host, signal, (visit) => this.#check(visit, host, agentRun));
    return probe ?? { kind: "not_now" };
  }

  async #check(visit: Visit, host: string, agentRun: boolean): Promise<Probe> {
    const { sites, looks, visit: options, readPage, onSeen, onHung } = this.#deps;
    const record = (await sites.get(hostKey(host)))?.value;
    if (record && quarantinedUntil(record, options.now()) !== undefined) return unseen(record, agentRun);
    const previous = record && { record, content: undefined };
    const checked = await checkClaims(visit, host, previous, options);
    // What an interrupted visit saw is not what the site is.
    if (checked.kind === "not_now" || visit.interruption) return { kind: "not_now" };
    const { seen } = checked;
    onSeen(host, seen, record);
    const probe = { kind: "seen" as const, seen, record, at: Math.floor(options.now()) };
    // A look that is not kept is made again.
    await looks.put(host, seen, probe.at).catch(this.#deps.onLost);
    return agentRun ? { ...probe, agentRun: await runAgent(checked, readPage, () => onHung(host)) } : probe;
  }
}

/** Does `work` in a visit of its own at a host. @returns undefined where the host is leased, or it did not end in time */
export async function withinVisit<T>(
  { polite, clock, timeoutMs, leaseMs, hostDelayMs }: VisitDeps,
  host: string,
  signal: AbortSignal,
  work: (visit: Visit) => Promise<T>,
): Promise<T | undefined> {
  const asker = { asker: "provider", ...(hostDelayMs !== undefined && { hostDelayMs }) };
  const entry = await polite.open(host, timeoutMs, signal, asker);
  if (!entry.ok) return undefined;
  const { visit } = entry;
  const stopRenewing = every(clock, leaseMs / 3, () => void visit.renew().catch(() => undefined));
  try {
    const done = await work(visit);
    return signal.aborted ? undefined : done;
  } finally {
    stopRenewing();
    await visit.close();
  }
}

export const createProber = (deps: ProberDeps): Prober => new SharedProber(deps);

/** What is known of a host in quarantine: it is not asked. */
function unseen(record: SiteRecord, agentRun: boolean): Probe {
  const seen = unseenInQuarantine(record);
  const at = Date.parse(record.last_visit_at);
  return { kind: "seen", seen, record, at, ...(agentRun && { agentRun: failedRun(seen) }) };
}
