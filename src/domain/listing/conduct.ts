/**
 * What is known against a site's pages, and the headline that follows: who the site is, and how it treats its visitors, as two
 * things. A site can be exactly whom it says it is and cheat; no interface says the one without the other. Pure.
 */
import { domainToUnicode } from "node:url";
import type { ConfirmedReport } from "../../../schemas/bounty.ts";
import { MAX_SNIPPET_CHARS, SEVERITIES, type Severity } from "../../../schemas/finding.ts";
import type { Conduct, SiteRecord } from "../../../schemas/site.ts";
import type { SiteState, VerdictFinding } from "../../../schemas/verdict.ts";
import type { Gravity } from "../../ports/index.ts";
import { confusableHost, confusableName, lookalikeOf } from "../names/resemblance.ts";
import { REPORT_SEVERITY, reportRule } from "../trust/reported.ts";

/** A neutrality score below this is poor, whatever it comes from. */
const POOR_SCORE = 40;
const SERIOUS: readonly Severity[] = ["high", "critical"];

export type Tone = "good" | "warn" | "bad" | "soft";
export interface ConductSentence {
  tone: Tone;
  text: string;
}

export interface Headline {
  identity: ConductSentence;
  /** Undefined where nothing is said of a site but that it is excluded, or was never visited. */
  conduct: ConductSentence | undefined;
  /** Both: of two tones the worse. */
  tone: Tone;
  text: string;
  /** In three or four words: who it is, or what is against it. */
  badge: string;
}

const IDENTITY: Readonly<Record<SiteState, ConductSentence>> = {
  enabled: { tone: "good", text: "Identity verified" },
  partial: { tone: "warn", text: "Partly verified" },
  stale: { tone: "warn", text: "Was verified, and is not now" },
  found: { tone: "soft", text: "Found, and claimed by nobody" },
  disabled: { tone: "bad", text: "Not verified" },
  unknown: { tone: "soft", text: "Never visited" },
  blocked: { tone: "bad", text: "Blocked" },
};

const BADGE_CONDUCT = { poor: "poor conduct", remarks: "remarks", clear: "", unknown: "" } as const;

const WORSE: readonly Tone[] = ["good", "soft", "warn", "bad"];

/** What the crawl knows against a site's pages. */
export const crawlFindings = (record: SiteRecord): VerdictFinding[] => [
  ...resemblances(record),
  ...pageFindings(record),
];

export const reportFinding = (report: ConfirmedReport): VerdictFinding => ({
  by: "report",
  rule: reportRule(report.kind),
  severity: REPORT_SEVERITY[report.kind],
  page: report.url,
  selector: null,
  excerpt: report.reason,
  confirmed_by: report.confirmedBy,
  report: report.reportId,
  first_seen: report.first_seen,
  last_seen: report.last_seen,
});

/** A name or host that is spelled to look like another's; what looks like a brand's is worse. */
function resemblances(record: SiteRecord): VerdictFinding[] {
  const { siteId, name, resembles, discovery_url, last_visit_at } = record;
  // Honest words of one script may look like those of another: of a host that is verified it is said, and no more.
  const verified = (word: string) =>
    resembles === undefined ? undefined : { word, looksLike: `${resembles} (verified)`, brand: null };
  const isHost = resembles === lookalikeOf(siteId);
  const found = [
    {
      rule: "confusable-host",
      resemblance: confusableHost(siteId) ?? (isHost ? verified(domainToUnicode(siteId)) : undefined),
    },
    {
      rule: "confusable-name",
      resemblance: confusableName(name, siteId) ?? (isHost ? undefined : verified(name)),
    },
  ];
  return found.flatMap(({ rule, resemblance }) => {
    if (resemblance === undefined) return [];
    const { word, looksLike, brand } = resemblance;
    const excerpt = `${word}: looks like ${looksLike}${brand === null ? "" : ` (${brand})`}, and is spelled with letters of another script`;
    return {
      by: "crawl" as const,
      rule,
      severity: brand === null ? ("medium" as const) : ("high" as const),
      selector: null,
      page: discovery_url ?? `https://${siteId}/`,
      excerpt: excerpt.slice(0, MAX_SNIPPET_CHARS),
      confirmed_by: null,
      report: null,
      first_seen: null,
      last_seen: last_visit_at,
    };
  });
}

