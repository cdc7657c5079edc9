/** Counts of scans by day, added up by the broker: the same over all processes, kept over restarts. */

import { PROGRAMMES, TRACKERS } from "../../../src/detectors/affiliate/catalogue.ts";
import { RULESET_VERSION } from "../../../src/detectors/affiliate/findings.ts";
import type { PageScan } from "../../../src/detectors/affiliate/rules.ts";
import type { Counters } from "../../../src/ports/counters.ts";
import { DAY_MS } from "../../../src/ports/time.ts";

export interface AffiliateStats {
  /** First day counted, YYYY-MM-DD. */
  since: string;
  scans: number;
  verdicts: Record<string, number>;
  rules: Record<string, number>;
  networks: Record<string, number>;
  /** How much the rules cover. */
  catalogue: typeof CATALOGUE;
  ruleset_version: string;
}

const CATALOGUE = {
  programs: new Set(PROGRAMMES.map(({ program }) => program)).size,
  trackers: new Set(TRACKERS.map(({ name }) => name)).size,
};

const PREFIX = "affiliate-scans";
/** Networks of one scan that are counted. */
const MAX_NETWORKS = 10;

/** One scan: each verdict, rule and network once. */
export async function countScan(
  counters: Counters,
  { verdict, findings, links }: Pick<PageScan, "verdict" | "findings" | "links">,
): Promise<void> {
  const rules = new Set(findings.map(({ rule_id }) => rule_id));
  const networks = [...new Set(links.map(({ network }) => token(network)))].slice(0, MAX_NETWORKS);
  await Promise.all([
    counters.add("day", `${PREFIX}.verdict.${token(verdict)}`),
    ...[...rules].map((rule) => counters.add("day", `${PREFIX}.rule.${token(rule)}`)),
    ...networks.map((network) => counters.add("day", `${PREFIX}.network.${network}`)),
  ]);
}

/** Names as tokens of a counter's key: letters, digits, dashes; the catalogue's names stay apart from each other. */
const token = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "other";

/** Sums of the last `days` days, today included. */
export async function readStats(counters: Counters, now: number, days: number): Promise<AffiliateStats> {
  const since = new Date(now - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const sums: Record<string, Record<string, number>> = { verdict: {}, rule: {}, network: {} };
  for (const { key, period, total } of await counters.list("day", `${PREFIX}.*.*`)) {
    const [, kind = "", name = ""] = key.split(".");
    const sum = sums[kind];
    if (sum && period >= since.replaceAll("-", "")) sum[name] = (sum[name] ?? 0) + total;
  }
  const { verdict = {}, rule = {}, network = {} } = sums;
  const scans = Object.values(verdict).reduce((all, one) => all + one, 0);
  return {
    since,
    scans,
    verdicts: verdict,
    rules: rule,
    networks: network,
    catalogue: CATALOGUE,
    ruleset_version: RULESET_VERSION,
  };
}
