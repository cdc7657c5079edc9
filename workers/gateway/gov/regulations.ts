/**
 * Regulations that a website meets, each with where it is written and since when. `checks` are the controls
 * (controls.ts) whose findings bear on it; what a look at a website cannot tell stays not observed. No legal advice.
 */

export const SECTORS = [
  "retail",
  "travel",
  "finance",
  "health",
  "media",
  "platform",
  "software",
  "children",
  "public",
] as const;
export type Sector = (typeof SECTORS)[number];

export interface Regulation {
  id: string;
  /** ISO 3166-1 alpha-2, or EU; US-CA for California. */
  jurisdiction: string;
  title: string;
  citation: string;
  status: "in_force" | "guidance" | "not_in_force" | "repealed" | "vacated";
  /** YYYY-MM-DD; null where no date is set. */
  applies_from: string | null;
  /** When it ceased to apply. */
  applied_until?: string;
  applies_when: {
    /** Only these sectors; absent: any. */
    sectors?: readonly Sector[];
    condition: string;
  };
  checks: readonly string[];
  /** How much of it a look at the website can tell. */
  automatable: "mostly" | "partly" | "no";
}

const CONSENT = ["no-trackers-before-consent", "no-marketing-cookies-before-consent", "consent-parity"];
const ACCESS = [
  "accessibility-statement",
  "page-language",
  "image-alternatives",
  "form-labels",
  "page-title",
];
const IMPRINT = ["imprint", "contact-email", "contact-second-way"];

