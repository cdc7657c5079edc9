/** Brands that an address names outside their own domains, and how. */
import { parse } from "tldts";
import { BRANDS, type Brand } from "../../domain/names/brands.ts";
import {
  baitIn,
  beforeSuffix,
  isCheap,
  isContentHost,
  type Parts,
  type UrlSign,
  urlSign,
  wordsOf,
} from "./address.ts";
import { looksLike, type Slip, type SuspectWord, skeleton, slipOf, suspectOf } from "./lookalikes.ts";

/** Brand names that are common words: they count only beside another feature. */
const COMMON_WORDS = new Set(
  "visa orange apple chase ing wise sky booking steam zoom amazon discord ledger ups bt att irs gls phantom slack stripe nationwide halifax hermes kraken robinhood uber yahoo ovh google github youtube twitter facebook instagram wordpress shopify samsung crypto blockchain".split(
    " ",
  ),
);
const NAMES: ReadonlyMap<string, SuspectWord> = new Map(BRANDS.map(({ name }) => [name, suspectOf(name)]));
/** Shorter names are found as whole words only. */
const LEAST_INSIDE = 6;
const LEAST_CORE = 4;
const LEAST_IN_PATH = 5;
const MAX_PATH_CHARS = 500;
const PAGE = /\.(?:php\d?|aspx?|jsp|cgi|html?)$/;
/** A segment of as many words is a title. */
const LEAST_PROSE_WORDS = 4;
/** What is written around a name without a hyphen: `mypaypa1`, `netflxlogin`. */
const AFFIXES =
  "www my the get app web online login signin secure security verify account support service help update confirm billing payment pay bank wallet mail team info center portal customer client alert auth unlock claim refund bonus rewards track tracking parcel delivery com net org id us uk eu".split(
    " ",
  );

/** Shorter domains, with hyphens, are letters of other names: `x-com`, `t-me`. */
const LEAST_HYPHENATED = 7;

/** Of a country, or an old general one. */
const COUNTRY_SUFFIX = /(?:^|\.)(?:[a-z]{2}|com|net|org)$/;

type Where = "domain" | "host" | "lookalike" | "misspelt" | "path";

interface BrandUse {
  readonly brand: Brand;
  readonly where: Where;
  readonly weight: number;
}

/**
 * Log-odds of phishing that they add to those of the trees; a misspelling's is `slipWeight`. A brand's name with words that lure says more than
 * both apart (Kintis and others, "Hiding in Plain Sight", 2017).
 */
const WEIGHTS = {
  domain: 6,
  host: 3.8,
  hyphenated: 4.8,
  lured: 1.3,
  lookalike: 5.8,
  hyphen: 3.8,
  path: 2.4,
};
/** A brand whose name is a word: a part of what the name alone weighs. */
const WORD_SHARE = 0.6;
const MOST_SLIP = 6;

const DETAILS: Record<Where, string> = {
  domain: "as a whole domain before somebody else's",
  host: "in the host, outside its own domains",
  lookalike: "spelled with lookalike letters",
  misspelt: "misspelled",
  path: "in the path of somebody else's site, with a page for visitors below it",
};

interface HostWords {
  /** The registrable domain's own label. */
  own: string;
  /** As they stand there. */
  words: readonly string[];
  /** As they look, where that is otherwise than they are written; else the same. */
  seen: readonly string[];
  /** Words that are no words of a language and no brand's name, with affixes and without them. */
  suspects: readonly SuspectWord[];
  /** Neighbors of one label, joined without their hyphens. */
  joined: readonly string[];
  /** What remains of words without affixes. */
  cores: ReadonlySet<string>;
}

/** Whether a host is a domain of any brand's owner. */
export function isBrandOwners(parts: Parts): boolean {
  const own = [parts.registrable, parts.isPrivate && !isContentHost(parts) ? null : parts.operator];
  return BRANDS.some(({ domains }) => own.some((name) => name !== null && domains.has(name)));
}

/**
 * The most telling use of a brand.
 * @param ordinary words of languages that are near brands' names
 */
export function brandSign(
  parts: Parts,
  ordinary: ReadonlySet<string>,
): { brand: string; sign: UrlSign } | undefined {
  const use = domainUse(parts) ?? hostUse(parts, ordinary) ?? pathUse(parts);
  if (!use) return undefined;
  const { brand, where, weight } = use;
  return {
    brand: brand.name,
    sign: urlSign(`brand-${where}`, weight, `the name "${brand.name}" ${DETAILS[where]}`),
  };
}

