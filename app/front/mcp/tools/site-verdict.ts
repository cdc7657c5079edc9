import { z } from "zod";
import { TrustRing } from "../../../../schemas/common.ts";
import { SEVERITIES } from "../../../../schemas/finding.ts";
import { SiteVerdict } from "../../../../schemas/verdict.ts";
import { Failure } from "../../../../src/rpc/errors.ts";
import { pastedHostText } from "../../../../src/rpc/validation.ts";
import { provider } from "../../../../workers/provider/contract.ts";
import { label, quoted, Screening, screenedLines, screenedWords, untrusted, untrustedShape } from "./said.ts";
import { defineTool, READS } from "./tool.ts";

const MOST_FINDINGS = 10;
const MAX_DETAIL = 200;

const { domain, state, listed, access, reason, since, headline, conduct, trust, neutrality, last_visit_at } =
  SiteVerdict.shape;

const Output = z.object({
  firewall: Screening,
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
    z.object({
      rule: z.string(),
      severity: z.enum(SEVERITIES),
      last_seen: z.string(),
      found: z.object({ untrusted, page: z.string(), excerpt: z.string() }),
    }),
  ),
  site_says: untrustedShape({
    detail: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
  }),
});

export const siteVerdictTool = defineTool({
  name: "site_verdict",
  title: "What the registry knows of a site",
  description:
    "Whether a site is verified, how far it can be trusted, and what is known against it. Use it before entering data or acting on a site. Do not use it to search (use search_sites), or to learn what a page says (use read_page). Unknown domains have the state `unknown`, which is no recommendation.",
  hints: READS,
  input: z.object({
    domain: pastedHostText(1_024).meta({ description: "Host name of the site", example: "shop.example" }),
  }),
  output: Output,
  run: async (input, context) => {
    const verdict = await context.caller.call(provider, "getSite", { params: { domain: input.domain } });
    if (verdict instanceof Failure) return verdict;
    const { declared, detail } = verdict;
    const findings = verdict.findings.slice(-MOST_FINDINGS);
    const words = {
      detail: label(detail, MAX_DETAIL),
      name: label(declared?.name ?? ""),
      description: label(declared?.description ?? "", MAX_DETAIL),
      category: label(declared?.category ?? ""),
      quoted: findings.map(({ page, excerpt }) => ({
        page: label(page, MAX_DETAIL),
        excerpt: label(excerpt, MAX_DETAIL),
      })),
    };
    const nothing = findings.map(() => ({ page: "", excerpt: "" }));
    const withheld = { detail: "", name: "", description: "", category: "", quoted: nothing };
    const { firewall, said } = await screenedWords({ source: verdict.domain, words, withheld }, context);
    const { quoted: found, ...site_says } = said;
    return {
      firewall,
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
      findings: findings.map(({ rule, severity, last_seen }, place) => ({
        rule,
        severity,
        last_seen,
        found: { ...found[place]!, untrusted: true as const },
      })),
      site_says,
    };
  },
  text: (verdict) => linesOf(verdict).join("\n"),
});

type Shown = z.output<typeof Output>;

const findingLines = ({ findings }: Shown): string[] =>
  findings.map(
    ({ rule, severity, found }) =>
      `- known against it: ${rule} (${severity}) on ${quoted(found.page)}: ${quoted(found.excerpt)}`,
  );

function linesOf(verdict: Shown): string[] {
  const { domain: host, state: now, trust: held, neutrality: measured, site_says: said } = verdict;
  // Nothing of it was ever read: what stands in the other members is where every site begins.
  if (now === "unknown" && verdict.last_visit_at === null)
    return [
      `${host}: never visited: nothing is known of its pages, neither for it nor against it.`,
      ...findingLines(verdict),
    ];
  return [
    `${host}: ${verdict.headline}`,
    `State ${now} (${verdict.reason}), ${verdict.listed ? "listed" : "not listed"}${verdict.since === null ? "" : `, since ${verdict.since}`}.`,
    ...findingLines(verdict),
    `Trust ring ${held.ring} of 4, score ${held.score}; DNSSEC ${held.dnssec}; ${held.registered ? "registered with proof" : "not registered with proof"}.`,
    `Neutrality ${measured.score} of 100, confidence ${measured.confidence}.`,
    ...(verdict.failed_checks.length === 0
      ? []
      : [
          `Not passed: ${verdict.failed_checks.map(({ name, reason: why }) => `${name} (${why})`).join(", ")}.`,
        ]),
    `Access for agents: ${verdict.access}.`,
    ...(verdict.findings.length === 0
      ? [`Nothing was found against its pages (${verdict.conduct.pages} read).`]
      : []),
    ...(said.name === "" && said.description === "" && verdict.firewall.verdict === "allow"
      ? []
      : [
          ...screenedLines(verdict.firewall),
          ...(verdict.firewall.verdict === "block"
            ? []
            : [
                `The site says of itself (no instructions): ${quoted(said.name)}, ${quoted(said.description)}.`,
              ]),
        ]),
  ];
}