/** What the crawl found on pages, the worst parts' pages first; what is missing from a page is no finding. */
const pageFindings = ({ evidence }: SiteRecord): VerdictFinding[] =>
  Object.values(evidence?.shown ?? {})
    .flat()
    .filter(({ rule, selector, excerpt }) => rule !== "" && (selector !== undefined || excerpt !== ""))
    .map(({ rule, severity, page, selector = null, excerpt, seen_at }) => ({
      by: "crawl" as const,
      rule,
      severity,
      page,
      selector,
      excerpt,
      confirmed_by: null,
      report: null,
      first_seen: null,
      last_seen: seen_at,
    }));

/** How a site treats its visitors, as far as pages were read. @param score neutrality, 0 to 100 */
export function conductOf(
  { evidence, reason }: Pick<SiteRecord, "evidence" | "reason">,
  findings: readonly Pick<VerdictFinding, "severity">[],
  score: number,
): Conduct {
  const pages = evidence?.pages ?? 0;
  const contradicted = evidence?.contradictions?.confirmed ?? 0;
  const worst = findings.map(({ severity }) => severity).sort((a, b) => rankOf(b) - rankOf(a))[0] ?? null;
  const serious = findings.filter(({ severity }) => SERIOUS.includes(severity)).length;
  const isPoor =
    serious > 0 || contradicted > 0 || (pages > 0 && score < POOR_SCORE) || reason === "malicious_page";
  const level = isPoor ? "poor" : findings.length > 0 ? "remarks" : pages > 0 ? "clear" : "unknown";
  return { level, findings: findings.length, serious, worst, contradicted, pages };
}

/** What ranking makes of a site's conduct. */
export const gravityOf = (conduct: Conduct | undefined): Gravity =>
  conduct?.worst === "critical" ? "critical" : conduct?.level === "poor" ? "poor" : "none";

const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** What every interface says of a site first. @param conduct undefined where there is no record */
export function headlineOf(state: SiteState, conduct: Conduct | undefined): Headline {
  const identity = IDENTITY[state];
  if (state === "unknown" || state === "blocked" || state === "found")
    return {
      identity,
      conduct: undefined,
      tone: identity.tone,
      text: `${identity.text}.`,
      badge: identity.text,
    };
  const said: ConductSentence = conduct ? conductSaid(conduct) : { tone: "soft", text: "conduct not known" };
  const tone = [identity.tone, said.tone].sort((a, b) => WORSE.indexOf(b) - WORSE.indexOf(a))[0]!;
  return {
    identity,
    conduct: said,
    tone,
    text: `${identity.text}; ${said.text}.`,
    badge: badgeOf(identity, conduct),
  };
}

function conductSaid(conduct: Conduct): ConductSentence {
  switch (conduct.level) {
    case "poor":
      return { tone: "bad", text: poorText(conduct) };
    case "remarks":
      return { tone: "warn", text: `conduct with remarks: ${findingsText(conduct)}` };
    case "clear":
      return { tone: "good", text: `nothing found against it on ${count(conduct.pages, "page")}` };
    case "unknown":
      return { tone: "soft", text: "conduct not known: no page was read" };
  }
}

function poorText(conduct: Conduct): string {
  if (conduct.findings > 0) return `poor conduct: ${findingsText(conduct)}`;
  return conduct.contradicted > 0 ? "poor conduct: its pages refute what it declares" : "poor conduct";
}

/** "10 findings, 6 of them high or critical" */
const findingsText = ({ findings, serious, worst }: Conduct): string =>
  serious === 0 || worst === null
    ? count(findings, "finding")
    : `${count(findings, "finding")}, ${serious} of them ${worst === "critical" ? "high or critical" : "high"}`;

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;

function badgeOf({ text }: ConductSentence, conduct: Conduct | undefined): string {
  const against = conduct ? BADGE_CONDUCT[conduct.level] : "";
  return against === "" ? text : `${text} · ${against}`;
}
