/** The crawler: takes due hosts, visits each, stores what it saw, schedules the next visit, acks. */

import type { Logger } from "pino";
import type { Registration } from "../../schemas/ring4.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { afterVisit, type Outcome } from "../../src/crawl/judgement.ts";
import type { Observation } from "../../src/crawl/observation.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import { type VisitOptions, type VisitResult, visitHost } from "../../src/crawl/visit.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { DAY_MS, iso } from "../../src/domain/protocols/time.ts";
import type { Polite, Visit } from "../../src/egress/polite.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Frontier, Token } from "../../src/ports/frontier.ts";
import type { CrawlerStats } from "../../src/runtime/runtime.ts";
import type { BlockList } from "../../src/stores/block-list.ts";
import type { Contents } from "../../src/stores/contents.ts";
import type { Records, Stored } from "../../src/stores/records.ts";
import type { VisitJournal } from "../../src/threads/visit-journal.ts";
import type { DeadLetter, Heard } from "./contract.ts";
import { withRegistration } from "./registration.ts";
import { type StallWatch, watchStalls } from "./stall.ts";

/** A visit that throws at this delivery is a dead letter. */
const MAX_DELIVERIES = 5;
/**
 * So is one that this many workers took without a word. Far more, because a worker that dies takes a hundred innocent
 * hosts with it: only one that kills every worker reaches this.
 */
const MAX_VANISHED = 25;
/** A slot further away than this sends the token back instead of holding a worker. */
const MAX_WAIT_MS = 5_000;
const DEAD_LETTER_DELAY_MS = DAY_MS;
const PAUSE_AFTER_ERROR_MS = 1_000;
const GATHER_MS = 20;
/** A visit that failed while this process stood still is made again. */
const RETRY_STALLED_MS = 1_000;
/** Suspects are visited one after the other: a process that hangs then has one of them under way, and knows which. */
const SUSPECT_PAUSE_MS = 2_000;
/** A visit that threw is tried again after this long, doubled each time. */
const RETRY_FIRST_MS = 250;
/** Visits under way at a shutdown may finish for this long; then they go back to the frontier. */
const DRAIN_MS = 3_000;
/** … and this long to do so: a broker that does not answer must not hold up the end. */
const GIVE_BACK_MS = 2_000;

export interface CrawlerDeps {
  broker: Pick<Broker, "isFault">;
  frontier: Frontier;
  sites: Records<SiteRecord>;
  contents: Contents;
  deadLetters: Records<DeadLetter>;
  registrations: Pick<Records<Registration>, "get">;
  blocks: Pick<BlockList, "has">;
  polite: Polite;
  emitHeard: (heard: Heard) => Promise<void>;
  visit: VisitOptions;
  journal: VisitJournal;
  clock: Clock;
  now: () => number;
  concurrency: number;
  /** A worker that is silent this long has lost its token. */
  leaseMs: number;
  log: Logger;
}

/** What the functions of one running crawler share. */
type Crew = CrawlerDeps & { stalls: StallWatch; suspects: { underWay: boolean } };

export interface Crawler {
  readonly stats: CrawlerStats;
  /** Takes no new hosts; visits under way finish within 3 s or go back to the frontier. */
  drain(): Promise<void>;
}

/** Everything of a host goes: its record, its contents, and its token when the caller does not reschedule. */
const forget = async (deps: CrawlerDeps, host: string): Promise<void> => {
  await deps.sites.remove(hostKey(host));
  await deps.contents.remove(host);
};

const isHint = ({ data: { source } }: Token): boolean => source === "report" || source === "beacon";

const count = (stats: CrawlerStats, record: SiteRecord): void => {
  stats.visits++;
  if (record.reason === "verified" && record.failures === 0) stats.verified++;
  else if (record.failures === 0) stats.partial++;
  else stats.failed++;
};

/**
 * Repeats an action until the broker takes it: one that is away, full or restarting loses no visit, and what it keeps
 * us from is no failure of the site. Throws what is not the broker's fault, and anything once `signal` aborts.
 */
const untilTaken = async <T>(
  { broker, clock, log }: Pick<CrawlerDeps, "broker" | "clock" | "log">,
  signal: AbortSignal,
  action: (attempt: number) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (!broker.isFault(error) || signal.aborted) throw error;
      log.debug({ reason: String(error) }, "the broker does not answer; trying again");
      await clock.sleep(PAUSE_AFTER_ERROR_MS, signal);
    }
  }
};

/** One visit's end: what is to be stored, and what was stored before it began. */
interface Seen {
  token: Token;
  visit: Visit;
  previous: Stored<SiteRecord> | undefined;
  result: VisitResult & { kind: "seen" };
  outcome: Outcome;
}

