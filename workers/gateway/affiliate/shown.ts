/** Scans and hops in the words of the contract. */
import type { NotObserved } from "../../../schemas/finding.ts";
import type { AffiliateAddress } from "../../../src/detectors/affiliate/addresses.ts";
import { RULESET_VERSION } from "../../../src/detectors/affiliate/findings.ts";
import type { PageScan } from "../../../src/detectors/affiliate/rules.ts";
import type { Hop } from "./hops.ts";

const shownAddress = ({ cleanUrl, subId, ...rest }: AffiliateAddress) => ({
  ...rest,
  sub_id: subId,
  clean_url: cleanUrl,
});
/** One hop as replies show it. */
export const shownHop = ({ affiliate, ...hop }: Hop) => ({
  ...hop,
  affiliate: affiliate && shownAddress(affiliate),
});

/** A scan as replies show it. */
export const shownScan = (scan: PageScan, notObserved: NotObserved[]) => ({
  verdict: scan.verdict,
  risk_score: scan.riskScore,
  links: scan.links.map(({ means, cleanUrl, subId, ...link }) => ({
    ...link,
    role: means,
    clean_url: cleanUrl,
    sub_id: subId,
  })),
  links_total: scan.linksTotal,
  disclosure: scan.disclosure,
  trackers: scan.trackers,
  findings: scan.findings,
  ruleset_version: RULESET_VERSION,
  not_observed: scan.complete
    ? notObserved
    : [...notObserved, { what: "rest of the page", reason: "a bound was met" }],
});
