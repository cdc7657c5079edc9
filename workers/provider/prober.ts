/**
 * Checks of single domains on request: the crawl's own functions through the gate, without its pages. Whoever asks for
 * the same domain at one time shares one probe, so that strangers cannot make us ask a site more often than it bears.
 */
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { AgentRun } from "../../schemas/provider.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { Observation } from "../../src/crawl/observation.ts";
import type { PageReading } from "../../src/crawl/pages/page-reading.ts";
import { quarantinedUntil, unseenInQuarantine } from "../../src/crawl/quarantine.ts";
import { type CheckOptions, type ClaimsCheck, checkClaims, PageReader } from "../../src/crawl/visit.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Polite, Visit } from "../../src/egress/polite.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Records } from "../../src/stores/records.ts";
import type { JournalledVisit, VisitJournal } from "../../src/threads/visit-journal.ts";

/** Probes under way in one process, and those that wait for a place; past them a probe is "busy". */
const CONCURRENCY = 256;
const MAX_WAITING = 20_000;
const MAX_RECENT = 2_000;

export interface ProberDeps {
  polite: Polite;
  sites: Records<SiteRecord>;
  visit: CheckOptions;
  readPage: PageReading["read"];
  journal: VisitJournal;
  /** Told of a host whose page ended the thread that read it. */
  onHung: (host: string) => void;
  /** Longest life of one probe, its waits included. */
  timeoutMs: number;
  /** How long a lease holds without being renewed. */
  leaseMs: number;
  /** A host's pause: who asks within it gets the last answer, for the site must not be asked again yet. */
  pauseMs: number;
  clock: Clock;
  /** Told of every conclusive probe. */
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

type Step = AgentRun["steps"][number];

/** What an agent without a session does at a site that was found sound: find it, see what it offers, read its home page. */
const runAgent = async (
  checked: ClaimsCheck,
  reader: PageReader,
  readPage: PageReading["read"],
  onHung: () => void,
): Promise<AgentRun> => {
  if (checked.kind !== "sound") {
    const seen = checked.kind === "unsound" ? checked.observation : undefined;
    const step: Step = {
      step: "discovery",
      state: seen ? "fail" : "unknown",
      reason: seen?.reason ?? "not_now",
      detail: seen?.detail ?? "",
    };
    return { ok: false, steps: [step] };
  }
  const { document } = checked.observation;
  const actions = document?.actions?.length ?? 0;
  const commands = document?.capabilities.commands.length ?? 0;
  const page = await reader.pages(checked.home, 1, readPage);
  if (page.hung !== undefined) onHung();
  const text = page.text.length;
  const steps: Step[] = [
    {
      step: "discovery",
      state: "pass",
      reason: checked.observation.reason,
      detail: checked.observation.discoveryUrl ?? "",
    },
    {
      step: "actions",
      state: actions + commands > 0 ? "pass" : "warn",
      reason: actions + commands > 0 ? "declared" : "nothing_declared",
      detail: `${actions} actions, ${commands} commands`,
    },
    {
      step: "page_read",
      state: text > 0 ? "pass" : page.whole ? "warn" : "fail",
      reason: text > 0 ? "read" : page.whole ? "nothing_to_read" : "unreachable",
      detail: text > 0 ? `${text} characters of text` : "robots.txt, the page or the network left nothing",
    },
  ];
  return { ok: steps.every(({ state }) => state === "pass"), steps };
};

/** What is known of a host in quarantine: it is not asked. */
const unseen = (record: SiteRecord, agentRun: boolean): Probe => {
  const seen = unseenInQuarantine(record);
  const { reason, detail } = seen;
  const steps: Step[] = [{ step: "discovery", state: "fail", reason, detail }];
  const at = Date.parse(record.last_visit_at);
  return { kind: "seen", seen, record, at, ...(agentRun && { agentRun: { ok: false, steps } }) };
};

export const createProber = (deps: ProberDeps): Prober => {
  const stats = { probes: 0, shared: 0, notNow: 0 };
  const queue = new PQueue({ concurrency: CONCURRENCY });
  const flights = new Map<string, Promise<Probe>>();
  const stopping = new AbortController();
  const recent = new LRUCache<string, { probe: Probe; atMs: number }>({ max: MAX_RECENT });

  const look = async (
    visit: Visit,
    host: string,
    agentRun: boolean,
    { handling }: JournalledVisit,
  ): Promise<Probe> => {
    const record = (await deps.sites.get(hostKey(host)))?.value;
    if (record && quarantinedUntil(record, deps.visit.now()) !== undefined) return unseen(record, agentRun);
    const reader = new PageReader(visit, deps.visit.robotsToken);
    const previous = record && { record, content: undefined };
    const checked = await checkClaims(visit, reader, host, previous, { ...deps.visit, handling });
    // What an interrupted visit saw is not what the site is.
    if (checked.kind === "not_now" || visit.interruption) return { kind: "not_now" };
    const seen = checked.observation;
    deps.onSeen(host, seen, record);
    const probe = { kind: "seen" as const, seen, record, at: deps.visit.now() };
    if (!agentRun) return probe;
    return { ...probe, agentRun: await runAgent(checked, reader, deps.readPage, () => deps.onHung(host)) };
  };

  const run = async (host: string, agentRun: boolean): Promise<Probe> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(deps.timeoutMs)]);
    const entry = await deps.polite.open(host, deps.timeoutMs, signal, { asker: "provider" });
    if (!entry.ok) return { kind: "not_now" };
    const { visit } = entry;
    const ticker = setInterval(() => void visit.renew().catch(() => undefined), deps.leaseMs / 3);
    const journalled = deps.journal.begin(host);
    try {
      const probe = await look(visit, host, agentRun, journalled);
      return signal.aborted ? { kind: "not_now" } : probe;
    } finally {
      journalled.end();
      clearInterval(ticker);
      await visit.close();
    }
  };

  const begin = (key: string, host: string, agentRun: boolean): Promise<Probe> => {
    stats.probes++;
    const flight = queue
      .add(() => run(host, agentRun))
      .then((probe) => {
        if (probe.kind === "not_now") stats.notNow++;
        else recent.set(key, { probe, atMs: deps.clock.monotonicMs() });
        return probe;
      })
      .finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };

  return {
    stats,
    probe: (host, agentRun) => {
      const key = `${agentRun ? "+" : ""}${host}`;
      const shared = flights.get(key);
      if (shared) {
        stats.shared++;
        return shared;
      }
      const last = recent.get(key);
      if (last && deps.clock.monotonicMs() - last.atMs < deps.pauseMs) return Promise.resolve(last.probe);
      if (queue.size >= MAX_WAITING || stopping.signal.aborted) return Promise.resolve({ kind: "not_now" });
      return begin(key, host, agentRun);
    },
    drain: async () => {
      stopping.abort();
      await Promise.allSettled(flights.values());
    },
  };
};
