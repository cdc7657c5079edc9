/**
 * Which law speaks of which pattern. Which of them applies to a site depends on facts that no page shows (size, audience,
 * seat); this names what to check, as in force in November 2026.
 */
import { JURISDICTIONS, type Jurisdiction, type PatternId } from "../../../schemas/dark-pattern.ts";

export interface Law {
  readonly jurisdiction: Jurisdiction;
  readonly citation: string;
  readonly says: string;
  readonly applies_to: string;
  readonly applies_from: string;
  readonly patterns: readonly PatternId[];
  readonly note?: string;
}

const ALL_INTERFACES: readonly PatternId[] = [
  "trick-wording",
  "confirmshaming",
  "visual-interference",
  "nagging",
  "hard-to-cancel",
  "forced-action",
  "preselection",
  "pressured-selling",
];
const YIELDS =
  "Article 25(2): does not apply to practices that Directive 2005/29/EC or Regulation (EU) 2016/679 covers.";

export const LAWS: readonly Law[] = [
  {
    jurisdiction: "EU",
    citation: "Regulation (EU) 2022/2065 (DSA), article 25(3)(a)",
    says: "No more prominence to certain choices when a decision is asked for.",
    applies_to: "online platforms, micro and small enterprises excepted (article 19)",
    applies_from: "2024-02-17",
    patterns: ["visual-interference", "preselection", "trick-wording"],
    note: YIELDS,
  },
  {
    jurisdiction: "EU",
    citation: "Regulation (EU) 2022/2065 (DSA), article 25(3)(b)",
    says: "No repeated requests for a choice that was made, especially by pop-ups.",
    applies_to: "online platforms, micro and small enterprises excepted (article 19)",
    applies_from: "2024-02-17",
    patterns: ["nagging"],
    note: YIELDS,
  },
  {
    jurisdiction: "EU",
    citation: "Regulation (EU) 2022/2065 (DSA), article 25(3)(c)",
    says: "Ending a service must not be harder than subscribing to it.",
    applies_to: "online platforms, micro and small enterprises excepted (article 19)",
    applies_from: "2024-02-17",
    patterns: ["hard-to-cancel"],
    note: YIELDS,
  },
  {
    jurisdiction: "EU",
    citation: "Regulation (EU) 2022/2065 (DSA), article 26(1)",
    says: "Advertisements can be told as such, clearly and at once.",
    applies_to: "online platforms, micro and small enterprises excepted (article 19)",
    applies_from: "2024-02-17",
    patterns: ["disguised-ads"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2005/29/EC (UCPD), Annex I no. 7",
    says: "Falsely stating that an offer holds for a very limited time only.",
    applies_to: "traders towards consumers",
    applies_from: "2007-12-12",
    patterns: ["fake-urgency", "fake-scarcity"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2005/29/EC (UCPD), Annex I nos. 5 and 6",
    says: "Bait advertising, and bait and switch.",
    applies_to: "traders towards consumers",
    applies_from: "2007-12-12",
    patterns: ["bait-and-switch"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2005/29/EC (UCPD), Annex I nos. 11 and 11a",
    says: "Paid promotion must be made clear, in content and in search results.",
    applies_to: "traders towards consumers",
    applies_from: "2022-05-28",
    patterns: ["disguised-ads"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2005/29/EC (UCPD), articles 6 and 7",
    says: "No misleading actions or omissions on price, availability or the nature of a product.",
    applies_to: "traders towards consumers",
    applies_from: "2007-12-12",
    patterns: ["hidden-costs", "hidden-subscription", "fake-social-proof", "fake-scarcity", "trick-wording"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2005/29/EC (UCPD), articles 8 and 9",
    says: "No harassment, coercion or undue influence, and no onerous barriers to ending a contract (9(d)).",
    applies_to: "traders towards consumers",
    applies_from: "2007-12-12",
    patterns: ["nagging", "hard-to-cancel", "confirmshaming", "pressured-selling", "forced-action"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2011/83/EU (CRD), article 22",
    says: "Additional payments need express consent; a box that is ticked already is none.",
    applies_to: "traders towards consumers",
    applies_from: "2014-06-13",
    patterns: ["preselection", "sneak-into-basket"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2011/83/EU (CRD), articles 6(1)(e), 6(6) and 8(2)",
    says: "The total price and the period before the order button; what was not told is not owed.",
    applies_to: "traders towards consumers, distance contracts",
    applies_from: "2014-06-13",
    patterns: ["hidden-costs", "hidden-subscription"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2011/83/EU (CRD), article 11a",
    says: "A withdrawal function, easy to find, for distance contracts concluded by an online interface.",
    applies_to: "traders towards consumers, distance contracts",
    applies_from: "2026-06-19",
    patterns: ["hard-to-cancel"],
    note: "Inserted by Directive (EU) 2023/2673.",
  },
  {
    jurisdiction: "EU",
    citation: "Regulation (EU) 2016/679 (GDPR), articles 4(11), 7 and 25",
    says: "Consent is free, specific and as easy to withdraw as to give; CJEU C-673/17: no ticked boxes.",
    applies_to: "controllers",
    applies_from: "2018-05-25",
    patterns: ["privacy-zuckering", "preselection", "forced-action", "visual-interference"],
  },
  {
    jurisdiction: "EU",
    citation: "Directive 2002/58/EC, article 5(3)",
    says: "Consent before anything that is not necessary is stored on a device.",
    applies_to: "whoever stores on or reads from devices",
    applies_from: "2011-05-25",
    patterns: ["privacy-zuckering"],
  },
  {
    jurisdiction: "UK",
    citation: "Digital Markets, Competition and Consumers Act 2024, part 4 chapter 1 and schedule 20",
    says: "Unfair commercial practices, among them false limited offers, bait and switch and fake reviews.",
    applies_to: "traders towards consumers",
    applies_from: "2025-04-06",
    patterns: [
      "fake-urgency",
      "fake-scarcity",
      "fake-social-proof",
      "bait-and-switch",
      "disguised-ads",
      "pressured-selling",
    ],
  },
  {
    jurisdiction: "UK",
    citation: "Digital Markets, Competition and Consumers Act 2024, section 230",
    says: "The total price, with every unavoidable fee, in an invitation to purchase.",
    applies_to: "traders towards consumers",
    applies_from: "2025-04-06",
    patterns: ["hidden-costs"],
  },
  {
    jurisdiction: "UK",
    citation:
      "Consumer Contracts (Information, Cancellation and Additional Charges) Regulations 2013, regulation 40",
    says: "Additional payments under a default option need not be paid.",
    applies_to: "traders towards consumers",
    applies_from: "2014-06-13",
    patterns: ["preselection", "sneak-into-basket"],
  },
  {
    jurisdiction: "US",
    citation: "FTC Act, section 5 (15 U.S.C. 45)",
    says: "No unfair or deceptive acts or practices.",
    applies_to: "commerce",
    applies_from: "1938-03-21",
    patterns: [
      ...ALL_INTERFACES,
      "fake-urgency",
      "fake-scarcity",
      "fake-social-proof",
      "hidden-costs",
      "disguised-ads",
      "bait-and-switch",
      "sneak-into-basket",
      "privacy-zuckering",
    ],
  },
  {
    jurisdiction: "US",
    citation: "Restore Online Shoppers' Confidence Act (15 U.S.C. 8403)",
    says: "Negative options: material terms told before, express informed consent, a simple way to stop.",
    applies_to: "negative option sales on the internet",
    applies_from: "2010-12-29",
    patterns: ["hidden-subscription", "hard-to-cancel", "preselection"],
    note: "The FTC's click-to-cancel rule (16 CFR 425) was vacated on 8 July 2025 (8th Circuit, Custom Communications v. FTC) and binds nobody.",
  },
  {
    jurisdiction: "US",
    citation: "Rule on Unfair or Deceptive Fees (16 CFR 464)",
    says: "The total price first, mandatory fees included.",
    applies_to: "live-event tickets and short-term lodging",
    applies_from: "2025-05-12",
    patterns: ["hidden-costs"],
  },
  {
    jurisdiction: "US-CA",
    citation: "California Civil Code 1770(a)(29) (SB 478)",
    says: "No price that leaves out mandatory fees.",
    applies_to: "sales to consumers in California",
    applies_from: "2024-07-01",
    patterns: ["hidden-costs"],
  },
  {
    jurisdiction: "US-CA",
    citation: "California Business and Professions Code 17600-17606",
    says: "Automatic renewals: clear terms, affirmative consent, cancellation online.",
    applies_to: "automatic renewals for consumers in California",
    applies_from: "2018-07-01",
    patterns: ["hidden-subscription", "hard-to-cancel"],
  },
  {
    jurisdiction: "US-CA",
    citation: "11 CCR 7004 (CCPA regulations)",
    says: "Symmetry in choice; consent by dark patterns is no consent.",
    applies_to: "businesses under the CCPA",
    applies_from: "2023-03-29",
    patterns: ["privacy-zuckering", "visual-interference", "trick-wording", "confirmshaming", "preselection"],
  },
  {
    jurisdiction: "IN",
    citation: "Guidelines for Prevention and Regulation of Dark Patterns, 2023",
    says: "Thirteen named dark patterns are unfair trade practices.",
    applies_to: "platforms, advertisers and sellers offering in India",
    applies_from: "2023-11-30",
    patterns: [
      "fake-urgency",
      "fake-scarcity",
      "sneak-into-basket",
      "confirmshaming",
      "forced-action",
      "hidden-subscription",
      "hard-to-cancel",
      "visual-interference",
      "bait-and-switch",
      "hidden-costs",
      "disguised-ads",
      "nagging",
      "trick-wording",
    ],
  },
];

export interface Obligation extends Omit<Law, "patterns"> {
  patterns: PatternId[];
}

/** The laws that speak of these patterns, in the jurisdictions asked for. */
export const obligationsFor = (
  found: readonly PatternId[],
  jurisdictions: readonly Jurisdiction[] = JURISDICTIONS,
): Obligation[] =>
  LAWS.filter(({ jurisdiction }) => jurisdictions.includes(jurisdiction))
    .map((law) => ({ ...law, patterns: law.patterns.filter((pattern) => found.includes(pattern)) }))
    .filter(({ patterns }) => patterns.length > 0);
