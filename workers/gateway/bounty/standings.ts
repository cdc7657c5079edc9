/** What is counted of all reports, from memory. */
import { round } from "../../../src/detectors/risk.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import type { Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { metaOf } from "../common/meta.ts";
import { type Handles, type KnownReport, nameOf } from "./reports.ts";
import { leaderboard } from "./rules.ts";

type Context = RequestContext<Principals["key"]>;

export interface KnownReports {
  /** Every report, followed in memory. */
  known: ReadonlyMap<string, KnownReport>;
  handles: Handles;
  now: () => number;
}

const countBy = <T>(items: readonly T[], of: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, of)].map(([key, group]) => [key, group.length]));

/** Reporters by how often they were right. */
export const showLeaderboard = async (deps: KnownReports, limit: number, context: Context) => {
  const startedMs = performance.now();
  const standings = leaderboard(deps.known.values());
  const reporters = standings.slice(0, limit).map((standing, i) => ({
    rank: i + 1,
    reporter: nameOf(standing, deps.handles),
    validity: round(standing.validity),
    right: standing.right,
    wrong: standing.wrong,
    reports: standing.reports,
  }));
  return { total: standings.length, reporters, meta: metaOf("bounty", context, startedMs) };
};

/** Reports of the last days by state and kind. */
export const showStats = async (deps: KnownReports, days: number, context: Context) => {
  const startedMs = performance.now();
  const since = iso(deps.now() - days * DAY_MS);
  const reports = [...deps.known.values()].filter(({ created_at }) => created_at >= since);
  return {
    since,
    reports: reports.length,
    by_state: countBy(reports, ({ state }) => state),
    by_kind: countBy(reports, ({ kind }) => kind),
    reporters: new Set(reports.map(({ reporter }) => reporter)).size,
    domains: new Set(reports.map(({ registrableDomain: domain }) => domain)).size,
    meta: metaOf("bounty", context, startedMs),
  };
};
