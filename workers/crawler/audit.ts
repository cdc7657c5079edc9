/**
 * No host falls silent: once an hour, somewhere, the sites' records are compared with the frontier's tokens. A record
 * without a token gets one; a token of a blocked host is visited at once and thereby dropped with its record; a token
 * that should have been due is scheduled anew.
 */
import { hostKey, keyHost } from "../../src/domain/names/domain-name.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { isBlockedBy, isHostKey, isWide } from "../../src/stores/block-list.ts";
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

/** Hosts that are looked at in one turn of the event loop: a million take two seconds, and the watchdog ends a turn of one. */
const HOSTS_A_TURN = 10_000;

/**
 * Brings the tokens of blocked hosts forward, so that their visits remove them.
 * @param tokens of the frontier, with their state
 * @returns the hosts
 */
const dropBlocked = async (
  { frontier, blocks, broker, clock }: Pick<AuditDeps, "frontier" | "blocks" | "broker" | "clock">,
  tokens: ReadonlyMap<string, "sched" | "due">,
): Promise<string[]> => {
  const keys = new Set<string>();
  for await (const key of blocks.keys()) keys.add(key);
  const hosts = [...keys].some(isWide) ? tokens.keys() : [...keys].filter(isHostKey).map(keyHost);
  const dropped: string[] = [];
  let looked = 0;
  for (const host of hosts) {
    if (++looked % HOSTS_A_TURN === 0) await clock.sleep(0);
    if (tokens.get(host) !== "sched" || !isBlockedBy(keys, host)) continue;
    if (await frontier.bringForward(host, broker.now())) dropped.push(host);
  }
  return dropped;
};

/** Visits at once every known host that is blocked: a domain was blocked with all below it. */
export const visitBlocked = async (deps: AuditDeps): Promise<string[]> =>
  dropBlocked(deps, await deps.frontier.hosts());

/** Records that are read at once. */
const READ_AT_ONCE = 64;

/** Visits at once every site that answered from a blocked network when it was last visited: the visit removes it. */
export const visitBlockedNetworks = async ({
  sites,
  frontier,
  broker,
  blockedNetworks,
}: Pick<Runtime, "sites" | "frontier" | "broker" | "blockedNetworks">): Promise<void> => {
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
};

/** Compares records and tokens once. */
export const audit = async (deps: AuditDeps): Promise<AuditReport> => {
  const { frontier, sites, broker } = deps;
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
  report.dropped.push(...(await dropBlocked(deps, tokens)));
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
