import { FIREWALL_VERDICTS, type FirewallVerdict } from "../../../schemas/finding.ts";
import type { FirewallInput, FirewallResult } from "../../../src/detectors/firewall/rules.ts";
import { joinTexts, rulesetVersion } from "../../../src/detectors/firewall/version.ts";
import type { Counters } from "../../../src/ports/counters.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { metaOf } from "../common/meta.ts";
import { digestOf, type FetchPage, observe } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { firewall } from "./contract.ts";

export interface FirewallDeps {
  fetchPage: FetchPage;
  scans: Scans;
  counters: Counters;
  /** Milliseconds, the counters' clock. */
  now: () => number;
}

const FETCH_TIMEOUT_MS = 8_000;
const COUNTED = "firewall-stats";
const TOP_RULES = 20;

/** One addition a count: the broker adds, so that no two scans lose each other's. */
const countScan = async (
  { counters }: FirewallDeps,
  { verdict, findings }: Pick<FirewallResult, "verdict" | "findings">,
): Promise<void> => {
  const rules = new Set(findings.map(({ rule_id }) => rule_id));
  const keys = [`verdict.${verdict}`, ...[...rules].map((rule) => `rule.${rule}`)];
  await Promise.all(keys.map((key) => counters.add("month", `${COUNTED}.${key}`)));
};

/** First day of a month so many months ago, UTC. */
const monthBegin = (nowMs: number, monthsAgo: number): Date => {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1));
};

export const firewallHandlers = (deps: FirewallDeps): Handlers<typeof firewall> => ({
  scan: async ({ body }, context) => {
    const startedMs = performance.now();
    const { content, ...page } = body;
    const input = { ...page, text: joinTexts(page.text, content) };
    const seen = await observe(input, deps.fetchPage, Math.min(FETCH_TIMEOUT_MS, context.timeoutMs / 2));
    if (seen instanceof Failure) return seen;
    // Whether the content is HTML is seen where it is read: content alone, without html of its own, can be.
    const own = content !== undefined && seen.text === input.text ? { text: page.text, content } : {};
    const task: FirewallInput = { url: seen.url?.href, html: seen.html, text: seen.text, ...own };
    const scanned = await deps.scans.run<FirewallResult>("firewall", task, context);
    if (scanned instanceof Failure) return scanned;
    const { content_is_html: isHtml, ...result } = scanned;
    await countScan(deps, result);
    return {
      ...result,
      fetched_url: seen.status === undefined ? null : (seen.url?.href ?? null),
      input_sha256: isHtml ? digestOf({ url: seen.url, html: content, text: page.text }) : seen.sha256,
      not_observed: notObserved(seen.notObserved, seen.html ?? seen.text),
      meta: metaOf("firewall", context, startedMs),
    };
  },

  stats: async ({ query }, context) => {
    const startedMs = performance.now();
    const since = monthBegin(deps.now(), query.months - 1);
    const first = since.toISOString().slice(0, 7).replace("-", "");
    const counts = (await deps.counters.list("month", `${COUNTED}.*.*`)).filter(
      ({ period }) => period >= first,
    );
    const totals = new Map<string, number>();
    for (const { key, total } of counts) totals.set(key, (totals.get(key) ?? 0) + total);
    const ofVerdict = (verdict: FirewallVerdict): number => totals.get(`${COUNTED}.verdict.${verdict}`) ?? 0;
    const [allow, warn, block] = FIREWALL_VERDICTS.map(ofVerdict) as [number, number, number];
    const head = `${COUNTED}.rule.`;
    const rules = [...totals]
      .filter(([key]) => key.startsWith(head))
      .map(([key, count]) => ({ rule_id: key.slice(head.length), count }))
      .sort((a, b) => b.count - a.count || (a.rule_id < b.rule_id ? -1 : 1));
    return {
      since: since.toISOString(),
      scans: allow + warn + block,
      verdicts: { allow, warn, block },
      top_rules: rules.slice(0, TOP_RULES),
      ruleset_version: rulesetVersion(),
      meta: metaOf("firewall", context, startedMs),
    };
  },
});

/** The firewall reads pages: header fields, cookies and DNS are no part of its question. */
const notObserved = (missing: { what: string; reason: string }[], seen: string | undefined) =>
  missing.filter(({ what }) =>
    what === "html" ? seen === undefined : !["headers", "cookies", "dns"].includes(what),
  );
