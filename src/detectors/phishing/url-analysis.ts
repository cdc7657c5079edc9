/**
 * Lexical analysis of a URL: its owner, and the features that distinguish phishing URLs. It fetches nothing. A single
 * feature decides only if legitimate URLs never have it.
 */
import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { parse } from "tldts";
import { readAddressModel, treeLogOdds } from "./address-model.ts";
import { BRANDS, type Brand } from "./brands.ts";
import { editDistance, skeleton } from "./confusables.ts";
import { embedsBrand, isHyphenated } from "./embedded-brand.ts";

export interface UrlSign {
  /** Stable name. */
  readonly id: string;
  /** What it adds to the log-odds of phishing. */
  readonly weight: number;
  readonly detail: string;
}

export interface UrlAnalysis {
  readonly href: string;
  readonly host: string;
  /** The registrable domain by the whole public suffix list, including its private part; null if there is none. */
  readonly registrableDomain: string | null;
  /** The same by the list's public part alone: the operator of the servers. */
  readonly operatorDomain: string | null;
  readonly unicodeHost: string;
  /** A brand that it names outside that brand's own domains. */
  readonly brand: string | null;
  readonly signs: readonly UrlSign[];
  /**
   * Probability of phishing, where one address of ten is; 0.5 and above deserves a warning. Calibrated by
   * `npm run train -- urls`.
   */
  readonly risk: number;
}

/** Risk at which an address is suspicious. */
export const URL_THRESHOLD = 0.5;

/** Free hosting with instant sign-up, besides the public suffix list's private part. */
const FREE_HOSTING = new Set(
  "weebly.com wixsite.com wixstudio.com webflow.io godaddysites.com square.site squarespace.com yolasite.com jimdosite.com jimdofree.com strikingly.com mystrikingly.com 000webhostapp.com 000webhost.com infinityfreeapp.com epizy.com rf.gd byethost.com blogspot.com wordpress.com tumblr.com webnode.page webnode.com ucraft.net carrd.co notion.site gitbook.io glitch.me repl.co replit.app replit.dev surge.sh render.com onrender.com herokuapp.com firebaseapp.com web.app appspot.com netlify.app vercel.app now.sh github.io gitlab.io pages.dev workers.dev r2.dev trycloudflare.com fly.dev railway.app ngrok.io ngrok-free.app ngrok.app duckdns.org no-ip.org ddns.net hopto.org zapto.org sytes.net serveo.net loca.lt myftp.org cloudns.nz azurewebsites.net azurefd.net windows.net cloudfront.net amplifyapp.com framer.website framer.app framer.ai typedream.app softr.app bubbleapps.io dorik.io contaboserver.net plesk.page lovable.app bolt.host edgeone.app ipfs.io dweb.link cf-ipfs.com fleek.co mybluehost.me hostingersite.com temporary.site webwave.dev sviluppo.host cprapid.com ghost.io teachable.com backblazeb2.com linodeobjects.com".split(
    " ",
  ),
);
/** Show the pages of other sites, whose names they write into their own, with hyphens. */
const MIRRORS = new Set(["translate.goog", "ampproject.org"]);
const isMirror = ({ operator }: Pick<Parts, "operator">): boolean => MIRRORS.has(operator ?? "");
/**
 * Not the list of address-features.ts, which is an input of fitted trees and changes with them alone; that one has t.me and wa.me too,
 * which lead to people and hide no address.
 */
