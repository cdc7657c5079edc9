/**
 * Checks of single domains on request: the crawl's own stages through the gate, without its pages. Whoever asks for
 * the same domain at one time shares one probe, so that strangers cannot make us ask a site more often than it bears.
 */
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { AgentRun } from "../../schemas/provider.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { every } from "../../src/concurrency/every.ts";
import type { Observation } from "../../src/crawl/observation.ts";
import { quarantinedUntil, unseenInQuarantine } from "../../src/crawl/quarantine.ts";
import type { CheckOptions, PageOptions } from "../../src/crawl/stages/context.ts";
import { checkClaims } from "../../src/crawl/visit.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Polite, Visit } from "../../src/egress/polite.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Records } from "../../src/stores/records.ts";
import type { JournalledVisit, VisitJournal } from "../../src/threads/visit-journal.ts";
import { failedRun, runAgent } from "./agent-run.ts";

/** Probes under way in one process, and those that wait for a place; past them a probe is "busy". */
const CONCURRENCY = 256;
const MAX_WAITING = 20_000;
const MAX_RECENT = 2_000;

export interface ProberDeps {
  polite: Polite;
  sites: Records<SiteRecord>;
  visit: CheckOptions;
  readPage: PageOptions["readPage"];
  journal: VisitJournal;
  /** Called for a host whose page ended the thread that read it. */
  onHung: (host: string) => void;
  /** Longest life of one probe, its waits included. */
  timeoutMs: number;
  /** How long a lease holds without being renewed. */
  leaseMs: number;
  /** A host's pause: who asks within it gets the last answer, for the site must not be asked again yet. */
  pauseMs: number;
  clock: Clock;
  /** Called on every conclusive probe. */
  onSeen: (host: string, seen: Observation, record: SiteRecord | undefined) => void;
}

export type Probe =
  | {
      kind: "seen";
      seen: Observation;
      record: SiteRecord | undefined;
      at: number;
      agentRun?: AgentRun;
    }
  /** Its place is taken or rests, or it did not end in time: nothing was learned. */
  | { kind: "not_now" };

export interface Prober {
  probe(host: string, agentRun: boolean): Promise<Probe>;
  readonly stats: { probes: number; shared: number; notNow: number };
  drain(): Promise<void>;
}

/** What is known of a host in quarantine: it is not asked. */
const unseen = (record: SiteRecord, agentRun: boolean): Probe => {
  const seen = unseenInQuarantine(record);
  const at = Date.parse(record.last_visit_at);
  return { kind: "seen", seen, record, at, ...(agentRun && { agentRun: failedRun(seen) }) };
};

export interface TurnDeps extends Pick<ProberDeps, "polite" | "journal" | "clock" | "timeoutMs" | "leaseMs"> {
  /** Pause after each request, where it is not the crawl's. */
  hostDelayMs?: number;
}

/** Does `work` in a visit of its own at a host. @returns undefined where its place is taken, or it did not end in time */
export const inTurn = async <T>(
  { polite, journal, clock, timeoutMs, leaseMs, hostDelayMs }: TurnDeps,
  host: string,
  signal: AbortSignal,
  work: (visit: Visit, journalled: JournalledVisit) => Promise<T>,
): Promise<T | undefined> => {
  const asker = { asker: "provider", ...(hostDelayMs !== undefined && { hostDelayMs }) };
  const entry = await polite.open(host, timeoutMs, signal, asker);
  if (!entry.ok) return undefined;
  const { visit } = entry;
  const stopRenewing = every(clock, leaseMs / 3, () => void visit.renew().catch(() => undefined));
  const journalled = journal.begin(host);
  try {
    const done = await work(visit, journalled);
    return signal.aborted ? undefined : done;
  } finally {
    journalled.end();
    stopRenewing();
    await visit.close();
  }
};

class SharedProber implements Prober {
  readonly stats = { probes: 0, shared: 0, notNow: 0 };
  readonly #deps: ProberDeps;
  readonly #queue = new PQueue({ concurrency: CONCURRENCY });
  readonly #underWay = new Map<string, Promise<Probe>>();
  readonly #stopping = new AbortController();
  readonly #recent = new LRUCache<string, { probe: Probe; atMs: number }>({ max: MAX_RECENT });

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  probe(host: string, agentRun: boolean): Promise<Probe> {
    const key = `${agentRun ? "+" : ""}${host}`;
    const shared = this.#underWay.get(key);
    if (shared) {
      this.stats.shared++;
      return shared;
    }
    const { clock, pauseMs } = this.#deps;
    const last = this.#recent.get(key);
    if (last && clock.monotonicMs() - last.atMs < pauseMs) return Promise.resolve(last.probe);
    if (this.#queue.size >= MAX_WAITING || this.#stopping.signal.aborted)
      return Promise.resolve({ kind: "not_now" });
    return this.#begin(key, host, agentRun);
  }

  async drain(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#underWay.values());
  }

  #begin(key: string, host: string, agentRun: boolean): Promise<Probe> {
    this.stats.probes++;
    const probing = this.#queue
      .add(() => this.#run(host, agentRun))
      .then((probe) => {
        if (probe.kind === "not_now") this.stats.notNow++;
        else this.#recent.set(key, { probe, atMs: this.#deps.clock.monotonicMs() });
        return probe;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, probing);
    return probing;
  }

  async #run(host: string, agentRun: boolean): Promise<Probe> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#deps.timeoutMs)]);
    const probe = await inTurn(this.#deps, host, signal, (visit, journalled) =>
      this.#check(visit, host, agentRun, journalled),
    );
    return probe ?? { kind: "not_now" };
  }

  async #check(visit: Visit, host: string, agentRun: boolean, { handling }: JournalledVisit): Promise<Probe> {
    const { sites, visit: options, readPage, onSeen, onHung } = this.#deps;
    const record = (await sites.get(hostKey(host)))?.value;
    if (record && quarantinedUntil(record, options.now()) !== undefined) return unseen(record, agentRun);
    const previous = record && { record, content: undefined };
    const checked = await checkClaims(visit, host, previous, { ...options, handling });
    // What an interrupted visit saw is not what the site is.
    if (checked.kind === "not_now" || visit.interruption) return { kind: "not_now" };
    const seen = checked.observation;
    onSeen(host, seen, record);
    const probe = { kind: "seen" as const, seen, record, at: options.now() };
    return agentRun ? { ...probe, agentRun: await runAgent(checked, readPage, () => onHung(host)) } : probe;
  }
}

export const createProber = (deps: ProberDeps): Prober => new SharedProber(deps);
