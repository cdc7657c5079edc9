/**
 * The committed trees that judge addresses (models/urls), and what they are asked: 83 numbers of an address's text alone, in
 * linear time. They are those of fraudurl 1.0.1 (MIT), whose trees these are, so names, words and counts follow it.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { parse } from "tldts";
import { type BoostedTrees, logOddsOf } from "../../classifiers/boosted-trees.ts";
import { MODELS } from "../../classifiers/model-card.ts";
import { MESSENGER_LINKS, SHORTENERS } from "./address.ts";
import { editDistance, skeleton } from "./lookalikes.ts";

/** Characters of an address that are read; what follows is not. */
const MAX_CHARS = 2_048;
/** The longest name of DNS (RFC 1035, section 2.3.4). */
const MAX_HOST_CHARS = 253;

const BRANDS =
  "paypal apple icloud itunes microsoft office365 office outlook hotmail live onedrive sharepoint google gmail youtube amazon aws prime facebook instagram whatsapp meta messenger linkedin netflix spotify twitter telegram discord steam steamcommunity roblox epicgames dhl fedex ups usps royalmail evri correos laposte postnl auspost canadapost chase wellsfargo bankofamerica citibank citi hsbc barclays lloyds natwest santander ing rabobank abnamro bnpparibas societegenerale creditagricole deutschebank sparkasse commbank westpac anz nab scotiabank rbc tdbank bmo capitalone americanexpress amex visa mastercard discover coinbase binance kraken metamask blockchain ledger trezor opensea uniswap walmart ebay alibaba aliexpress adobe dropbox docusign wetransfer yahoo aol att verizon xfinity comcast tmobile vodafone orange swisscom booking airbnb irs hmrc govuk mygov bradesco itau caixa bancodobrasil nubank mercadolibre mercadopago sbi hdfc icici paytm phonepe allegro olx".split(
    " ",
  );
const BRAND_SET = new Set(BRANDS);
const LONG_BRANDS = BRANDS.filter(({ length }) => length >= 5);
const SUSPICIOUS = new Set(
  "login logon signin signon verify verification validate account accounts update secure security banking confirm password passwd credential wallet recover recovery unlock suspend suspended locked billing invoice payment pay support service alert webscr cmd auth authenticate session limited restore reactivate customer helpdesk bonus gift prize winner claim refund tax delivery parcel package track tracking shipment webmail mail admin portal token seed airdrop giveaway free promo reward redeem kyc 2fa otp".split(
    " ",
  ),
);
const SUSPICIOUS_INSIDE = ["login", "signin", "verify", "secure", "account", "update"];

const USER_CONTENT = new Set(
  "sites.google.com docs.google.com drive.google.com forms.gle storage.googleapis.com firebasestorage.googleapis.com ipfs.io dweb.link cloudflare-ipfs.com gateway.pinata.cloud onedrive.live.com 1drv.ms dropbox.com dl.dropboxusercontent.com wetransfer.com notion.site notion.so canva.com webflow.io weebly.com wixsite.com wix.com square.site mystrikingly.com godaddysites.com jimdosite.com yolasite.com 000webhostapp.com blogspot.com wordpress.com tumblr.com medium.com s3.amazonaws.com amazonaws.com azurewebsites.net blob.core.windows.net github.io gitlab.io pages.dev workers.dev r2.dev netlify.app vercel.app herokuapp.com glitch.me replit.app repl.co ngrok.io ngrok-free.app ngrok.app trycloudflare.com duckdns.org formstack.com typeform.com jotform.com surveymonkey.com".split(
    " ",
  ),
);
const RISKY_ENDINGS = new Set(
  "exe scr zip rar 7z apk msi bat cmd js jar vbs iso img dll ps1 lnk hta".split(" "),
);
const SERVER_ENDINGS = new Set("php asp aspx jsp cgi pl".split(" "));
const PAGE_ENDINGS = new Set("html htm shtml xhtml".split(" "));
const REDIRECTS = new Set(
  "url redirect redirect_uri redir next goto dest destination continue return returnurl target link u r".split(
    " ",
  ),
);
const PUBLIC_BODIES = new Set("gov edu mil gob gouv govt go ac gv nic".split(" "));
/**
 * The most that the suffix of a hosting service speaks for phishing, log-odds. Feeds know vercel.app and the like by phishing alone; a
 * tenth of the honest links of agent-ready sites below them would be warned of.
 */
