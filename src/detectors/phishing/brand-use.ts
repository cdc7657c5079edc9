/** Brands that an address names outside their own domains, and how. */

import { BRANDS, type Brand } from "../../domain/names/brands.ts";
import { beforeSuffix, type Parts, wordsOf } from "./address-parts.ts";
import { baitIn } from "./bait.ts";
import { skeleton } from "./confusables.ts";
import { embedsBrand, isHyphenated } from "./embedded-brand.ts";
import { folderBrand } from "./folder-brand.ts";
import { CHEAP_SUFFIXES } from "./hosting.ts";
import { looksLike, type Slip, type SuspectWord, slipOf, suspectOf } from "./misspelling.ts";
import { type UrlSign, urlSign } from "./url-sign.ts";

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
/** A segment of as many words is a title. */
const LEAST_PROSE_WORDS = 4;
/** What is written around a name without a hyphen: `mypaypa1`, `netflxlogin`. */
const AFFIXES =
  "www my the get app web online login signin secure security verify account support service help update confirm billing payment pay bank wallet mail team info center portal customer client alert auth unlock claim refund bonus rewards track tracking parcel delivery com net org id us uk eu".split(
    " ",
  );

type Where = "domain" | "host" | "lookalike" | "misspelt" | "folder" | "path";

interface BrandUse {
  readonly brand: Brand;
  readonly where: Where;
  readonly weight: number;
}

/** Among rules; a misspelling's is `slipWeight`. */
/** A brand's name with words that lure says more than both apart (Kintis and others, "Hiding in Plain Sight", 2017). */
const WEIGHTS = {
  domain: 3.8,
  host: 2.4,
  hyphenated: 3,
  lured: 0.8,
  lookalike: 3.6,
  hyphen: 2.4,
  folder: 2.4,
  domainFolder: 3.2,
  path: 1.2,
  prose: 0.4,
};
/** A brand whose name is a word: a part of what the name alone weighs. */
const WORD_SHARE = 0.6;

const MOST_SLIP = 3.8;

const DETAILS: Record<Where, string> = {
  domain: "as a whole domain before somebody else's",
  host: "in the host, outside its own domains",
  lookalike: "spelled with lookalike letters",
  misspelt: "misspelled",
  folder: "as a folder of somebody else's site, with a page for visitors in it",
  path: "in the path, outside its own domains",
};

interface HostWords {
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
export const isBrandOwners = ({ registrable, operator, isPrivate }: Parts): boolean =>
  BRANDS.some(({ domains }) => domains.has(registrable ?? "") || (!isPrivate && domains.has(operator ?? "")));

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
  return { brand: brand.name, sign: urlSign(`brand-${where}`, weight, `"${brand.name}" ${DETAILS[where]}`) };
}

/** A whole domain of a brand before somebody else's: no honest site is named so. */
function domainUse(parts: Parts): BrandUse | undefined {
  const before = beforeSuffix(parts);
  const brand = BRANDS.find((one) => embedsBrand(before, one, isCommonWord(one)) && !isOwn(one, parts));
  return brand && { brand, where: "domain", weight: WEIGHTS.domain };
}

/** Names that are words of other trades, too. */
const isCommonWord = ({ name }: Brand): boolean => COMMON_WORDS.has(name) || name.length < 5;

/** Whether a domain is the brand's own; the brand's label below another country's suffix counts too. */
const isOwn = (brand: Brand, { registrable, operator, own, suffix, isPrivate }: Parts): boolean =>
  brand.domains.has(registrable ?? "") ||
  brand.domains.has(operator ?? "") ||
  (own === brand.name && !isPrivate && !CHEAP_SUFFIXES.has(suffix));

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
  return { words, seen, joined, cores, suspects: suspects.map(suspectOf) };
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
  const holds = (word: string): boolean =>
    word === name || (name.length >= LEAST_INSIDE && word.length > name.length && word.includes(name));
  const isHeld = host.words.some(holds);
  if (isHeld || (name.length >= LEAST_CORE && host.cores.has(name))) {
    const isDomain = isHeld && isHyphenated(before, brand);
    const share = isHeld && !isCommonWord(brand) ? 1 : WORD_SHARE;
    const lured = baitIn(before.replaceAll(name, "")) > 0 ? WEIGHTS.lured : 0;
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
  if (slip === "omitted") return 1.4;
  if (slip === "doubled" || slip === "exchanged") return length < 6 ? 2.6 : length < 9 ? 3.4 : MOST_SLIP;
  const [least, from] = slip === "two" ? [2.6, 9] : [2.2, 6];
  return Math.min(MOST_SLIP, least + 0.4 * (length - from));
}

/** A brand's name as a word of the path; in a title of an article, it is what the article is about. */
function pathUse(parts: Parts): BrandUse | undefined {
  const { pathname, search } = parts.url;
  const found = folderBrand(pathname.slice(0, MAX_PATH_CHARS).toLowerCase(), search, NAMES);
  const folder = found && BRANDS.find(({ name }) => name === found.name);
  if (folder && !isOwn(folder, parts)) {
    const weight = found.isDomain ? WEIGHTS.domainFolder : WEIGHTS.folder;
    return { brand: folder, where: "folder", weight };
  }
  const segments = `${pathname} ${search}`.slice(0, MAX_PATH_CHARS).toLowerCase().split("/").map(wordsOf);
  for (const brand of BRANDS) {
    if (brand.name.length < LEAST_IN_PATH || COMMON_WORDS.has(brand.name)) continue;
    const segment = segments.find((words) => words.includes(brand.name));
    if (!segment || isOwn(brand, parts)) continue;
    return {
      brand,
      where: "path",
      weight: segment.length >= LEAST_PROSE_WORDS ? WEIGHTS.prose : WEIGHTS.path,
    };
  }
  return undefined;
}