const SHORTENERS = new Set(
  "bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly rb.gy s.id shorturl.at tiny.cc t.ly lnkd.in qrco.de q-r.to urlz.fr shorturl.asia u.to me2.do han.gl l.ead.me linktr.ee".split(
    " ",
  ),
);
/** Cheap suffixes that are overrepresented in phishing feeds (Interisle, Phishing Landscape 2024). */
const CHEAP_SUFFIXES = new Set(
  "tk ml ga cf gq top xyz icu cyou buzz cfd sbs click link live shop online site website store fun space club vip bond lol rest monster quest beauty hair skin makeup mom autos boats homes pics digital support help services work life world today cc pw ws su lat bid loan win date review stream download racing trade party science gdn zip mov app dev cam wang ink men".split(
    " ",
  ),
);
const BAIT =
  /(?:log-?in|sign-?in|log-?on|verif|secur|account|update|confirm|webscr|banking|wallet|recover|unlock|suspend|restrict|billing|invoice|payment|refund|password|passwd|authenticat|2fa|otp|kyc|airdrop|claim|bonus|gift-?card|giveaway|reward|helpdesk|support-?(?:id|team|case)|customer-?service|mailbox|webmail|owa|roundcube|quota|validate|validation|identity|connexion|acceso|ingres|anmeld|parcel|tracking|delivery|customs|redelivery|metamask|seed-?phrase|connect-?wallet|sso|id-?check)/g;
