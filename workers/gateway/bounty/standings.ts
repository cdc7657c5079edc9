/** What is counted and found among all reports, from memory. */
import type { BountyReport } from "../../../schemas/bounty.ts";
import { round } from "../../../src/detectors/risk.ts";
import { parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import type { Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { Records } from "../../../src/stores/records.ts";
import { moduleMeta } from "../common/meta.ts";
import type { bounty } from "./contract.ts";
import { type Handles, type KnownReport, nameOf, reporterOf, shownReport } from "./reports.ts";
import { isConfirmed, leaderboard, recordOf, weightOf } from "./rules.ts";

type Context = RequestContext<Principals["key"]>;

export interface KnownReports {
  /** Every report, followed in memory. */
  known: ReadonlyMap<string, KnownReport>;
  handles: Handles;
  now: () => number;
}

interface FindingDeps extends KnownReports {
  store: { reports: Pick<Records<BountyReport>, "get"> };
  secret: string;
}
type Query = Input<(typeof bounty)["operations"]["listReports"]>["query"];

/** Reporters by how often they were right. */
export async function showLeaderboard(deps: KnownReports, limit: number, context: Context) {
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
  return { total: standings.length, reporters, meta: moduleMeta("bounty", context, startedMs) };
}

/** Reports of the last days by state and kind. */
export async function showStats(deps: KnownReports, days: number, context: Context) {
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
    meta: moduleMeta("bounty", context, startedMs),
  };
}

const countBy = <T>(items: readonly T[], of: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, of)].map(([key, group]) => [key, group.length]));

/** Reports about a domain, or the caller's own. What is unconfirmed is its reporter's and the operator's to read: others see its number. */
export async function findReports(deps: FindingDeps, query: Query, context: Context) {
  const startedMs = performance.now();
  const { mine, state, limit, offset } = query;
  const domain = wantedDomain(query.domain);
  if (typeof domain === "object") return domain;
  if (domain === undefined && !mine)
    return fail("invalid_request", "Name a domain, or ask for your own reports with mine=true.", {
      errors: [{ pointer: "/query/domain", code: "required", message: "is required, or mine=true" }],
    });
  const reporter = reporterOf(deps.secret, context.principal);
  const ofDomain = [...deps.known].filter(
    ([, one]) =>
      (domain === undefined || one.registrableDomain === domain) && (!mine || one.reporter === reporter),
  );
  const readable = ofDomain.filter(([, one]) => one.reporter === reporter || isConfirmed(one));
  const found = readable
    .filter(([, one]) => state === undefined || one.state === state)
    .sort(([a], [b]) => (a < b ? 1 : -1));
  const page = await Promise.all(
    found.slice(offset, offset + limit).map(([id]) => deps.store.reports.get(id)),
  );
  return {
    total: found.length,
    limit,
    offset,
    reports: page.flatMap((stored) => (stored ? [shownReport(stored.value, deps.handles)] : [])),
    unconfirmed: ofDomain.length - readable.length,
    reporter_record: reporterRecord(deps, reporter),
    meta: moduleMeta("bounty", context, startedMs),
  };
}

/** The registrable domain that is asked about; undefined when none is. */
function wantedDomain(domain: string | undefined) {
  if (domain === undefined) return undefined;
  const host = parseHost(domain);
  return host.ok
    ? registrableDomain(host.host)
    : fail("invalid_domain", `domain: ${JSON.stringify(domain)} is not a public host name (${host.reason}).`);
}

/** How often a reporter was right, and what their next report weighs. */
export function reporterRecord({ known }: KnownReports, reporter: string) {
  const record = recordOf([...known.values()].filter((one) => one.reporter === reporter));
  return { ...record, validity: round(record.validity), weight: round(weightOf(record)) };
}