/** A whole domain of a brand before somebody else's: no honest site is named so. */
function domainUse(parts: Parts): BrandUse | undefined {
  const before = beforeSuffix(parts);
  const brand = BRANDS.find((one) => embedsBrand(before, one, isCommonWord(one)) && !isOwn(one, parts));
  return brand && { brand, where: "domain", weight: WEIGHTS.domain };
}

/** Names that are words of other trades, too. */
const isCommonWord = ({ name }: Brand): boolean => COMMON_WORDS.has(name) || name.length < 5;

/** Whether a domain is the brand's own; the brand's label below another country's suffix counts too, unless anybody gets it for little. */
const isOwn = (brand: Brand, parts: Parts): boolean =>
  brand.domains.has(parts.registrable ?? "") ||
  brand.domains.has(parts.operator ?? "") ||
  (parts.own === brand.name && !parts.isPrivate && COUNTRY_SUFFIX.test(parts.suffix) && !isCheap(parts));

function hostUse(parts: Parts, ordinary: ReadonlySet<string>): BrandUse | undefined {
  const host = hostWords(parts, ordinary);
  const before = beforeSuffix(parts);
  let best: BrandUse | undefined;
  for (const brand of BRANDS) {
    const use = useOf(brand, host, before);
    if (use && use.weight > (best?.weight ?? 0) && !isOwn(brand, parts)) best = use;
  }
  return best;
}

function hostWords(parts: Parts, ordinary: ReadonlySet<string>): HostWords {
  const labels = [...parts.below, parts.own];
  const words = labels.flatMap(wordsOf);
  const skeletons = labelsSeen(parts).flatMap(wordsOf);
  const seen = skeletons.join(" ") === words.join(" ") ? words : skeletons;
  const joined = labels.flatMap((label) => {
    const own = wordsOf(label);
    return own.slice(1).flatMap((_, i) => [own.slice(i, i + 2).join(""), own.slice(i, i + 3).join("")]);
  });
  const both = new Set([...words, ...seen].flatMap((word) => [word, bare(word)]));
  const suspects = [...both].filter((word) => !ordinary.has(word) && !NAMES.has(word));
  const cores = new Set(words.map(bare).filter((core) => !words.includes(core)));
  return { own: parts.own, words, seen, joined, cores, suspects: suspects.map(suspectOf) };
}

/** The labels before the public suffix, as they look. */
const labelsSeen = ({ below, own, unicodeHost }: Parts): string[] =>
  skeleton(unicodeHost)
    .split(".")
    .slice(0, below.length + (own === "" ? 0 : 1));

/** A word without one affix before it, and one after it. */
function bare(word: string): string {
  const before = AFFIXES.find((affix) => word.startsWith(affix) && word.length > affix.length + 3) ?? "";
  const rest = word.slice(before.length);
  const after = AFFIXES.find((affix) => rest.endsWith(affix) && rest.length > affix.length + 3) ?? "";
  return rest.slice(0, rest.length - after.length);
}

/** How one brand is named in a host, if that is not its own. */
function useOf(brand: Brand, host: HostWords, before: string): BrandUse | undefined {
  const { name } = brand;
  const use = (where: Where, weight: number): BrandUse => ({ brand, where, weight });
  // Its whole name, where anybody gets it.
  if (host.own === name && !isCommonWord(brand)) return use("host", WEIGHTS.domain);
  const holds = (word: string): boolean =>
    word === name || (name.length >= LEAST_INSIDE && word.length > name.length && word.includes(name));
  const isHeld = host.words.some(holds);
  if (isHeld || (name.length >= LEAST_CORE && host.cores.has(name))) {
    const isDomain = isHeld && isHyphenated(before, brand);
    const lured = baitIn(before.replaceAll(name, "")) > 0 ? WEIGHTS.lured : 0;
    const isWord = !isHeld || isCommonWord(brand);
    // A brand whose name is a word is meant where something lures beside it.
    const share = !isWord ? 1 : lured > 0 ? WORD_SHARE : 0;
    return use("host", (isDomain ? WEIGHTS.hyphenated : WEIGHTS.host * share) + lured);
  }
  if (host.seen !== host.words && name.length >= 4 && host.seen.some(holds))
    return use("lookalike", WEIGHTS.lookalike);
  if (host.suspects.some((suspect) => looksLike(suspect, NAMES.get(name)!)))
    return use("lookalike", WEIGHTS.lookalike);
  for (const { word } of host.suspects) {
    const slip = slipOf(word, name);
    if (slip) return use("misspelt", slipWeight(slip, name));
  }
  const isJoined = name.length >= LEAST_INSIDE && !isCommonWord(brand) && host.joined.includes(name);
  return isJoined ? use("misspelt", WEIGHTS.hyphen) : undefined;
}