/** Folders without legitimate pages, and the least and most characters of a page name after them. */
const KIT_FOLDERS: readonly [folder: RegExp, end: RegExp, least: number, most: number][] = [
  [/(?<=\/)wp-(?:content|includes|admin)\//gi, /\.(?:php|html?)$/i, 0, 200],
  [/(?<=\/)wp-(?:content|includes|admin)\//gi, /\/(?:index|login)$/i, 0, 120],
  [/(?<=\/)\.well-known\/(?!acme|security|bridge|openid|apple|assetlinks)/gi, /$/, 1, 120],
  [/(?<=\/)cgi-bin\//gi, /$/, 1, 80],
  [
    /\//g,
    /\/(?:signin|login|logon|verify|verification|secure|account|update|webscr|next|step\d|auth)\.(?:php|html?|aspx?)$/i,
    0,
    120,
  ],
];
/** Shortest and longest match of folder, name and ending. */
const MIN_KIT_CHARS = 10;
const MAX_KIT_CHARS = 240;
/** The longest ending: `/verification.aspx`. */
const MAX_END_CHARS = 18;

/** Whether a path, or a part of it between `?`, ends in a page inside a folder without legitimate pages. */
export const isKitPath = (path: string): boolean =>
  path.split("?").some((part) => {
    if (part.length < MIN_KIT_CHARS || !part.includes("/")) return false;
    const tail = part.slice(-MAX_KIT_CHARS);
    return KIT_FOLDERS.some(([folder, end, least, most]) => {
      const to = tail.slice(-MAX_END_CHARS).search(end);
      if (to === -1) return false;
      const name = tail.slice(0, Math.max(0, tail.length - MAX_END_CHARS) + to);
      for (const { 0: found, index } of name.matchAll(folder)) {
        const between = name.length - index - found.length;
        if (between >= least && between <= most) return true;
      }
      return false;
    });
  });
const DOWNLOAD = /\.(?:exe|scr|apk|msi|bat|cmd|vbs|jar|iso|dll|ps1|hta|lnk)(?:$|\?)/i;
/** Brand names that are common words: they count only beside another feature. */
const COMMON_WORDS = new Set(
  "visa orange apple chase ing wise sky booking steam zoom amazon discord ledger ups bt att irs gls phantom slack stripe nationwide halifax hermes kraken robinhood uber yahoo ovh google github youtube twitter facebook instagram wordpress shopify samsung crypto blockchain".split(
    " ",
  ),
);

const entropy = (text: string): number => {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const n of counts.values()) bits -= (n / text.length) * Math.log2(n / text.length);
  return bits;
};

/** Runs of consonants, digits among letters: an unpronounceable, probably generated name. */
const looksRandom = (label: string): boolean => {
  if (label.length < 8 || label.startsWith("xn--")) return false;
  const letters = label.replace(/[^a-z]/g, "");
  const vowels = letters.replace(/[^aeiouy]/g, "").length;
  const switches = label.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0;
  if (switches >= 3 && label.length >= 10) return true;
  if (letters.length >= 9 && vowels / letters.length < 0.2) return true;
  return label.length >= 16 && !label.includes("-") && entropy(label) > 3.75 && switches >= 1;
};

interface Parts {
  url: URL;
  host: string;
  unicodeHost: string;
  registrable: string | null;
  operator: string | null;
  suffix: string;
  isPrivate: boolean;
  /** Labels before the operator's registrable domain. */
  below: string[];
  /** The registrable domain's own label. */
  own: string;
}

const partsOf = (url: URL): Parts => {
  const host = url.hostname.replace(/\.$/, "");
  const whole = parse(host, { allowPrivateDomains: true });
  const open = parse(host, { allowPrivateDomains: false });
  const registrable = whole.domain ?? (whole.isPrivate ? host : null);
  return {
    url,
    host,
    unicodeHost: domainToUnicode(host) || host,
    registrable,
    operator: open.domain,
    suffix: open.publicSuffix ?? "",
    isPrivate: whole.isPrivate === true,
    below: (open.subdomain ?? "").split(".").filter(Boolean),
    own: open.domainWithoutSuffix ?? "",
  };
};

const isFreeHosting = ({ operator, isPrivate, registrable }: Parts): boolean =>
  isPrivate ||
  (operator !== null && FREE_HOSTING.has(operator)) ||
  (registrable !== null && FREE_HOSTING.has(registrable));

/** The words of a host or a path, split at everything except letters and digits. */
const wordsOf = (text: string): string[] => text.split(/[^a-z0-9]+/).filter(Boolean);

interface BrandUse {
  brand: Brand;
  where: "domain" | "host" | "lookalike" | "misspelt" | "path";
}

/** Whether a domain is the brand's own; the brand's label below another country's suffix counts too. */
const isOwn = (brand: Brand, { registrable, operator, own, suffix, isPrivate }: Parts): boolean =>
  brand.domains.has(registrable ?? "") ||
  brand.domains.has(operator ?? "") ||
  (own === brand.name && !isPrivate && !CHEAP_SUFFIXES.has(suffix));

/** Names that are words of other trades, too. */
const isCommonWord = ({ name }: Brand): boolean => COMMON_WORDS.has(name) || name.length < 5;

/** A host without its public suffix. */
const beforeSuffix = ({ below, own }: Parts): string => [...below, own].join(".");

/** A whole domain of a brand before somebody else's: no honest site is named so. */
const domainUse = (parts: Parts): BrandUse | undefined => {
  const before = beforeSuffix(parts);
  const brand = BRANDS.find((one) => embedsBrand(before, one, isCommonWord(one)) && !isOwn(one, parts));
  return brand && { brand, where: "domain" };
};

const hostUse = (parts: Parts): BrandUse | undefined => {
  const plain = parts.host.toLowerCase();
  const words = [...parts.below, parts.own].flatMap(wordsOf);
  const seen = skeleton(parts.unicodeHost);
  const seenWords = wordsOf(seen);
  for (const brand of BRANDS) {
    if (isOwn(brand, parts)) continue;
    const { name } = brand;
    if (words.includes(name)) return { brand, where: "host" };
    if (name.length >= 6 && words.some((word) => word.length > name.length && word.includes(name)))
      return { brand, where: "host" };
    if (
      seen !== plain &&
      name.length >= 4 &&
      seenWords.some((word) => word === name || (name.length >= 6 && word.includes(name)))
    )
      return { brand, where: "lookalike" };
    if (name.length >= 6 && words.some((word) => isMisspelt(word, name))) return { brand, where: "misspelt" };
  }
  return undefined;
};

const isMisspelt = (word: string, name: string): boolean =>
  word !== name &&
  Math.abs(word.length - name.length) <= 1 &&
  word[0] === name[0] &&
  editDistance(word, name, 1) <= 1 &&
  // A plural is a word, not a misspelling.
  word !== `${name}s`;

const pathUse = (parts: Parts): BrandUse | undefined => {
  const words = new Set(wordsOf(`${parts.url.pathname} ${parts.url.search}`.slice(0, 500).toLowerCase()));
  for (const brand of BRANDS)
    if (
      brand.name.length >= 5 &&
      !COMMON_WORDS.has(brand.name) &&
      words.has(brand.name) &&
      !isOwn(brand, parts)
    )
      return { brand, where: "path" };
  return undefined;
};

const sign = (id: string, weight: number, detail: string): UrlSign => ({ id, weight, detail });

const hostSigns = (parts: Parts): UrlSign[] => {
  const { url, host, own, below, suffix, unicodeHost } = parts;
  const signs: UrlSign[] = [];
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare)) signs.push(sign("ip-host", 2.4, "an IP address in place of a name"));
  if (url.username !== "" || url.password !== "")
    signs.push(sign("credentials", 2.6, "a user name before @ disguises the real host"));
  if (url.port !== "") signs.push(sign("port", isIP(bare) ? 0.8 : 0.7, `an unusual port, ${url.port}`));
  if (isIP(bare) || isMirror(parts)) return signs;
  if (isFreeHosting(parts)) signs.push(sign("free-hosting", 1.5, "anyone can publish a page here for free"));
  else if (CHEAP_SUFFIXES.has(suffix)) signs.push(sign("cheap-suffix", 1.2, `under .${suffix}`));
  if (unicodeHost !== host) signs.push(sign("punycode", 0.9, `reads ${unicodeHost}`));
  const labels = [...below.filter((label) => label !== "www"), own];
  if (labels.some(looksRandom)) signs.push(sign("random-name", 1.3, "an unpronounceable name"));
  const hyphens =
    labels
      .join(".")
      .replace(/xn--\S*/g, "")
      .split("-").length - 1;
  if (hyphens >= 2)
    signs.push(sign("hyphens", Math.min(1.6, 0.5 * hyphens), `${hyphens} hyphens in the host`));
  if (below.length >= 3)
    signs.push(sign("many-labels", 0.5 * (below.length - 2), `${below.length} labels before the domain`));
  const digits = labels.join("").replace(/\D/g, "").length;
  if (digits >= 4) signs.push(sign("digits", 0.7, `${digits} digits in the host`));
  if (labels.join(".").length > 40) signs.push(sign("long-host", 0.7, "a long host"));
  if (below.some((label) => /^(?:com|net|org|gov|www\d?|https?|paypal|co)$/.test(label) && label !== "www"))
    signs.push(sign("suffix-inside", 1.4, "a public suffix in the middle of the host"));
  return signs;
};

