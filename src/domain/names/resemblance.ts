/**
 * Names and hosts that are spelled to look like others: words of Latin and lookalike letters together (mixed-script
 * confusables of Unicode Technical Standard #39 section 4), and words of another script that look like a brand's name
 * (whole-script confusables). Names of any one script are what they are. Pure, linear.
 */
import { domainToUnicode } from "node:url";
import { BRANDS } from "./brands.ts";
import { parseHost, registrableDomain } from "./domain-name.ts";
import { latinOf } from "./lookalike-letters.ts";

export interface Resemblance {
  /** As it is written. */
  word: string;
  /** What it looks like, in Latin letters. */
  looksLike: string;
  /** Of a brand: its domain; of letters that no one script has: null. */
  brand: string | null;
}

const MAX_CHARS = 1_024;
/** Two letters are an abbreviation or a sign. */
const LEAST_LETTERS = 3;
/** Shorter names of brands are words of other languages, too. */
const LEAST_BRAND = 4;
/** Of a name without a word of Latin letters: shorter ones are honest words of other languages. */
const LEAST_NAME = 5;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Greek letters stand alone as signs in honest Latin names (Ωmega, αlpha): they count where a brand is meant. */
const MIXED = /[\p{Script=Cyrillic}\p{Script=Armenian}]/u;
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Greek}]/u;
const ALL_LATIN = /^[\p{Script=Latin}\p{M}\p{N}]+$/u;

const BRAND_DOMAINS = new Map(
  BRANDS.filter(({ name }) => name.length >= LEAST_BRAND).map(({ name, domains }) => [name, domains]),
);

/** The first label of a canonical host that is spelled to look like another. */
export const confusableHost = (host: string): Resemblance | undefined =>
  host.includes("xn--") ? confusableName(domainToUnicode(host), host) : undefined;

/** The host in Latin letters that a canonical host of another script looks like, whoever has it. */
export function lookalikeOf(host: string): string | undefined {
  if (!host.includes("xn--")) return undefined;
  const seen = parseHost(latinOf(domainToUnicode(host)));
  return seen.ok && seen.host !== host && !seen.host.includes("xn--") ? seen.host : undefined;
}

/**
 * The hosts in Latin letters, whoever has them, that a name of another script alone would stand for: its words as one label,
 * below the suffix of the name's own host and below com. Four at most.
 * @param host canonical, whose name it is
 */
export function namesakesOf(name: string, host: string): string[] {
  const words = name.slice(0, MAX_CHARS).normalize("NFC").match(WORDS) ?? [];
  const written = words.join("");
  if (LATIN.test(written) || !FOREIGN.test(written) || written.length < LEAST_NAME) return [];
  const own = registrableDomain(host);
  const suffixes = new Set([own.slice(own.indexOf(".") + 1), "com"]);
  const labels = new Set(["", "-"].map((between) => latinOf(words.join(between))));
  return [...labels].flatMap((label) =>
    [...suffixes].flatMap((suffix) => {
      const seen = parseHost(`${label}.${suffix}`);
      return seen.ok && !seen.host.includes("xn--") && registrableDomain(seen.host) !== own
        ? [seen.host]
        : [];
    }),
  );
}

/** The first word of a site's name that is spelled to look like another. @param host canonical, whose name it is */
export function confusableName(name: string, host: string): Resemblance | undefined {
  for (const [word] of name.slice(0, MAX_CHARS).normalize("NFC").matchAll(WORDS)) {
    const found = resemblanceOf(word, host);
    if (found) return found;
  }
  return undefined;
}

function resemblanceOf(word: string, host: string): Resemblance | undefined {
  if (!FOREIGN.test(word)) return undefined;
  const seen = latinOf(word);
  if (!ALL_LATIN.test(seen)) return undefined;
  const domains = BRAND_DOMAINS.get(seen.toLowerCase());
  if (domains?.has(registrableDomain(host))) return undefined;
  const [brand] = domains ?? [];
  const isMixed = LATIN.test(word) && MIXED.test(word) && seen.length >= LEAST_LETTERS;
  return brand !== undefined || isMixed ? { word, looksLike: seen, brand: brand ?? null } : undefined;
}