/** Whether another visit of this host was stored since this one began: possible only once its lease was lost. */
const isOvertaken = async (deps: CrawlerDeps, { token, visit, previous }: Seen): Promise<boolean> =>
  !visit.holds() && (await deps.sites.get(hostKey(token.host)))?.revision !== previous?.revision;

/** Stores the record over the one that was read. */
const store = async (deps: CrawlerDeps, { token, previous, result, outcome }: Seen): Promise<void> => {
  const key = hostKey(token.host);
  const { record } = outcome;
  if (await deps.sites.compareAndSet(key, record, previous?.revision ?? 0)) return;
  // A conflict is this very write, whose answer got lost, or another worker's visit: both stand. Only a host that was
  // taken for a new one may have an older record.
  if (previous) return;
  const older = await deps.sites.get(key);
  if (!older || older.value.last_visit_at >= record.last_visit_at) return;
  const again = afterVisit(
    older.value,
    token.host,
    result.observation,
    deps.now(),
    token.data.heardAt,
    isHint(token),
  );
  await deps.sites.compareAndSet(key, again.record, older.revision);
};

/** Stores what a visit saw. Idempotent: a visit that is done twice leaves what one leaves. */
const settle = async (deps: CrawlerDeps, seen: Seen): Promise<void> => {
  const { token, previous, result, outcome } = seen;
  const { record, nextAt } = outcome;
  // Blocked while it was visited.
  if (deps.blocks.has(token.host)) {
    await forget(deps, token.host);
    return token.drop();
  }
  if (await isOvertaken(deps, seen)) return token.next(nextAt ?? deps.now());
  const changed =
    previous?.value.content_sha256 !== record.content_sha256 ||
    previous?.value.document_sha256 !== record.document_sha256;
  // Contents first: whoever reads the record finds contents at least as new.
  if (result.content && changed) await deps.contents.put(token.host, result.content, record);
  if (result.heard.length > 0) await deps.emitHeard({ source: token.host, hosts: result.heard });
  if (nextAt === undefined) {
    await forget(deps, token.host);
    return token.drop();
  }
  await store(deps, seen);
  await token.next(nextAt);
};

/** Visits a host, its name written down before its first byte is handled. */
const journalled = async (
  deps: Crew,
  visit: Visit,
  host: string,
  record: SiteRecord | undefined,
): Promise<VisitResult> => {
  const { handling, end } = deps.journal.begin(host);
  const suspected = record?.suspected !== undefined;
  if (suspected) deps.suspects.underWay = true;
  try {
    const content = record?.content_sha256 ? await deps.contents.get(host) : undefined;
    return await visitHost(visit, host, record && { record, content }, { ...deps.visit, handling });
  } finally {
    if (suspected) deps.suspects.underWay = false;
    end();
  }
};

/** When the host may be visited, where that is not now: it is in quarantine, or another suspect is being visited. */
const notBefore = ({ suspects, now }: Crew, record: SiteRecord | undefined): number | undefined => {
  if (record?.suspected && suspects.underWay) return now() + SUSPECT_PAUSE_MS;
  return quarantinedUntil(record, now());
};

/** Whether a stall of this process explains what was seen. What hung a thread used its own processor time. */
const mayBeOurs = ({ verdict, reason }: Observation): boolean =>
  verdict === "failure" && reason !== "quarantined";

/** Runs one visit with its leases and stores what it saw. */
const visitAndSettle = async (
  deps: Crew,
  token: Token,
  visit: Visit,
  stats: CrawlerStats,
  signal: AbortSignal,
): Promise<void> => {
  const beganMs = deps.clock.monotonicMs();
  const ticker = setInterval(() => void visit.renew().catch(() => undefined), deps.leaseMs / 3);
  try {
    const first = !token.data.visited && token.deliveries === 1;
    const previous = first ? undefined : await deps.sites.get(hostKey(token.host));
    const record = previous?.value;
    const later = notBefore(deps, record);
    if (later !== undefined) {
      stats.deferred++;
      return await untilTaken(deps, signal, () => token.next(later));
    }
    const result = await journalled(deps, visit, token.host, record);
    // What an interrupted visit saw is not what the site is.
    if (visit.interruption?.kind === "gate") throw visit.interruption.error;
    if (signal.aborted) return token.giveBack();
    // The worker that has the host now ends the token; if there is none, ack_wait brings it back.
    if (visit.interruption?.kind === "overtaken") return;
    const ours = result.kind === "seen" && mayBeOurs(result.observation) && deps.stalls.since(beganMs);
    if (result.kind === "not_now" || ours) {
      stats.deferred++;
      const retryAt = result.kind === "not_now" ? result.retryAt : deps.now() + RETRY_STALLED_MS;
      return await untilTaken(deps, signal, () => token.next(retryAt));
    }
    const judged = afterVisit(
      record,
      token.host,
      result.observation,
      deps.now(),
      token.data.heardAt,
      isHint(token),
    );
    const outcome = { ...judged, record: await withRegistration(deps, judged.record) };
    await untilTaken(deps, signal, () => settle(deps, { token, visit, previous, result, outcome }));
    count(stats, outcome.record);
  } finally {
    clearInterval(ticker);
    await visit.close();
  }
};