/** The longer the name and the rarer the slip makes words, the more it says. */
function slipWeight(slip: Slip, { length }: string): number {
  // A quarter of what is left of names of five letters are words: it counts beside another sign only.
  if (slip === "omitted") return 2.2;
  if (slip === "doubled" || slip === "exchanged") return length < 6 ? 4.2 : length < 9 ? 5.4 : MOST_SLIP;
  const [least, from] = slip === "two" ? [4.2, 9] : [3.5, 6];
  return Math.min(MOST_SLIP, least + 0.6 * (length - from));
}

/** A brand's name as a word of the path, where a page of a program or words that lure follow; in a title it is what the article is about. */
function pathUse(parts: Parts): BrandUse | undefined {
  const path = parts.url.pathname.slice(0, MAX_PATH_CHARS).toLowerCase();
  const segments = path.split("/");
  for (const brand of BRANDS) {
    if (brand.name.length < LEAST_IN_PATH || COMMON_WORDS.has(brand.name)) continue;
    const at = segments.findIndex((segment) => {
      const words = wordsOf(segment);
      return words.length < LEAST_PROSE_WORDS && words.includes(brand.name);
    });
    if (at === -1 || isOwn(brand, parts)) continue;
    const after = segments.slice(at).join("/").replaceAll(brand.name, "");
    if (PAGE.test(path) || baitIn(after) > 0) return { brand, where: "path", weight: WEIGHTS.path };
  }
  return undefined;
}

/** Whether a brand's domain is there with hyphens for points, as in `www-amazon-de.example.com`. */
const isHyphenated = (before: string, { domains }: Brand): boolean =>
  [...domains].some((domain) => {
    if (domain.length < LEAST_HYPHENATED || !domain.includes(".")) return false;
    const name = domain.replaceAll(".", "-");
    return placeOf(before, name) !== -1 || before === name || before.endsWith(`.${name}`);
  });

/** Where a name stands as whole words, followed by more of the host; -1 where it does not. */
function placeOf(host: string, name: string, from = 0): number {
  for (let at = host.indexOf(name, from); at !== -1; at = host.indexOf(name, at + 1))
    if ((at === 0 || isBoundary(host[at - 1])) && isBoundary(host[at + name.length])) return at;
  return -1;
}

const isBoundary = (char: string | undefined): boolean => char === "." || char === "-";

/**
 * Whether what stands before a host's public suffix holds a whole domain of the brand, more following it.
 * @param before the host without its public suffix
 * @param isCommonWord the brand's name is a word as well: only its known domains count
 */
function embedsBrand(before: string, brand: Brand, isCommonWord: boolean): boolean {
  if (!before.includes(".")) return false;
  for (const domain of brand.domains) if (domain.includes(".") && placeOf(before, domain) !== -1) return true;
  return !isCommonWord && hasSuffixAfter(before, brand.name);
}

/** A name with a public suffix after it, as `paypal.pl` in `paypal.pl.example.com`. */
function hasSuffixAfter(host: string, name: string): boolean {
  for (let at = placeOf(host, name); at !== -1; at = placeOf(host, name, at + 1)) {
    if (host[at + name.length] !== ".") continue;
    const [first = "", second = ""] = host.slice(at + name.length + 1).split(/[.-]/, 2);
    if ([first, `${first}.${second}`].some(isCountrySuffix)) return true;
  }
  return false;
}

/** Whether a brand could have its domain below it: a public suffix of a country, or an old general one. */
function isCountrySuffix(suffix: string): boolean {
  if (!COUNTRY_SUFFIX.test(suffix)) return false;
  const { isIcann, publicSuffix } = parse(`a.${suffix}`, { allowPrivateDomains: false });
  return isIcann === true && publicSuffix === suffix;
}
