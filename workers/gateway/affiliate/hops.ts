/** A link followed hop by hop: who is paid on the way, and whether the payee changes. */

import type { Finding } from "../../../schemas/finding.ts";
import { type AffiliateAddress, affiliateOf } from "../../../src/detectors/affiliate/addresses.ts";
import { findingOf } from "../../../src/detectors/affiliate/findings.ts";
import { snippetOf } from "../../../src/pages/snippet.ts";

export interface Hop {
  url: string;
  /** Null where there was no answer. */
  status: number | null;
  /** Names of the cookies that the answer set. */
  cookies: string[];
  affiliate: AffiliateAddress | null;
  /** Why there was no answer; else empty. */
  detail: string;
}

/** Names in Set-Cookie fields joined with ", ": a comma before a name and "=" parts two cookies, one in a date does not. */
export const cookieNames = (field: string | undefined): string[] =>
  (field ?? "")
    .split(/,\s*(?=[^;,=\s]+=)/)
    .map((cookie) => cookie.split("=", 1)[0]!.trim().slice(0, 128))
    .filter((name) => name !== "")
    .slice(0, 50);

export const hopOf = (url: URL, status: number | null, setCookie: string | undefined, detail = ""): Hop => ({
  url: url.href.slice(0, 2_048),
  status,
  cookies: cookieNames(setCookie),
  affiliate: affiliateOf(url) ?? null,
  detail,
});

/**
 * The tag that a link brings is another's on a later hop: the partner who sent the visitor is not the one who is paid.
 * Ids are compared within one network, since each network numbers partners its own way.
 */
export const replacedTags = (hops: readonly Hop[]): Finding[] => {
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
};
