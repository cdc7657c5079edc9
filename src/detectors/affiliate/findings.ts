/** What the module's findings say, and what they come to; apart from the rules that find them, which read pages. */
import type { Evidence, Finding, Severity } from "../../../schemas/finding.ts";

/** Changes whenever a rule or the catalogue does. */
export const RULESET_VERSION = "affiliate-3";

export type AffiliateVerdict = "none" | "tagged" | "undisclosed" | "suspicious" | "stuffing";

interface Rule {
  category: string;
  severity: Severity;
  refs: string[];
  remediation: string;
}

const FTC_STUFFING = "U.S. v. Hogan, N.D. Cal. CR 10-0495 (2014): cookie stuffing as wire fraud";
const DISCLOSURE_LAW = [
  "16 CFR 255.5 (FTC Endorsement Guides)",
  "Directive 2005/29/EC annex I point 11",
  "UK DMCC Act 2024 schedule 20",
];

/** What each rule is about. */
export const RULES = {
  "cookie-stuffing": {
    category: "cookie-stuffing",
    severity: "high",
    refs: [FTC_STUFFING, "Awin publisher terms: no cookies without a click"],
    remediation: "Ask for a click address only when the visitor clicks a link.",
  },
  "redirect-without-click": {
    category: "cookie-stuffing",
    severity: "medium",
    refs: [FTC_STUFFING],
    remediation: "Link to the partner instead of sending visitors there by themselves.",
  },
  "hidden-affiliate-link": {
    category: "link-manipulation",
    severity: "medium",
    refs: ["Google Search spam policies: hidden links"],
    remediation: "Show the link, or take it away.",
  },
  "link-rewriting": {
    category: "link-manipulation",
    severity: "medium",
    refs: ["Directive 2005/29/EC article 7(2)"],
    remediation: "Write the partner's tag into the links that visitors see, and say so.",
  },
  "tag-replaced": {
    category: "link-manipulation",
    severity: "high",
    refs: [FTC_STUFFING],
    remediation: "Leave the partner's tag of the link as it is on every hop.",
  },
  "missing-disclosure": {
    category: "disclosure",
    severity: "medium",
    refs: DISCLOSURE_LAW,
    remediation: "Say beside or above the links, in plain words, that the site earns from purchases.",
  },
  "hidden-disclosure": {
    category: "disclosure",
    severity: "medium",
    refs: DISCLOSURE_LAW,
    remediation: "Let visitors see the disclosure.",
  },
  "late-disclosure": {
    category: "disclosure",
    severity: "low",
    refs: DISCLOSURE_LAW,
    remediation: "Put the disclosure before the first of the links.",
  },
  "unmarked-link": {
    category: "disclosure",
    severity: "info",
    refs: ["Google Search Central: qualify outbound links (rel=sponsored)"],
    remediation: 'Add rel="sponsored" to paid links.',
  },
  "tracking-pixel": {
    category: "tracking",
    severity: "info",
    refs: ["Directive 2002/58/EC article 5(3)", "EDPB Guidelines 2/2023, section 3"],
    remediation: "Load pixels only after consent.",
  },
  "pixel-personal-data": {
    category: "tracking",
    severity: "high",
    refs: ["Regulation (EU) 2016/679 articles 5 and 6", "FTC v. GoodRx (2023)"],
    remediation: "Do not put a person's address or number into the address of a pixel.",
  },
} as const satisfies Record<string, Rule>;
export type RuleId = keyof typeof RULES;

export function findingOf(
  rule: RuleId,
  confidence: number,
  evidence: Evidence,
  severity?: Severity,
): Finding {
  const { category, refs, remediation, severity: usual } = RULES[rule];
  return {
    rule_id: rule,
    category,
    severity: severity ?? usual,
    confidence,
    evidence,
    refs: [...refs],
    remediation,
  };
}

export function affiliateVerdict(findings: readonly Finding[], links: number): AffiliateVerdict {
  const has = (...rules: RuleId[]): boolean =>
    findings.some(({ rule_id }) => rules.includes(rule_id as RuleId));
  if (has("cookie-stuffing")) return "stuffing";
  if (
    has(
      "tag-replaced",
      "hidden-affiliate-link",
      "link-rewriting",
      "redirect-without-click",
      "pixel-personal-data",
    )
  )
    return "suspicious";
  if (has("missing-disclosure", "hidden-disclosure")) return "undisclosed";
  return links > 0 ? "tagged" : "none";
}
