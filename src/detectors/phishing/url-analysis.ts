/**
 * Lexical analysis of a URL: its owner, and whether it looks like phishing. It fetches nothing. Trees that learned from real
 * addresses judge how it is built; signs are what they do not see: whose brand it names, and who answers for the host. A hosting
 * service's suffix speaks for phishing a little at most: feeds know it by phishing alone. Nothing is fitted to addresses of ours.
 */

import {
  isContentHost,
  isFreeHosting,
  isMirror,
  type Parts,
  partsOf,
  type UrlSign,
  urlSign,
} from "./address.ts";
import { type AddressModel, readAddressModel, treeLogOdds } from "./address-model.ts";
import { brandSign, isBrandOwners } from "./brand-use.ts";

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
   * Probability of phishing, where one address of ten is; `URL_THRESHOLD` and above deserves a warning. Calibrated by
   * `npm run train -- urls`.
   */
  readonly risk: number;
}

/** Risk at which an address is suspicious: of each source of honest ones fewer than one in a hundred are (docs/evaluation/urls.md). */
export const URL_THRESHOLD = 0.48;

/** Of one's own machine or network (RFC 1918, RFC 6890): nobody is lured there. */
const OWN_NETWORK =
  /^(?:localhost|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[::1\])$/;
/** Log-odds that the signs beside a brand's name add. */
const [DISGUISED, OWNED, SERVED, AT_HOME] = [5, -5, -1.5, -12];
/** The trees' part of the logit that is worth a sign of its own. */
const TELLING = 1;

/** What speaks for and against phishing, as the sum is made of it. */
export interface AddressEvidence {
  readonly signs: readonly UrlSign[];
  readonly brand: string | null;
  /** Log-odds of the trees. */
  readonly learned: number;
}

/** @param url of http or https @param ordinary words that are near brands' names */
export const addressEvidence = (
  url: URL,
  model: Pick<AddressModel, "suffixes" | "other" | "trees">,
  ordinary: ReadonlySet<string>,
): AddressEvidence => evidenceIn(partsOf(url), model, ordinary);

/** Log-odds before they are calibrated. */
export const logOddsIn = ({ signs, learned }: AddressEvidence): number =>
  signs.reduce((sum, { weight }) => sum + weight, learned);

/** @returns undefined if it is not an http or https address */
export function analyzeUrl(address: string | URL): UrlAnalysis | undefined {
  const url = webAddress(address);
  if (!url) return undefined;
  const parts = partsOf(url);
  const model = readAddressModel();
  const { bias, scale } = model.calibration;
  const evidence = evidenceIn(parts, model, model.ordinary);
  const signs = evidence.signs.map((one) => ({ ...one, weight: scale * one.weight }));
  const learned = bias + scale * evidence.learned;
  if (learned >= -TELLING)
    signs.push(urlSign("learned", scale * evidence.learned, "built as addresses of phishing are"));
  return {
    href: url.href,
    host: parts.host,
    registrableDomain: parts.registrable,
    operatorDomain: parts.operator,
    unicodeHost: parts.unicodeHost,
    brand: evidence.brand,
    signs,
    risk: 1 / (1 + Math.exp(-(bias + scale * logOddsIn(evidence)))),
  };
}

function webAddress(address: string | URL): URL | undefined {
  const url = address instanceof URL ? address : URL.parse(address);
  const isWeb = url && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
  return isWeb ? url : undefined;
}

function evidenceIn(
  parts: Parts,
  model: Parameters<typeof treeLogOdds>[0],
  ordinary: ReadonlySet<string>,
): AddressEvidence {
  // It shows the pages of others under their names.
  if (isMirror(parts)) return { signs: [], brand: null, learned: 0 };
  const { url, host } = parts;
  const use = brandSign(parts, ordinary);
  const signs = use ? [use.sign] : [];
  if (url.username !== "" || url.password !== "")
    signs.push(urlSign("credentials", DISGUISED, "a user name before @ disguises the real host"));
  if (isBrandOwners(parts) && !isFreeHosting(parts))
    signs.push(urlSign("known-owner", OWNED, "a domain of the brand's owner"));
  if (isContentHost(parts)) signs.push(urlSign("content-host", SERVED, "a host that serves files for pages"));
  if (OWN_NETWORK.test(host)) signs.push(urlSign("own-network", AT_HOME, "an address of one's own network"));
  return { signs, brand: use?.brand ?? null, learned: treeLogOdds(model, url) };
}