const pathSigns = (parts: Parts): UrlSign[] => {
  const { url, host } = parts;
  const signs: UrlSign[] = [];
  const path = `${url.pathname}${url.search}`;
  const inHost = new Set(host.match(BAIT) ?? []).size;
  if (inHost > 0) signs.push(sign("bait-in-host", Math.min(2.4, 1.3 * inHost), "bait words in the host"));
  const inPath = new Set(path.toLowerCase().slice(0, 500).match(BAIT) ?? []).size;
  if (inPath > 0) signs.push(sign("bait-in-path", Math.min(1.2, 0.5 * inPath), "bait words in the path"));
  if (isKitPath(path)) signs.push(sign("kit-path", 1.6, "a page inside a folder without legitimate pages"));
  if (DOWNLOAD.test(path)) signs.push(sign("download", 0.9, "a download of an executable"));
  if (/(?:^|[/=])https?:?\/{1,2}|%3a%2f%2f/i.test(path))
    signs.push(sign("url-inside", 0.4, "another address inside"));
  if (/[?&#/=][\w.+-]+(?:@|%40)[\w-]+\.[a-z]{2,}/i.test(path + url.hash))
    signs.push(sign("mail-inside", 1.6, "a mail address inside"));
  if (url.protocol === "http:") signs.push(sign("no-tls", 0.6, "no TLS"));
  if (/[0-9a-f]{24,}/i.test(url.pathname)) signs.push(sign("hex-path", 0.5, "a long number in the path"));
  if (/\/~\w/.test(url.pathname)) signs.push(sign("home-folder", 0.8, "a user's own folder"));
  if (/%(?:0[0-9a-f]|1[0-9a-f]|e2%80)/i.test(path))
    signs.push(sign("odd-escapes", 0.8, "control characters"));
  if (path.length > 150) signs.push(sign("long-path", 0.3, "a long path"));
  return signs;
};

const BRAND_WEIGHTS: Record<BrandUse["where"], number> = {
  domain: 3.8,
  host: 2.4,
  lookalike: 3.2,
  misspelt: 2.8,
  path: 1.2,
};
const BRAND_WORDS: Record<BrandUse["where"], string> = {
  domain: "as a whole domain before somebody else's",
  host: "in the host, outside its own domains",
  lookalike: "spelled with lookalike letters",
  misspelt: "misspelled by one letter",
  path: "in the path, outside its own domains",
};

const SHORT = 1.0;

interface Ruled {
  signs: UrlSign[];
  brand: string | null;
}

/** What the rules alone say: signs, each with its weight among rules. */
const ruledSigns = (parts: Parts): Ruled => {
  const signs = [...hostSigns(parts), ...pathSigns(parts)];
  const use = isMirror(parts) ? undefined : (domainUse(parts) ?? hostUse(parts) ?? pathUse(parts));
  const owner = BRANDS.some(
    (brand) =>
      brand.domains.has(parts.registrable ?? "") ||
      (!parts.isPrivate && brand.domains.has(parts.operator ?? "")),
  );
  if (use) {
    const isWord =
      use.where === "host" && isCommonWord(use.brand) && !isHyphenated(beforeSuffix(parts), use.brand);
    const weight = BRAND_WEIGHTS[use.where] * (isWord ? 0.6 : 1);
    signs.push(sign(`brand-${use.where}`, weight, `"${use.brand.name}" ${BRAND_WORDS[use.where]}`));
  }
  if (SHORTENERS.has(parts.registrable ?? "") || SHORTENERS.has(parts.operator ?? ""))
    signs.push(sign("shortener", SHORT, "a URL shortener hides the destination"));
  if (owner && !isFreeHosting(parts)) signs.push(sign("known-owner", -3, "a domain of the brand's owner"));
  return { signs, brand: use?.brand.name ?? null };
};

const webAddress = (address: string | URL): URL | undefined => {
  const url = address instanceof URL ? address : URL.parse(address);
  const isWeb = url && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
  return isWeb ? url : undefined;
};

/** What the weights of all signs by rules add up to; for training. @param url of http or https */
export const ruleWeight = (url: URL): number =>
  ruledSigns(partsOf(url)).signs.reduce((sum, { weight }) => sum + weight, 0);

/** The trees' part of the logit that is worth a sign of its own. */
const TELLING = 1;

/** @returns undefined if it is not an http or https address */
export const analyzeUrl = (address: string | URL): UrlAnalysis | undefined => {
  const url = webAddress(address);
  if (!url) return undefined;
  const parts = partsOf(url);
  const ruled = ruledSigns(parts);
  const model = readAddressModel();
  const { bias, rules, trees } = model.calibration;
  const learned = isMirror(parts) ? 0 : trees * treeLogOdds(model, url);
  const signs = ruled.signs.map((one) => ({ ...one, weight: rules * one.weight }));
  const logit = signs.reduce((sum, { weight }) => sum + weight, bias + learned);
  if (learned >= TELLING) signs.push(sign("learned", learned, "built as addresses of phishing are"));
  return {
    href: url.href,
    host: parts.host,
    registrableDomain: parts.registrable,
    operatorDomain: parts.operator,
    unicodeHost: parts.unicodeHost,
    brand: ruled.brand,
    signs,
    risk: 1 / (1 + Math.exp(-logit)),
  };
};
