/**
 * No host falls silent: once an hour, somewhere, the sites' records are compared with the frontier's tokens. A record
 * without a token gets one; a token of a blocked host is visited at once and thereby dropped with its record; a token
 * that should have been due is scheduled anew.
 */
import { randomInt } from "node:crypto";
import { keyHost } from "../../src/domain/names/domain-name.ts";
import { HostSet } from "../../src/domain/names/host-set.ts";
import type { TokenState } from "../../src/ports/frontier.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { isBlockedBy } from "../../src/stores/block-list.ts";
import { OVERDUE_MS, startUpkeep } from "../../src/stores/queue-upkeep.ts";

type AuditDeps = Pick<Runtime, "frontier" | "sites" | "blocks" | "broker" | "clock" | "log">;

export interface FrontierAudit {
  records: number;
  tokens: number;
  /** Hosts that had a record and no token, now scheduled again. */
  reissued: string[];
  /** Tokens of blocked hosts, brought forward so that a crawler drops them. */
  dropped: string[];
  /** Hosts whose time had come without the broker making them due. */
  overdue: string[];
}

/** Brings the tokens of blocked hosts forward, so that their visits remove them. */
interface Dropping {
  /** Looks at a host that has a token. */
  look(host: string, state: TokenState): Promise<void>;
  /** Those that were brought forward. */
  dropped: string[];
}

/** Records that are read at once. */
const READ_AT_ONCE = 64;

/** Visits at once every known host that is blocked: a domain was blocked with all below it. */
export async function visitBlocked(deps: AuditDeps): Promise<string[]> {
  const { look, dropped } = await openDropping(deps);
  for await (const [host, state] of deps.frontier.hosts()) await look(host, state);
  return dropped;
}

async function openDropping({
  frontier,
  blocks,
  broker,
}: Pick<AuditDeps, "frontier" | "blocks" | "broker">): Promise<Dropping> {
  const keys = new Set<string>();
  for await (const key of blocks.keys()) keys.add(key);
  const dropped: string[] = [];
  return {
    dropped,
    look: async (host, state) => {
      if (keys.size === 0 || state !== "sched" || !isBlockedBy(keys, host)) return;
      if (await frontier.bringForward(host, broker.now())) dropped.push(host);
    },
  };
}

/** Visits at once every site that answered from a blocked network when it was last visited: the visit removes it. */
export async function visitBlockedNetworks({
  sites,
  frontier,
  broker,
  blockedNetworks,
}: Pick<Runtime, "sites" | "frontier" | "broker" | "blockedNetworks">): Promise<void> {
  const visit = async (key: string): Promise<void> => {
    const address = (await sites.get(key))?.value.address;
    if (address && blockedNetworks.has(address)) await frontier.bringForward(keyHost(key), broker.now());
  };
  let batch: string[] = [];
  for await (const key of sites.keys()) {
    batch.push(key);
    if (batch.length < READ_AT_ONCE) continue;
    await Promise.all(batch.map(visit));
    batch = [];
  }
  await Promise.all(batch.map(visit));
}

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

/**
 * Compares records and tokens once. Of millions of hosts neither is kept: a small set of hashes says who has a token. Whoever
 * gets one or is forgotten meanwhile is told apart where it seems to have none: the frontier adds none to who has one, and
 * the record is asked for again.
 */
export async function audit(deps: AuditDeps): Promise<FrontierAudit> {
  const { frontier, sites, broker } = deps;
  const { look, dropped } = await openDropping(deps);
  const { tokens: expected } = await frontier.lag();
  const hosts = new HostSet(expected, randomInt(2 ** 32));
  // One reading of all tokens for everything.
  const overdue = await frontier.restartOverdue(OVERDUE_MS, async (host, state) => {
    hosts.add(host);
    await look(host, state);
  });
  const report: FrontierAudit = { records: 0, tokens: hosts.size, reissued: [], dropped, overdue };
  const now = broker.now();
  for await (const key of sites.keys()) {
    report.records++;
    const host = keyHost(key);
    if (hosts.has(host) || !(await sites.get(key))) continue;
    if (await frontier.add(host, now, { source: "audit", discoveredAt: Math.floor(now), visited: true }))
      report.reissued.push(host);
  }
  return report;
}
