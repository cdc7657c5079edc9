/**
 * Lexical analysis of a URL: its owner, and the features that distinguish phishing URLs. It fetches nothing. A single
 * feature decides only if legitimate URLs never have it.
 */

import { type Language, readAddressModel, type TreeModel, treeLogOdds } from "./address-model.ts";
import { isFreeHosting, isMirror, type Parts, partsOf } from "./address-parts.ts";
import { brandSign, isBrandOwners } from "./brand-use.ts";
import { SHORTENERS } from "./hosting.ts";
import { nameSigns } from "./name-signs.ts";
import { pathSigns } from "./path-signs.ts";
import { type UrlSign, urlSign } from "./url-sign.ts";

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

/** Risk at which an address is suspicious: fewer than one in a hundred of listed sites, their pages and made shops are (docs/evaluation/urls.md). */
export const URL_THRESHOLD = 0.4;

interface Ruled {
  signs: UrlSign[];
  brand: string | null;
}

/** What speaks for and against phishing: signs with their weights among rules, and the log-odds of the trees. */
export interface AddressEvidence extends Ruled {
  readonly learned: number;
}

/** The trees' part of the logit that is worth a sign of its own. */
const TELLING = 1;

/** For training. @param url of http or https */
export const addressEvidence = (url: URL, model: TreeModel, language: Language): AddressEvidence =>
  evidenceIn(partsOf(url), model, language);

const evidenceIn = (parts: Parts, model: TreeModel, language: Language): AddressEvidence => ({
  ...ruledSigns(parts, language),
  learned: isMirror(parts) ? 0 : treeLogOdds(model, parts.url),
});

/** What the rules alone say: signs, each with its weight among rules. */
function ruledSigns(parts: Parts, { ordinary, letters }: Language): Ruled {
  const signs = [...nameSigns(parts, letters), ...pathSigns(parts)];
  const use = isMirror(parts) ? undefined : brandSign(parts, ordinary);
  if (use) signs.push(use.sign);
  if (SHORTENERS.has(parts.registrable ?? "") || SHORTENERS.has(parts.operator ?? ""))
    signs.push(urlSign("shortener", 1, "a URL shortener hides the destination"));
  if (isBrandOwners(parts) && !isFreeHosting(parts))
    signs.push(urlSign("known-owner", -3, "a domain of the brand's owner"));
  return { signs, brand: use?.brand ?? null };
}

/** What the weights of all signs by rules add up to; for training. */
export const ruleWeight = ({ signs }: Pick<AddressEvidence, "signs">): number =>
  signs.reduce((sum, { weight }) => sum + weight, 0);

/** @returns undefined if it is not an http or https address */
export function analyzeUrl(address: string | URL): UrlAnalysis | undefined {
  const url = webAddress(address);
  if (!url) return undefined;
  const parts = partsOf(url);
  const model = readAddressModel();
  const evidence = evidenceIn(parts, model, model.language);
  const { bias, rules, trees } = model.calibration;
  const learned = trees * evidence.learned;
  const signs = evidence.signs.map((one) => ({ ...one, weight: rules * one.weight }));
  const logit = signs.reduce((sum, { weight }) => sum + weight, bias + learned);
  if (learned >= TELLING) signs.push(urlSign("learned", learned, "built as addresses of phishing are"));
  return {
    href: url.href,
    host: parts.host,
    registrableDomain: parts.registrable,
    operatorDomain: parts.operator,
    unicodeHost: parts.unicodeHost,
    brand: evidence.brand,
    signs,
    risk: 1 / (1 + Math.exp(-logit)),
  };
}

function webAddress(address: string | URL): URL | undefined {
  const url = address instanceof URL ? address : URL.parse(address);
  const isWeb = url && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
  return isWeb ? url : undefined;
}
