/**
 * No host falls silent: once an hour, somewhere, the sites' records are compared with the frontier's tokens. A record
 * without a token gets one; a token of a blocked host without a record is visited at once and thereby dropped; a token
 * that should have been due is scheduled anew.
 */
import { hostKey, keyHost } from "../../src/domain/names/domain-name.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { OVERDUE_MS, startUpkeep } from "../../src/stores/queue-upkeep.ts";

type AuditDeps = Pick<Runtime, "frontier" | "sites" | "blocks" | "broker" | "clock" | "log">;

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
    if (tokens.get(host) === "sched" && (await frontier.bringForward(host, now))) report.dropped.push(host);
  }
  return report;
};

/** Keeps the frontier whole: its queue, and the records that it should have tokens for. */
export const startAudit = (deps: AuditDeps): ReturnType<typeof startUpkeep> =>
  startUpkeep({
    ...deps,
    name: "audit",
    removeAcked: deps.frontier.removeAcked,
    hourly: async () => {
      const { reissued, overdue } = await audit(deps);
      if (reissued.length > 0) deps.log.warn({ reissued: reissued.slice(0, 20) }, "hosts without a token");
      if (overdue.length > 0)
        deps.log.warn({ overdue: overdue.slice(0, 20) }, "hosts that were not made due");
    },
  });
