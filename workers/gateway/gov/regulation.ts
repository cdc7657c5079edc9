/** A regulation that applies to websites, as the catalogue states it. */

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
  "education",
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
    /** Sectors of which it binds some sites, by the condition. */
    someOf?: readonly Sector[];
    condition: string;
    /** A part of the condition that no website shows. */
    unseen?: string;
  };
  checks: readonly string[];
  /** How much of it the website alone shows. */
  automatable: "mostly" | "partly" | "no";
}

/** Controls that several regulations rest on. */
export const CONSENT_CHECKS = [
  "no-trackers-before-consent",
  "no-marketing-cookies-before-consent",
  "consent-parity",
];
export const ACCESS_CHECKS = [
  "accessibility-statement",
  "page-language",
  "image-alternatives",
  "form-labels",
  "page-title",
];
export const IMPRINT_CHECKS = ["imprint", "contact-email", "contact-second-way"];