const EU: readonly Regulation[] = [
  {
    id: "eu-gdpr",
    jurisdiction: "EU",
    title: "General Data Protection Regulation",
    citation: "Regulation (EU) 2016/679, articles 5, 6, 13 and 32",
    status: "in_force",
    applies_from: "2018-05-25",
    applies_when: { condition: "Personal data of people in the Union are processed." },
    checks: ["privacy-policy", "https", "hsts", "no-personal-data-in-pixels", ...CONSENT],
    automatable: "partly",
  },
  {
    id: "eu-eprivacy-5-3",
    jurisdiction: "EU",
    title: "Storage and access on terminal equipment",
    citation: "Directive 2002/58/EC, article 5(3), as amended by Directive 2009/136/EC",
    status: "in_force",
    applies_from: "2011-05-25",
    applies_when: { condition: "Cookies or the like are set or read that the visitor did not ask for." },
    checks: [...CONSENT, "cookie-policy"],
    automatable: "mostly",
  },
  {
    id: "eu-ecommerce-5",
    jurisdiction: "EU",
    title: "General information about the service provider",
    citation: "Directive 2000/31/EC, articles 5 and 6",
    status: "in_force",
    applies_from: "2002-01-17",
    applies_when: { condition: "An information society service, normally for remuneration." },
    checks: IMPRINT,
    automatable: "mostly",
  },
  {
    id: "eu-dsa",
    jurisdiction: "EU",
    title: "Digital Services Act: intermediaries and platforms",
    citation: "Regulation (EU) 2022/2065, articles 11 to 16, 24 to 27 and 30",
    status: "in_force",
    applies_from: "2024-02-17",
    applies_when: {
      sectors: ["platform", "media"],
      condition:
        "What others supply is hosted or shown; small and micro firms are spared the platforms' duties.",
    },
    checks: ["contact-email", "terms", "notice-mechanism", "consent-parity", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "eu-ucpd",
    jurisdiction: "EU",
    title: "Unfair Commercial Practices Directive",
    citation: "Directive 2005/29/EC, articles 5 to 9 and annex I, as amended by Directive (EU) 2019/2161",
    status: "in_force",
    applies_from: "2007-12-12",
    applies_when: { condition: "Businesses deal with consumers." },
    checks: ["affiliate-disclosure", "no-cookie-stuffing", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "eu-crd",
    jurisdiction: "EU",
    title: "Consumer Rights Directive: information and withdrawal",
    citation: "Directive 2011/83/EU, articles 6, 8, 9 and 22",
    status: "in_force",
    applies_from: "2014-06-13",
    applies_when: {
      sectors: ["retail", "travel", "software", "platform"],
      condition: "Distance contracts with consumers.",
    },
    checks: ["terms", "withdrawal-information", "imprint", "contact-second-way", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "eu-crd-11a",
    jurisdiction: "EU",
    title: "Withdrawal function for contracts concluded online",
    citation: "Directive 2011/83/EU, article 11a, inserted by Directive (EU) 2023/2673",
    status: "in_force",
    applies_from: "2026-06-19",
    applies_when: {
      sectors: ["retail", "software", "finance", "platform"],
      condition: "Distance contracts by an online interface with a right of withdrawal.",
    },
    checks: ["withdrawal-function"],
    automatable: "mostly",
  },
  {
    id: "eu-ppd-6a",
    jurisdiction: "EU",
    title: "Announcements of price reductions",
    citation: "Directive 98/6/EC, article 6a, inserted by Directive (EU) 2019/2161; CJEU C-330/23",
    status: "in_force",
    applies_from: "2022-05-28",
    applies_when: { sectors: ["retail"], condition: "A price reduction of goods is announced." },
    checks: ["prior-price"],
    automatable: "partly",
  },
  {
    id: "eu-p2b",
    jurisdiction: "EU",
    title: "Fairness for business users of intermediation services",
    citation: "Regulation (EU) 2019/1150, articles 3 to 5 and 11",
    status: "in_force",
    applies_from: "2020-07-12",
    applies_when: {
      sectors: ["platform"],
      condition: "Businesses reach consumers by the service, or by a search engine.",
    },
    checks: ["terms", "ranking-information"],
    automatable: "partly",
  },
  {
    id: "eu-eaa",
    jurisdiction: "EU",
    title: "European Accessibility Act: e-commerce and other services",
    citation: "Directive (EU) 2019/882, articles 2(2), 13 and annexes I and V",
    status: "in_force",
    applies_from: "2025-06-28",
    applies_when: {
      sectors: ["retail", "travel", "finance", "media", "platform", "software"],
      condition: "Services to consumers; micro-enterprises that provide services are exempt.",
    },
    checks: ACCESS,
    automatable: "partly",
  },
  {
    id: "eu-nis2",
    jurisdiction: "EU",
    title: "NIS 2: cybersecurity risk management",
    citation: "Directive (EU) 2022/2555, articles 12, 20, 21 and 23",
    status: "in_force",
    applies_from: "2024-10-18",
    applies_when: {
      sectors: ["platform", "finance", "health", "public", "software"],
      condition: "Essential and important entities of annexes I and II, as a rule from medium size.",
    },
    checks: ["https", "hsts", "security-txt", "dnssec", "spf", "dmarc", "caa"],
    automatable: "partly",
  },
  {
    id: "eu-ai-act-50",
    jurisdiction: "EU",
    title: "AI Act: transparency towards people",
    citation: "Regulation (EU) 2024/1689, articles 50 and 113",
    status: "in_force",
    applies_from: "2026-08-02",
    applies_when: { condition: "People deal with an AI system directly, or its output is published." },
    checks: ["ai-disclosure"],
    automatable: "partly",
  },
  {
    id: "eu-geo-blocking",
    jurisdiction: "EU",
    title: "Geo-blocking Regulation",
    citation: "Regulation (EU) 2018/302, articles 3 to 5",
    status: "in_force",
    applies_from: "2018-12-03",
    applies_when: {
      sectors: ["retail", "travel", "software"],
      condition: "Customers of several member states are served.",
    },
    checks: [],
    automatable: "no",
  },
  {
    id: "eu-odr",
    jurisdiction: "EU",
    title: "Link to the Online Dispute Resolution platform",
    citation: "Regulation (EU) No 524/2013, article 14, repealed by Regulation (EU) 2024/3228",
    status: "repealed",
    applies_from: "2016-01-09",
    applied_until: "2025-07-20",
    applies_when: {
      sectors: ["retail", "travel", "software", "platform"],
      condition: "The platform is closed: a link to it misleads.",
    },
    checks: ["no-odr-link"],
    automatable: "mostly",
  },
];

const MEMBER_STATES: readonly Regulation[] = [
  {
    id: "de-ddg-5",
    jurisdiction: "DE",
    title: "Imprint (Anbieterkennzeichnung)",
    citation: "Digitale-Dienste-Gesetz (DDG), § 5; before 14 May 2024 Telemediengesetz, § 5",
    status: "in_force",
    applies_from: "2024-05-14",
    applies_when: { condition: "Digital services offered as a business, normally for remuneration." },
    checks: IMPRINT,
    automatable: "mostly",
  },
  {
    id: "de-tddg-25",
    jurisdiction: "DE",
    title: "Consent to cookies and the like",
    citation: "Telekommunikation-Digitale-Dienste-Datenschutz-Gesetz (TDDDG), § 25",
    status: "in_force",
    applies_from: "2021-12-01",
    applies_when: { condition: "Storage on or access to the visitor's device." },
    checks: CONSENT,
    automatable: "mostly",
  },
  {
    id: "de-bgb-312k",
    jurisdiction: "DE",
    title: "Cancellation button (Kündigungsschaltfläche)",
    citation: "Bürgerliches Gesetzbuch (BGB), § 312k",
    status: "in_force",
    applies_from: "2022-07-01",
    applies_when: {
      sectors: ["software", "media", "health", "retail", "platform"],
      condition: "Consumers can enter into continuing obligations by the website.",
    },
    checks: ["cancellation-button"],
    automatable: "mostly",
  },
  {
    id: "de-bfsg",
    jurisdiction: "DE",
    title: "Accessibility (Barrierefreiheitsstärkungsgesetz)",
    citation: "BFSG, §§ 1, 3 and 14, with BFSGV",
    status: "in_force",
    applies_from: "2025-06-28",
    applies_when: {
      sectors: ["retail", "travel", "finance", "media", "platform", "software"],
      condition: "Services in electronic commerce; micro-enterprises that provide services are exempt.",
    },
    checks: ACCESS,
    automatable: "partly",
  },
  {
    id: "at-ecg-5",
    jurisdiction: "AT",
    title: "General information (E-Commerce-Gesetz)",
    citation: "ECG, BGBl. I Nr. 152/2001, § 5",
    status: "in_force",
    applies_from: "2002-01-01",
    applies_when: { condition: "An information society service." },
    checks: IMPRINT,
    automatable: "mostly",
  },
  {
    id: "fr-lcen",
    jurisdiction: "FR",
    title: "Legal notice (mentions légales)",
    citation: "Loi n° 2004-575 du 21 juin 2004 (LCEN), articles 1-1 and 19",
    status: "in_force",
    applies_from: "2004-06-23",
    applies_when: { condition: "A service of communication to the public online." },
    checks: IMPRINT,
    automatable: "mostly",
  },
  {
    id: "fr-conso-l215-1-1",
    jurisdiction: "FR",
    title: "Termination online (résiliation en ligne)",
    citation: "Code de la consommation, article L215-1-1",
    status: "in_force",
    applies_from: "2023-06-01",
    applies_when: {
      sectors: ["software", "media", "health", "retail", "platform"],
      condition: "Contracts can be concluded electronically.",
    },
    checks: ["cancellation-button"],
    automatable: "mostly",
  },
  {
    id: "es-lssi-10",
    jurisdiction: "ES",
    title: "General information (LSSI)",
    citation: "Ley 34/2002, de 11 de julio, artículo 10",
    status: "in_force",
    applies_from: "2002-10-12",
    applies_when: { condition: "An information society service." },
    checks: IMPRINT,
    automatable: "mostly",
  },
];

const US: readonly Regulation[] = [
  {
    id: "us-ftc-act-5",
    jurisdiction: "US",
    title: "Unfair or deceptive acts or practices",
    citation: "15 U.S.C. § 45 (FTC Act section 5)",
    status: "in_force",
    applies_from: "1938-03-21",
    applies_when: { condition: "Commerce with consumers." },
    checks: ["no-cookie-stuffing", "affiliate-disclosure", "no-personal-data-in-pixels", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "us-ftc-endorsements",
    jurisdiction: "US",
    title: "Endorsement Guides",
    citation: "16 CFR part 255, as revised 26 July 2023",
    status: "guidance",
    applies_from: "2023-07-26",
    applies_when: { condition: "Endorsements with a material connection, such as paid links." },
    checks: ["affiliate-disclosure"],
    automatable: "mostly",
  },
  {
    id: "us-ftc-reviews",
    jurisdiction: "US",
    title: "Rule on consumer reviews and testimonials",
    citation: "16 CFR part 465",
    status: "in_force",
    applies_from: "2024-10-21",
    applies_when: { condition: "Reviews or testimonials are shown." },
    checks: [],
    automatable: "no",
  },
  {
    id: "us-ftc-fees",
    jurisdiction: "US",
    title: "Rule on unfair or deceptive fees",
    citation: "16 CFR part 464",
    status: "in_force",
    applies_from: "2025-05-12",
    applies_when: { sectors: ["travel"], condition: "Live-event tickets and short-term lodging." },
    checks: [],
    automatable: "no",
  },
  {
    id: "us-rosca",
    jurisdiction: "US",
    title: "Restore Online Shoppers' Confidence Act",
    citation: "15 U.S.C. §§ 8401–8405",
    status: "in_force",
    applies_from: "2010-12-29",
    applies_when: {
      sectors: ["retail", "software", "media", "health"],
      condition: "Goods or services are sold by a negative option, such as a subscription that renews.",
    },
    checks: ["renewal-terms", "cancellation-button", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "us-ftc-click-to-cancel",
    jurisdiction: "US",
    title: "Rule on recurring subscriptions (click to cancel)",
    citation:
      "16 CFR part 425 as amended at 89 FR 90476; vacated 8 July 2025, Custom Communications, Inc. v. FTC (8th Cir., No. 24-3137)",
    status: "vacated",
    applies_from: null,
    applied_until: "2025-07-08",
    applies_when: { condition: "Never applied in full; ROSCA and state law remain." },
    checks: [],
    automatable: "no",
  },
  {
    id: "us-coppa",
    jurisdiction: "US",
    title: "Children's Online Privacy Protection Act",
    citation: "15 U.S.C. §§ 6501–6506; 16 CFR part 312",
    status: "in_force",
    applies_from: "2000-04-21",
    applies_when: {
      sectors: ["children"],
      condition: "Directed to children under 13, or knowingly collecting from them.",
    },
    checks: ["privacy-policy", "no-trackers-before-consent", "children-policy"],
    automatable: "partly",
  },
  {
    id: "us-can-spam",
    jurisdiction: "US",
    title: "CAN-SPAM Act",
    citation: "15 U.S.C. §§ 7701–7713; 16 CFR part 316",
    status: "in_force",
    applies_from: "2004-01-01",
    applies_when: { condition: "Commercial e-mail is sent; the messages themselves are not seen here." },
    checks: ["spf", "dmarc"],
    automatable: "no",
  },
  {
    id: "us-ada-iii",
    jurisdiction: "US",
    title: "Americans with Disabilities Act, title III",
    citation: "42 U.S.C. §§ 12181–12189; 28 CFR part 36",
    status: "in_force",
    applies_from: "1992-01-26",
    applies_when: { condition: "Places of public accommodation; courts differ on websites without one." },
    checks: ["page-language", "image-alternatives", "form-labels", "page-title"],
    automatable: "partly",
  },
  {
    id: "us-ca-ccpa",
    jurisdiction: "US-CA",
    title: "California Consumer Privacy Act, as amended by the CPRA",
    citation: "Cal. Civ. Code §§ 1798.100–1798.199.100; 11 CCR § 7000 ff.",
    status: "in_force",
    applies_from: "2020-01-01",
    applies_when: {
      condition:
        "Business in California above the thresholds of § 1798.140(d); CPRA amendments since 1 January 2023.",
    },
    checks: ["privacy-policy", "do-not-sell"],
    automatable: "partly",
  },
  {
    id: "us-ca-oppa",
    jurisdiction: "US-CA",
    title: "California Online Privacy Protection Act",
    citation: "Cal. Bus. & Prof. Code §§ 22575–22579",
    status: "in_force",
    applies_from: "2004-07-01",
    applies_when: { condition: "Personally identifiable information of Californians is collected online." },
    checks: ["privacy-policy"],
    automatable: "mostly",
  },
  {
    id: "us-ca-arl",
    jurisdiction: "US-CA",
    title: "Automatic Renewal Law",
    citation: "Cal. Bus. & Prof. Code §§ 17600–17606, as amended by AB 2863 from 1 July 2025",
    status: "in_force",
    applies_from: "2010-12-01",
    applies_when: {
      sectors: ["retail", "software", "media", "health"],
      condition: "Renewing subscriptions are offered to consumers in California.",
    },
    checks: ["renewal-terms", "cancellation-button"],
    automatable: "partly",
  },
  {
    id: "us-ca-bot",
    jurisdiction: "US-CA",
    title: "Bolstering Online Transparency Act",
    citation: "Cal. Bus. & Prof. Code §§ 17940–17943",
    status: "in_force",
    applies_from: "2019-07-01",
    applies_when: { condition: "A bot is used to bring about a sale or a vote." },
    checks: ["ai-disclosure"],
    automatable: "partly",
  },
];

const UK_AND_OTHERS: readonly Regulation[] = [
  {
    id: "uk-gdpr",
    jurisdiction: "GB",
    title: "UK GDPR and Data Protection Act 2018",
    citation: "Retained Regulation (EU) 2016/679, articles 5, 6, 13 and 32; 2018 c. 12",
    status: "in_force",
    applies_from: "2020-12-31",
    applies_when: { condition: "Personal data of people in the UK are processed." },
    checks: ["privacy-policy", "https", "hsts", "no-personal-data-in-pixels", ...CONSENT],
    automatable: "partly",
  },
  {
    id: "uk-pecr",
    jurisdiction: "GB",
    title: "Privacy and Electronic Communications Regulations",
    citation: "SI 2003/2426, regulation 6",
    status: "in_force",
    applies_from: "2003-12-11",
    applies_when: { condition: "Storage on or access to the visitor's device, beyond the exceptions." },
    checks: [...CONSENT, "cookie-policy"],
    automatable: "mostly",
  },
  {
    id: "uk-dmcc-practices",
    jurisdiction: "GB",
    title: "Digital Markets, Competition and Consumers Act: unfair commercial practices",
    citation: "2024 c. 13, part 4 chapter 1 and schedule 20",
    status: "in_force",
    applies_from: "2025-04-06",
    applies_when: { condition: "Traders deal with consumers in the UK." },
    checks: ["affiliate-disclosure", "no-cookie-stuffing", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "uk-dmcc-subscriptions",
    jurisdiction: "GB",
    title: "Digital Markets, Competition and Consumers Act: subscription contracts",
    citation: "2024 c. 13, part 4 chapter 2",
    status: "not_in_force",
    applies_from: null,
    applies_when: {
      sectors: ["software", "media", "retail", "health"],
      condition: "Subscription contracts with consumers, from the day that regulations appoint.",
    },
    checks: ["renewal-terms", "cancellation-button"],
    automatable: "partly",
  },
  {
    id: "uk-ecommerce-6",
    jurisdiction: "GB",
    title: "Electronic Commerce Regulations: general information",
    citation: "SI 2002/2013, regulation 6",
    status: "in_force",
    applies_from: "2002-08-21",
    applies_when: { condition: "An information society service." },
    checks: ["imprint", "contact-email"],
    automatable: "mostly",
  },
  {
    id: "uk-ccr",
    jurisdiction: "GB",
    title: "Consumer Contracts Regulations",
    citation: "SI 2013/3134, regulations 13, 14 and 27 to 38",
    status: "in_force",
    applies_from: "2014-06-13",
    applies_when: {
      sectors: ["retail", "travel", "software", "platform"],
      condition: "Distance contracts with consumers.",
    },
    checks: ["terms", "withdrawal-information", "no-preselection"],
    automatable: "partly",
  },
  {
    id: "uk-equality",
    jurisdiction: "GB",
    title: "Equality Act: services for disabled people",
    citation: "2010 c. 15, sections 20 and 29",
    status: "in_force",
    applies_from: "2010-10-01",
    applies_when: { condition: "A service to the public." },
    checks: ["page-language", "image-alternatives", "form-labels", "page-title"],
    automatable: "partly",
  },
  {
    id: "ch-uwg-3",
    jurisdiction: "CH",
    title: "Identity and contact address in electronic commerce",
    citation: "UWG (SR 241), article 3(1)(s)",
    status: "in_force",
    applies_from: "2012-04-01",
    applies_when: {
      sectors: ["retail", "travel", "software", "platform"],
      condition: "Goods, works or services are offered by electronic commerce.",
    },
    checks: ["imprint", "contact-email"],
    automatable: "mostly",
  },
  {
    id: "ch-fadp",
    jurisdiction: "CH",
    title: "Federal Act on Data Protection",
    citation: "DSG (SR 235.1), articles 8 and 19",
    status: "in_force",
    applies_from: "2023-09-01",
    applies_when: { condition: "Personal data of people in Switzerland are processed." },
    checks: ["privacy-policy", "https"],
    automatable: "partly",
  },
];

export const REGULATIONS: readonly Regulation[] = [...EU, ...MEMBER_STATES, ...US, ...UK_AND_OTHERS];

/** Member states of the Union, ISO 3166-1 alpha-2. */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "),
);

/** Jurisdictions whose law a country's customers bring: the Union's for its members, the whole for a state. */
export const jurisdictionsOf = (country: string): Set<string> => {
  const code = country.toUpperCase() === "UK" ? "GB" : country.toUpperCase();
  const found = new Set([code]);
  if (EU_COUNTRIES.has(code)) found.add("EU");
  if (code.includes("-")) found.add(code.split("-")[0]!);
  if (code === "US") found.add("US-CA");
  return found;
};

export type Applies = "yes" | "depends" | "not_yet" | "no_longer" | "no";

/** Whether a regulation applies at a time, by what can be told from its date and sector; the condition stays to be judged. */
export const appliesTo = (regulation: Regulation, sector: Sector | undefined, today: string): Applies => {
  const { status, applies_from, applied_until, applies_when } = regulation;
  if (
    status === "vacated" ||
    status === "repealed" ||
    (applied_until !== undefined && applied_until <= today)
  )
    return "no_longer";
  if (status === "not_in_force" || applies_from === null || applies_from > today) return "not_yet";
  if (!applies_when.sectors) return "yes";
  if (sector === undefined) return "depends";
  return applies_when.sectors.includes(sector) ? "yes" : "no";
};

/** Those of a country (all without one) that concern a sector (any without one). */
export const regulationsFor = (country: string | undefined, sector: Sector | undefined): Regulation[] => {
  const jurisdictions = country === undefined ? undefined : jurisdictionsOf(country);
  return REGULATIONS.filter(
    ({ jurisdiction, applies_when }) =>
      (!jurisdictions || jurisdictions.has(jurisdiction)) &&
      (sector === undefined || !applies_when.sectors || applies_when.sectors.includes(sector)),
  );
};
