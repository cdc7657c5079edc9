/** A brand's own domain in front of somebody else's: `amazon.de.example.com`, `login-amazon.de-account.example`. */
import { parse } from "tldts";
import type { Brand } from "../../domain/names/brands.ts";

/** Shorter domains, with hyphens, are letters of other names: `x-com`, `t-me`. */
const LEAST_HYPHENATED = 7;

/** Whether a brand's domain is there with hyphens for points, as in `www-amazon-de.example.com`. */
export const isHyphenated = (before: string, { domains }: Brand): boolean =>
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
export function embedsBrand(before: string, brand: Brand, isCommonWord: boolean): boolean {
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
  if (!/(?:^|\.)(?:[a-z]{2}|com|net|org)$/.test(suffix)) return false;
  const { isIcann, publicSuffix } = parse(`a.${suffix}`, { allowPrivateDomains: false });
  return isIcann === true && publicSuffix === suffix;
}
