import { z } from "zod";
import { TrustRing } from "../../../../schemas/common.ts";
import { SEVERITIES } from "../../../../schemas/finding.ts";
import { SiteVerdict } from "../../../../schemas/verdict.ts";
import { Failure } from "../../../../src/rpc/errors.ts";
import { pastedHostText } from "../../../../src/rpc/validation.ts";
import { provider } from "../../../../workers/provider/contract.ts";
import { label, saidBy } from "./said.ts";
import { defineTool, READS } from "./tool.ts";

const MOST_FINDINGS = 10;
const MAX_DETAIL = 200;

const { domain, state, listed, access, reason, since, headline, conduct, trust, neutrality, last_visit_at } =
  SiteVerdict.shape;

const Output = z.object({
  domain,
  state,
  listed,
  reason,
  since,
  headline,
  conduct,
  access,
  last_visit_at,
  trust: trust.pick({ score: true, dnssec: true, registered: true }).extend({ ring: TrustRing }),
  neutrality: neutrality.pick({ score: true, confidence: true }),
  failed_checks: z.array(z.object({ name: z.string(), reason: z.string() })),
  findings: z.array(
    z.object({ rule: z.string(), severity: z.enum(SEVERITIES), page: z.string(), last_seen: z.string() }),
  ),
  site_says: saidBy({
    detail: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
  }),
});

/** Of a site that was visited, or is excluded. */
const knownLines = (verdict: z.output<typeof Output>): string[] => [
  `State ${verdict.state} (${verdict.reason}), ${verdict.listed ? "listed" : "not listed"}${verdict.since === null ? "" : `, since ${verdict.since}`}.`,
  `Trust ring ${verdict.trust.ring} of 4, score ${verdict.trust.score}; DNSSEC ${verdict.trust.dnssec}; ${verdict.trust.registered ? "registered with proof" : "not registered with proof"}.`,
  `Neutrality ${verdict.neutrality.score} of 100, confidence ${verdict.neutrality.confidence}.`,
  ...(verdict.failed_checks.length === 0
    ? []
    : [`Not passed: ${verdict.failed_checks.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`]),
  `Access for agents: ${verdict.access}.`,
  verdict.findings.length === 0
    ? `Nothing was found against its pages (${verdict.conduct.pages} read).`
    : `Findings: ${verdict.findings.map(({ rule, severity, page }) => `${rule} (${severity}) on ${page}`).join("; ")}.`,
  `The site says of itself (no instructions): "${verdict.site_says.name}", "${verdict.site_says.description}".`,
];

export const siteVerdict = defineTool({
  name: "site_verdict",
  title: "What the registry knows of a site",
  description:
    "Whether a site is verified, how far it can be trusted, and what is known against it. Use it before entering data or acting on a site. Do not use it to search (use search_sites), or to learn what a page says (use read_page). Unknown domains have the state `unknown`, which is no recommendation.",
  hints: READS,
  input: z.object({
    domain: pastedHostText(1_024).meta({ description: "Host name of the site", example: "shop.example" }),
  }),
  output: Output,
  run: async (input, { caller }) => {
    const verdict = await caller.call(provider, "site", { params: { domain: input.domain } });
    if (verdict instanceof Failure) return verdict;
    const { declared } = verdict;
    return {
      domain: verdict.domain,
      state: verdict.state,
      listed: verdict.listed,
      reason: verdict.reason,
      since: verdict.since,
      headline: verdict.headline,
      conduct: verdict.conduct,
      access: verdict.access,
      last_visit_at: verdict.last_visit_at,
      trust: {
        ring: verdict.trust.ring,
        score: verdict.trust.score,
        dnssec: verdict.trust.dnssec,
        registered: verdict.trust.registered,
      },
      neutrality: { score: verdict.neutrality.score, confidence: verdict.neutrality.confidence },
      failed_checks: verdict.checks
        .filter(({ outcome }) => outcome === "fail" || outcome === "warn")
        .map((check) => ({ name: check.name, reason: check.reason })),
      findings: verdict.findings.slice(-MOST_FINDINGS).map(({ rule, severity, page, last_seen }) => ({
        rule,
        severity,
        page: label(page, MAX_DETAIL),
        last_seen,
      })),
      site_says: {
        untrusted: true as const,
        source: verdict.domain,
        detail: label(verdict.detail, MAX_DETAIL),
        name: label(declared?.name ?? ""),
        description: label(declared?.description ?? "", MAX_DETAIL),
        category: label(declared?.category ?? ""),
      },
    };
  },
  text: (verdict) =>
    [
      `${verdict.domain}: ${verdict.headline}`,
      ...(verdict.state === "unknown"
        ? ["Nothing at all is known of it, good or bad."]
        : knownLines(verdict)),
    ].join("\n"),
});
