/** A link followed hop by hop: who is paid at each hop, and whether the payee changes. */

import type { Finding } from "../../../schemas/finding.ts";
import { type AffiliateAddress, affiliateOf } from "../../../src/detectors/affiliate/addresses.ts";
import { affiliateVerdict, findingOf } from "../../../src/detectors/affiliate/findings.ts";
import type { PageScan } from "../../../src/detectors/affiliate/rules.ts";
import { riskOf, round } from "../../../src/detectors/risk.ts";
import { snippetOf } from "../../../src/pages/snippet.ts";

import { sha256 } from "../common/digest.ts";

export interface RedirectHop {
  url: string;
  /** Null where there was no answer. */
  status: number | null;
  /** Names of the cookies that the answer set. */
  cookies: string[];
  affiliate: AffiliateAddress | null;
  /** Why there was no answer; else empty. */
  detail: string;
}

/** @param setCookies Set-Cookie field values, one by one */
export const hopOf = (
  url: URL,
  status: number | null,
  setCookies: readonly string[],
  detail = "",
): RedirectHop => ({
  url: url.href.slice(0, 2_048),
  status,
  cookies: cookieNames(setCookies),
  affiliate: affiliateOf(url) ?? null,
  detail,
});

const cookieNames = (setCookies: readonly string[]): string[] =>
  setCookies
    .map((cookie) => cookie.split("=", 1)[0]!.trim().slice(0, 128))
    .filter((name) => name !== "")
    .slice(0, 50);

/** What a scan gives where a link ends at no page. */
export const noPage = (hashedBefore: string): { page: PageScan; sha256: string } => ({
  page: {
    verdict: "none",
    riskScore: 0,
    links: [],
    linksTotal: 0,
    findings: [],
    trackers: [],
    trackersAtOnce: [],
    disclosure: "not_needed",
    complete: true,
  },
  sha256: sha256(hashedBefore),
});

/** The scan of the page that a link ends at, with what its hops show. */
export function withHops(page: PageScan, hops: readonly RedirectHop[]): PageScan {
  const findings = [...replacedTags(hops), ...page.findings];
  const paid = hops.filter(({ affiliate }) => affiliate !== null).length;
  return {
    ...page,
    findings,
    verdict: affiliateVerdict(findings, page.linksTotal + paid),
    riskScore: round(riskOf(findings)),
  };
}

/**
 * The tag that a link brings is another's on a later hop: the partner who sent the visitor is not the one who is paid.
 * Ids are compared within one network, since each network numbers partners by itself.
 */
export function replacedTags(hops: readonly RedirectHop[]): Finding[] {
  const findings: Finding[] = [];
  const first = new Map<string, { id: string; url: string }>();
  for (const { affiliate, url } of hops) {
    if (!affiliate || affiliate.id === null || affiliate.guessed) continue;
    const before = first.get(affiliate.network);
    if (!before) first.set(affiliate.network, { id: affiliate.id, url });
    else if (before.id !== affiliate.id) {
      const snippet = snippetOf(`${before.id} at ${before.url} became ${affiliate.id} at ${url}`);
      findings.push(findingOf("tag-replaced", 0.9, { snippet, start: null, end: null }));
    }
  }
  return findings;
}
