/** What a host's name is, without regard to brands. */
import { isIP } from "node:net";
import { entropyOf } from "./address-features.ts";
import { isFreeHosting, isMirror, type Parts } from "./address-parts.ts";
import { CHEAP_SUFFIXES } from "./hosting.ts";
import { randomness } from "./letter-model.ts";
import { type UrlSign, urlSign } from "./url-sign.ts";

/** Log-likelihood ratio of random letters that one in 100 compounds of two words has. */
const RANDOM_FROM = 4;
const RANDOM_STEP = 0.12;
const MOST_RANDOM = 2.2;
const RANDOM_BELOW = 1.3;

/**
 * @param letters table of `randomness`
 * @returns signs of the host, the port and the user name
 */
export function nameSigns(parts: Parts, letters: string): UrlSign[] {
  const { url, host, own, below, suffix, unicodeHost } = parts;
  const signs: UrlSign[] = [];
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare)) signs.push(urlSign("ip-host", 2.4, "an IP address in place of a name"));
  if (url.username !== "" || url.password !== "")
    signs.push(urlSign("credentials", 2.6, "a user name before @ disguises the real host"));
  if (url.port !== "") signs.push(urlSign("port", isIP(bare) ? 0.8 : 0.7, `an unusual port, ${url.port}`));
  if (isIP(bare) || isMirror(parts)) return signs;
  if (isFreeHosting(parts))
    signs.push(urlSign("free-hosting", 1.5, "anyone can publish a page here for free"));
  else if (CHEAP_SUFFIXES.has(suffix)) signs.push(urlSign("cheap-suffix", 1.2, `under .${suffix}`));
  if (unicodeHost !== host) signs.push(urlSign("punycode", 0.9, `reads ${unicodeHost}`));
  const labels = [...below.filter((label) => label !== "www"), own];
  const random = Math.max(
    randomWeight(own, letters),
    // Services name their customers' hosts by numbers and random letters, too.
    ...below.map((label) => Math.min(RANDOM_BELOW, randomWeight(label, letters))),
  );
  if (random > 0) signs.push(urlSign("random-name", random, "an unpronounceable name"));
  const hyphens =
    labels
      .join(".")
      .replace(/xn--\S*/g, "")
      .split("-").length - 1;
  if (hyphens >= 2)
    signs.push(urlSign("hyphens", Math.min(1.6, 0.5 * hyphens), `${hyphens} hyphens in the host`));
  if (below.length >= 3)
    signs.push(urlSign("many-labels", 0.5 * (below.length - 2), `${below.length} labels before the domain`));
  const digits = labels.join("").replace(/\D/g, "").length;
  if (digits >= 4) signs.push(urlSign("digits", 0.7, `${digits} digits in the host`));
  if (labels.join(".").length > 40) signs.push(urlSign("long-host", 0.7, "a long host"));
  if (below.some((label) => /^(?:com|net|org|gov|www\d?|https?|paypal|co)$/.test(label) && label !== "www"))
    signs.push(urlSign("suffix-inside", 1.4, "a public suffix in the middle of the host"));
  return signs;
}

function randomWeight(label: string, letters: string): number {
  if (label.startsWith("xn--")) return 0;
  const unlikely = Math.min(MOST_RANDOM, RANDOM_STEP * (randomness(letters, label) - RANDOM_FROM));
  return Math.max(unlikely, looksRandom(label) ? RANDOM_BELOW : 0);
}

/** Runs of consonants, digits among letters: an unpronounceable, probably generated name. */
function looksRandom(label: string): boolean {
  if (label.length < 8 || label.startsWith("xn--")) return false;
  const letters = label.replace(/[^a-z]/g, "");
  const vowels = letters.replace(/[^aeiouy]/g, "").length;
  const switches = label.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0;
  if (switches >= 3) return true;
  if (letters.length >= 9 && vowels / letters.length < 0.2) return true;
  return label.length >= 16 && !label.includes("-") && entropyOf(label) > 3.75 && switches >= 1;
}