const bury = async (deps: CrawlerDeps, token: Token, error: string, stats: CrawlerStats): Promise<void> => {
  stats.deadLetters++;
  const { host, deliveries } = token;
  await deps.deadLetters.put(hostKey(host), {
    v: 1,
    host,
    deliveries,
    error: error.slice(0, 4_000),
    at: iso(deps.now()),
  });
  await token.next(deps.now() + DEAD_LETTER_DELAY_MS);
};

/** One token from due to its successor. One that an earlier worker or attempt brought that far is only acked. */
const work = async (
  deps: Crew,
  token: Token,
  stats: CrawlerStats,
  signal: AbortSignal,
  attempt: number,
): Promise<void> => {
  if ((token.deliveries > 1 || attempt > 1) && (await token.isDone())) return token.drop();
  if (token.deliveries > MAX_VANISHED)
    return bury(deps, token, `${MAX_VANISHED} workers took this host and none finished its visit.`, stats);
  if (deps.blocks.has(token.host)) {
    await forget(deps, token.host);
    return token.drop();
  }
  const entry = await deps.polite.open(token.host, MAX_WAIT_MS, signal);
  if (signal.aborted && !entry.ok) return token.giveBack();
  if (!entry.ok) {
    stats.deferred++;
    return token.next(entry.retryAt);
  }
  await visitAndSettle(deps, token, entry.visit, stats, signal);
};

/** A visit that threw is a bug of ours, or a record that cannot be read: tried again a few times, then an operator's. */
const failed = async (
  deps: CrawlerDeps,
  token: Token,
  error: unknown,
  stats: CrawlerStats,
  signal: AbortSignal,
): Promise<void> => {
  const { host, deliveries } = token;
  deps.log.error({ err: error, host, deliveries }, "visit failed");
  if (deliveries < MAX_DELIVERIES) return token.giveBack(RETRY_FIRST_MS * 2 ** (deliveries - 1));
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Not buried now, it is at the next delivery.
  await untilTaken(deps, signal, () => bury(deps, token, words, stats)).catch(() => token.giveBack());
};

/** Works on a token for as long as it takes; the broker is told every third of a lease that it is under way. */
const handle = async (deps: Crew, token: Token, stats: CrawlerStats, signal: AbortSignal): Promise<void> => {
  const ticker = setInterval(() => token.working(), deps.leaseMs / 3);
  try {
    await untilTaken(deps, signal, (attempt) => work(deps, token, stats, signal, attempt));
  } catch (error) {
    // The broker's fault, at a shutdown: not the visit's.
    if (deps.broker.isFault(error)) token.giveBack();
    else await failed(deps, token, error, stats, signal);
  } finally {
    clearInterval(ticker);
  }
};

/** Starts taking due hosts. Any number of these run at once, here or in other processes. */
export const startCrawler = (deps: CrawlerDeps): Crawler => {
  const stats: CrawlerStats = { visits: 0, verified: 0, partial: 0, failed: 0, deferred: 0, deadLetters: 0 };
  const stopping = new AbortController();
  const hurrying = new AbortController();
  const underWay = new Set<Promise<void>>();
  let slotFreed = Promise.withResolvers<void>();

  // Well below the longest request (polite.ts): a shorter pause makes none fail.
  const crew = {
    ...deps,
    stalls: watchStalls(deps.clock, deps.leaseMs / 10, hurrying.signal),
    suspects: { underWay: false },
  };

  const begin = (token: Token): void => {
    const visit = handle(crew, token, stats, hurrying.signal).finally(() => {
      underWay.delete(visit);
      slotFreed.resolve();
    });
    underWay.add(visit);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const free = deps.concurrency - underWay.size;
      if (free === 0) {
        slotFreed = Promise.withResolvers<void>();
        await slotFreed.promise;
        // Slots are free in swarms: one request of the broker for several of them.
        await deps.clock.sleep(GATHER_MS, stopping.signal);
        continue;
      }
      try {
        await deps.frontier.take(free, begin, stopping.signal);
      } catch (error) {
        deps.log.warn({ err: error }, "the frontier cannot be read; trying again");
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    stats,
    drain: async () => {
      stopping.abort();
      slotFreed.resolve();
      const ended = new AbortController();
      const visits = running.then(() => Promise.all(underWay)).finally(() => ended.abort());
      await Promise.race([visits, deps.clock.sleep(DRAIN_MS, ended.signal)]);
      hurrying.abort();
      // What does not end even now is not acked: the broker hands it to a worker again.
      await Promise.race([visits, deps.clock.sleep(GIVE_BACK_MS, ended.signal)]);
    },
  };
};
