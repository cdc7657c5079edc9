/**
 * No host falls silent: once an hour, somewhere, the sites' records are compared with the frontier's tokens. A record
 * without a token gets one; a token of a blocked host without a record is visited at once and thereby dropped; a token
 * that should have been due is scheduled anew. What was acked and stayed, every process looks for four times a minute:
 * that costs two requests.
 */
import type { Logger } from "pino";
import { z } from "zod";
import type { SiteRecord } from "../../schemas/site.ts";
import type { Broker } from "../../src/adapters/nats/broker.ts";
import type { Frontier } from "../../src/adapters/nats/frontier.ts";
import { openRecords, type Records } from "../../src/adapters/nats/records.ts";
import { hostKey, keyHost } from "../../src/domain/domain-name.ts";
import type { Clock } from "../../src/ports.ts";

const EVERY_MS = 3_600_000;
/** Also the longest that a host keeps a second token once the broker writes again and its visits of that time ended. */
export const LOOK_EVERY_MS = 15_000;
/** A schedule that did not fire for so long will not: on time it is late by fractions of a second. */
const OVERDUE_MS = 60_000;

export interface AuditDeps {
  frontier: Frontier;
  sites: Records<SiteRecord>;
  blocks: Records<{ host: string }>;
  broker: Broker;
  clock: Clock;
  log: Logger;
}

export interface AuditReport {
  records: number;
  tokens: number;
  /** Hosts that had a record and no token, now scheduled again. */
  reissued: string[];
  /** Tokens of blocked hosts, brought forward so that a crawler drops them. */
  dropped: string[];
  /** Hosts whose time had come without the broker making them due. */
  overdue: string[];
}

/** Compares records and tokens once. */
export const audit = async ({ frontier, sites, blocks, broker }: AuditDeps): Promise<AuditReport> => {
  const overdue = await frontier.restartOverdue(OVERDUE_MS);
  const keys: string[] = [];
  for await (const key of sites.keys()) keys.push(key);
  // Tokens are read after the records: a host that was forgotten in between must not get a new token.
  const tokens = await frontier.hosts();
  const report: AuditReport = {
    records: keys.length,
    tokens: tokens.size,
    reissued: [],
    dropped: [],
    overdue,
  };
  const now = broker.now();
  for (const host of keys.map(keyHost)) {
    if (tokens.has(host) || !(await sites.get(hostKey(host)))) continue;
    if (await frontier.add(host, now, { source: "audit", heardAt: Math.floor(now), visited: true }))
      report.reissued.push(host);
  }
  for await (const key of blocks.keys()) {
    const host = keyHost(key);
    if (tokens.get(host) === "sched" && (await frontier.hasten(host, now))) report.dropped.push(host);
  }
  return report;
};

const LastAudit = z.looseObject({ v: z.literal(1), at: z.number() });

/** Runs the audit once an hour over all processes: whoever writes the time first does it. */
export const startAudit = (deps: AuditDeps): { drain(): Promise<void> } => {
  const stopping = new AbortController();
  const last = openRecords(deps.broker.buckets.service, LastAudit);
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await deps.clock.sleep(LOOK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        const acked = await deps.frontier.removeAcked();
        if (acked.length > 0)
          deps.log.warn({ acked: acked.slice(0, 20) }, "tokens that were acked and stayed");
        const stored = await last.get("audit");
        const now = deps.broker.now();
        if (stored && now - stored.value.at < EVERY_MS) continue;
        if (!(await last.compareAndSet("audit", { v: 1, at: now }, stored?.revision ?? 0))) continue;
        const report = await audit(deps);
        if (report.reissued.length > 0)
          deps.log.warn({ reissued: report.reissued.slice(0, 20) }, "hosts without a token");
        if (report.overdue.length > 0)
          deps.log.warn({ overdue: report.overdue.slice(0, 20) }, "hosts that were not made due");
      } catch (error) {
        deps.log.warn({ err: error }, "the audit did not finish; the next one will");
      }
    }
  };
  const running = loop();
  return {
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
};