const MOST_OF_HOSTING = 1;
/** Digits that stand for letters, as `skeleton` has them, less what it reads as pairs of letters. */
const FOLDED: Record<string, string> = { 0: "o", 1: "l", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b" };

interface Address {
  /** As a browser asks for it, without fragment. */
  text: string;
  url: URL;
  /** As it is written in the address: with user name and port. */
  authority: string;
  host: string;
  below: string;
  registrable: string;
  /** The public suffix, the list's private part included; "" for an IP address. */
  suffix: string;
  isPrivate: boolean;
  /** 0, 4 or 6. */
  ip: number;
  /** The registrable domain without its suffix. */
  own: string;
  path: string;
  query: string;
}

/** The characters that are counted in the whole address, in the order of the features. */
const COUNTED = [".", "-", "_", "/", "?", "=", "&", ";", "~", "%", "+", "#", ",", "!", "*", "$"];

export interface AddressFeatures {
  /** In the order of models/urls/model.json, less the last: the log-odds of phishing under the public suffix. */
  values: number[];
  /** The public suffix, the list's private part included; "" for an IP address. */
  suffix: string;
  /** It is a hosting service's: of the list's private part. */
  isPrivate: boolean;
}

export interface TreeModel {
  /** Log-odds of phishing by public suffix; `other` where there is none for it. */
  readonly suffixes: Readonly<Record<string, number>>;
  readonly other: number;
  readonly trees: BoostedTrees;
}

export interface AddressModel extends TreeModel {
  readonly version: string;
  /** Words, and names of two words, that would else be misspellings of a brand. */
  readonly words: readonly string[];
  /** Log-odds of phishing = bias + scale × (log-odds of the trees + weights of the signs of url-analysis.ts). */
  readonly calibration: { readonly bias: number; readonly scale: number };
}

let committed: (AddressModel & { readonly ordinary: ReadonlySet<string> }) | undefined;

/** @throws Error when models/urls is not there */
export function readAddressModel(): NonNullable<typeof committed> {
  if (committed) return committed;
  const model = JSON.parse(readFileSync(new URL("urls/model.json", MODELS), "utf8")) as AddressModel;
  committed = { ...model, ordinary: new Set(model.words) };
  return committed;
}

/** Log-odds of phishing by the trees alone. @param url of http or https */
export function treeLogOdds(model: TreeModel, url: URL): number {
  const { values, suffix, isPrivate } = addressFeatures(url);
  const known = model.suffixes[suffix] ?? model.suffixes[suffix.slice(suffix.lastIndexOf(".") + 1)];
  const odds = known ?? model.other;
  return logOddsOf(model.trees, [...values, isPrivate ? Math.min(MOST_OF_HOSTING, odds) : odds]);
}

/** @param url of http or https */
export function addressFeatures(url: URL): AddressFeatures {
  const address = addressOf(url);
  const values = [
    ...textFeatures(address),
    ...linkFeatures(address),
    ...hostFeatures(address),
    ...pathFeatures(address),
    ...wordFeatures(address),
  ];
  return { values, suffix: address.suffix, isPrivate: address.isPrivate };
}

function addressOf(url: URL): Address {
  const host = url.hostname.replace(/\.$/, "").slice(-MAX_HOST_CHARS);
  const ip = isIP(host.replace(/^\[|\]$/g, ""));
  const known = ip ? undefined : parse(host, { allowPrivateDomains: true });
  const suffix = known?.publicSuffix ?? "";
  const registrable = known?.domain ?? host;
  const user = `${url.username}${url.password === "" ? "" : `:${url.password}`}`;
  const authority = `${user === "" ? "" : `${user}@`}${url.host}`.slice(-MAX_CHARS);
  const path = url.pathname.slice(0, MAX_CHARS);
  const query = url.search.slice(1, MAX_CHARS);
  return {
    url,
    host,
    ip,
    suffix,
    registrable,
    authority,
    path,
    query,
    text: `${url.protocol}//${authority}${path}${query === "" ? "" : `?${query}`}`,
    below: known?.subdomain ?? "",
    isPrivate: known?.isPrivate === true,
    own: known?.domainWithoutSuffix ?? registrable,
  };
}

function textFeatures({ text, url, authority }: Address): number[] {
  const length = text.length;
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  const digits = countOf(text, isDigit);
  const letters = countOf(text, isLetter);
  return [
    length,
    Number(url.protocol === "http:"),
    Number(authority.includes("@")),
    counts.get("@") ?? 0,
    Number(url.port !== ""),
    Number(url.port !== ""),
    ...COUNTED.map((char) => counts.get(char) ?? 0),
    digits / length,
    letters / length,
    countOf(text, (char) => char >= "A" && char <= "Z") / length,
    (length - digits - letters) / length,
    entropyOf(text),
    text.match(/%[0-9a-fA-F]{2}/g)?.length ?? 0,
    countOf(text, (char) => char > "\x7f"),
  ];
}

function countOf(text: string, test: (char: string) => boolean): number {
  let count = 0;
  for (const char of text) if (test(char)) count++;
  return count;
}

/** Shannon's entropy of its characters, in bits. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const n of counts.values()) bits -= (n / text.length) * Math.log2(n / text.length);
  return bits;
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";
const isLetter = (char: string): boolean => (char >= "a" && char <= "z") || (char >= "A" && char <= "Z");

function linkFeatures({ path, query }: Address): number[] {
  const rest = unescaped(`${path}?${query}`).toLowerCase();
  const names = query
    .split("&")
    .filter(Boolean)
    .map((pair) => pair.split("=", 1)[0]!.toLowerCase());
  return [
    Number(path.includes("//")),
    Number(["http:", "https:", "www."].some((part) => rest.includes(part))),
    names.length,
    Number(names.some((name) => REDIRECTS.has(name))),
  ];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hostFeatures({ host, below, ip, own, suffix, registrable, isPrivate }: Address): number[] {
  const labels = host.split(".");
  const digits = countOf(host, isDigit);
  const letters = countOf(own, isLetter);
  const switches = [...own].filter((char, i) => i > 0 && isDigit(char) !== isDigit(own[i - 1]!)).length;
  const isUserContent = [host, registrable, suffix].some((name) => USER_CONTENT.has(name));
  return [
    host.length,
    labels.length,
    below === "" ? 0 : below.split(".").length,
    below.length,
    Number(labels[0] === "www"),
    host.split("-").length - 1,
    digits,
    digits / host.length,
    Number(ip > 0),
    Number(ip === 6),
    Number(host.includes("xn--")),
    Number(!ip && /[^a-z0-9.\-_]/.test(host)),
    entropyOf(host),
    Math.max(...labels.map((label) => label.length)),
    Number(countOf(below, isDigit) > 0),
    Number(below.includes("-")),
    own.length,
    entropyOf(own),
    countOf(own, isDigit),
    own.split("-").length - 1,
    letters === 0 ? 0 : countOf(own, isVowel) / letters,
    longestRun(own, isConsonant),
    longestRun(own, isDigit),
    switches,
    suffix.split(".").at(-1)!.length,
    suffix === "" ? 0 : suffix.split(".").length,
    Number(isPrivate),
    Number(isUserContent),
    Number(isShort(host) || isShort(registrable)),
  ];
}

const isVowel = (char: string): boolean => "aeiou".includes(char);

function longestRun(text: string, test: (char: string) => boolean): number {
  let [best, run] = [0, 0];
  for (const char of text) {
    run = test(char) ? run + 1 : 0;
    best = Math.max(best, run);
  }
  return best;
}

const isConsonant = (char: string): boolean => char >= "a" && char <= "z" && !isVowel(char);
const isShort = (domain: string): boolean => SHORTENERS.has(domain) || MESSENGER_LINKS.has(domain);

function pathFeatures({ path, query }: Address): number[] {
  const segments = path.split("/").filter(Boolean);
  const last = (segments.at(-1) ?? "").toLowerCase();
  const ending = last.includes(".") ? last.slice(last.lastIndexOf(".") + 1) : "";
  return [
    path.length,
    segments.length,
    segments.reduce((most, { length }) => Math.max(most, length), 0),
    countOf(path, isDigit) / Math.max(1, path.length),
    entropyOf(path),
    query.length,
    Number(SERVER_ENDINGS.has(ending)),
    Number(PAGE_ENDINGS.has(ending)),
    Number(RISKY_ENDINGS.has(ending)),
    Number(segments.length === 0 && query === ""),
  ];
}

function wordFeatures({ host, below, own, suffix, path, query }: Address): number[] {
  const rest = unescaped(`${path}${query === "" ? "" : `?${query}`}`).toLowerCase();
  const hostWords = wordsOf(`${below} ${own}`);
  const restWords = wordsOf(rest);
  const inside = SUSPICIOUS_INSIDE.filter((word) => host.includes(word) && !hostWords.includes(word));
  const ownBrands = brandsIn(wordsOf(own), own);
  const isBrand = BRAND_SET.has(own);
  const others = (brands: Set<string>): boolean => [...brands].some((brand) => brand !== own);
  return [
    hostWords.filter((word) => SUSPICIOUS.has(word)).length + inside.length,
    restWords.filter((word) => SUSPICIOUS.has(word)).length,
    Number(["wp-content", "wp-includes", "wp-admin"].some((folder) => rest.includes(folder))),
    Number(isBrand),
    Number(ownBrands.size > 0 && !isBrand),
    Number(others(brandsIn(wordsOf(below), below))),
    Number(others(brandsIn(restWords, rest))),
    Number(isMisspelt(own)),
    hostWords.length,
    Number(suffix.split(".").some((label) => PUBLIC_BODIES.has(label))),
  ];
}

const wordsOf = (text: string): string[] => text.match(/[a-z0-9]+/g) ?? [];

const brandsIn = (words: readonly string[], text: string): Set<string> =>
  new Set([
    ...words.filter((word) => BRAND_SET.has(word)),
    ...LONG_BRANDS.filter((brand) => text.includes(brand)),
  ]);

/** One letter more, less or other than a brand of five letters or more. */
const isMisspelt = (label: string): boolean =>
  label.length >= 4 &&
  label.length <= 40 &&
  !BRAND_SET.has(label) &&
  (LONG_BRANDS.some(
    (brand) => Math.abs(brand.length - label.length) <= 1 && editDistance(label, brand, 1) === 1,
  ) ||
    BRAND_SET.has(folded(label)));

const folded = (label: string): string =>
  [...(label.includes("xn--") ? skeleton(domainToUnicode(label)) : label)]
    .map((char) => FOLDED[char] ?? char)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
