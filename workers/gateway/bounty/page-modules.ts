/** Our own modules on what was reported: what each says of one page, and of an address. */
import type { Corroboration, ReportKind } from "../../../schemas/bounty.ts";
import type { Finding } from "../../../schemas/finding.ts";
import { readCard } from "../../../src/classifiers/model-card.ts";
import { RULESET_VERSION as AFFILIATE_VERSION } from "../../../src/detectors/affiliate/findings.ts";
import type * as affiliateRules from "../../../src/detectors/affiliate/rules.ts";
import type * as darkPatternRules from "../../../src/detectors/dark-pattern/rules.ts";
import { ADDRESS_RULE } from "../../../src/detectors/firewall/address-rule.ts";
import type * as firewallRules from "../../../src/detectors/firewall/rules.ts";
import { analyzeUrl, URL_THRESHOLD } from "../../../src/detectors/phishing/url-analysis.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { Scans } from "../common/scans.ts";

const DETECTORS = new URL("../../../src/detectors/", import.meta.url);
const rulesIn = (detector: string): URL => new URL(`${detector}/rules.ts`, DETECTORS);
const FIREWALL = tasksOf<typeof firewallRules>(rulesIn("firewall"))("scanFirewall");
const DARK_PATTERNS = tasksOf<typeof darkPatternRules>(rulesIn("dark-pattern"))("scanDarkPatterns");
const AFFILIATE = tasksOf<typeof affiliateRules>(rulesIn("affiliate"))("scanHtml");

const MOST_RULES = 20;

type Judgement = Pick<Corroboration, "ruleset_version" | "supports" | "verdict" | "rules">;

const rulesOf = (findings: readonly { rule_id: string }[]): string[] =>
  [...new Set(findings.map(({ rule_id }) => rule_id))].slice(0, MOST_RULES);

/** One module on one page; undefined when it had no time. */
type Module = (
  scans: Scans,
  url: URL,
  html: string,
  kind: ReportKind,
  caller: Caller,
) => Promise<Judgement | undefined>;

/** Of the firewall's findings those that are of a reported kind and on the page itself: its address is no finding of one. */
const OF_KIND: Readonly<Partial<Record<ReportKind, (finding: Finding) => boolean>>> = {
  prompt_injection: ({ category }) => /injection$|^exfiltration$/.test(category),
  phishing: ({ category, rule_id }) => category === "phishing" && rule_id !== ADDRESS_RULE,
};

export const PAGE_MODULES: Record<"firewall" | "dark-pattern" | "affiliate", Module> = {
  firewall: async (scans, url, html, kind, caller) => {
    const result = await scans.run(FIREWALL, { url: url.href, html, text: undefined }, caller);
    if (result instanceof Failure) return undefined;
    const { verdict, findings, ruleset_version } = result;
    const ofKind = findings.filter((finding) => OF_KIND[kind]?.(finding) === true);
    const supports =
      (verdict === "warn" || verdict === "block") &&
      ofKind.some(({ confidence }) => confidence >= readCard("firewall").threshold);
    return { ruleset_version, supports, verdict, rules: rulesOf(supports ? ofKind : findings) };
  },
  "dark-pattern": async (scans, _, html, _kind, caller) => {
    const input = { first: { html, text: undefined }, later: undefined, secondsLater: undefined };
    const result = await scans.run(DARK_PATTERNS, input, caller);
    if (result instanceof Failure) return undefined;
    const deceptive = result.patterns.filter(({ verdict }) => verdict === "likely_deceptive");
    return {
      ruleset_version: result.ruleset_version,
      supports: deceptive.length > 0,
      verdict: deceptive.length > 0 ? "likely_deceptive" : "not_found",
      rules: deceptive.map(({ pattern }) => pattern).slice(0, MOST_RULES),
    };
  },
  affiliate: async (scans, url, html, _kind, caller) => {
    const result = await scans.run(AFFILIATE, { html, url: url.href }, caller);
    if (result instanceof Failure) return undefined;
    const { verdict, findings } = result;
    return {
      ruleset_version: AFFILIATE_VERSION,
      supports: verdict === "stuffing" || verdict === "suspicious",
      verdict,
      rules: rulesOf(findings),
    };
  },
};

export function judgeAddress(url: URL): Judgement | undefined {
  const analysis = analyzeUrl(url);
  return (
    analysis && {
      ruleset_version: "url-4",
      supports: analysis.risk >= URL_THRESHOLD,
      verdict: analysis.risk >= URL_THRESHOLD ? "suspicious" : "plain",
      rules: analysis.signs.map(({ id }) => id).slice(0, MOST_RULES),
    }
  );
}
