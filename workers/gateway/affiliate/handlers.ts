import type { AffiliateAddress } from "../../../src/detectors/affiliate/addresses.ts";
import { PROGRAMMES } from "../../../src/detectors/affiliate/catalogue.ts";
import { RULESET_VERSION, verdictOf } from "../../../src/detectors/affiliate/findings.ts";
import type { PageScan } from "../../../src/detectors/affiliate/rules.ts";
import { TRACKERS } from "../../../src/detectors/affiliate/trackers.ts";
import { riskOf, round } from "../../../src/detectors/risk.ts";
import type { Polite } from "../../../src/egress/polite.ts";
import type { Counters } from "../../../src/ports/counters.ts";
import type { Handlers, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { sha256 } from "../common/digest.ts";
import { metaOf } from "../common/meta.ts";
import { parseWebUrl } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { AffiliateJob } from "../scan-thread.ts";
import type { affiliate } from "./contract.ts";
import { follow } from "./following.ts";
import { type Hop, replacedTags } from "./hops.ts";
import { countScan, readStats } from "./stats.ts";

export interface AffiliateDeps {
  polite: Polite;
  scans: Scans;
  counters: Counters;
  now: () => number;
}

type Context = RequestContext<Principals["key"]>;
type NotObserved = { what: string; reason: string }[];

const MARGIN_MS = 3_000;
const NOTHING: PageScan = {
  verdict: "none",
  riskScore: 0,
  links: [],
  linksTotal: 0,
  findings: [],
  trackers: [],
  disclosure: "not_needed",
  complete: true,
};

const shownAddress = ({ cleanUrl, subId, ...rest }: AffiliateAddress) => ({
  ...rest,
  sub_id: subId,
  clean_url: cleanUrl,
});
const shownHop = ({ affiliate, ...hop }: Hop) => ({
  ...hop,
  affiliate: affiliate && shownAddress(affiliate),
});

const shown = (scan: PageScan, notObserved: NotObserved) => ({
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

export const affiliateHandlers = (deps: AffiliateDeps): Handlers<typeof affiliate> => {
  const scan = (job: AffiliateJob, context: Context) => deps.scans.run<PageScan>("affiliate", job, context);
  const finish = async (result: PageScan, context: Context, startedMs: number) => {
    await countScan(deps.counters, result);
    return metaOf("affiliate", context, startedMs);
  };

  return {
    scanHtml: async ({ body: { html, url } }, context) => {
      const startedMs = performance.now();
      const pageUrl = url === undefined ? undefined : parseWebUrl(url);
      if (pageUrl && !(pageUrl instanceof URL)) return pageUrl;
      const result = await scan({ html, url: pageUrl?.href }, context);
      if (result instanceof Failure) return result;
      const unknown = pageUrl
        ? []
        : [{ what: "third parties", reason: "no url was sent to tell them from the page's own" }];
      return {
        url: pageUrl?.href ?? null,
        ...shown(result, unknown),
        input_sha256: sha256(html),
        meta: await finish(result, context, startedMs),
      };
    },

    scanUrl: async ({ body }, context) => {
      const startedMs = performance.now();
      const url = parseWebUrl(body.url);
      if (!(url instanceof URL)) return url;
      const followed = await follow(deps.polite, url, context.timeoutMs - MARGIN_MS);
      if (followed === "busy")
        return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
      const { hops, finalUrl, html, why } = followed;
      const ofPage = html === undefined ? NOTHING : await scan({ html, url: finalUrl.href }, context);
      if (ofPage instanceof Failure) return ofPage;
      const findings = [...replacedTags(hops), ...ofPage.findings];
      const paid = hops.filter(({ affiliate: address }) => address !== null).length;
      const result: PageScan = {
        ...ofPage,
        findings,
        verdict: verdictOf(findings, ofPage.linksTotal + paid),
        riskScore: round(riskOf(findings)),
      };
      return {
        url: url.href,
        final_url: finalUrl.href,
        hops: hops.map(shownHop),
        ...shown(result, why === "" ? [] : [{ what: "page", reason: why }]),
        input_sha256: sha256(url.href, "\n", html),
        meta: await finish(result, context, startedMs),
      };
    },

    stats: async ({ query }, context) => {
      const startedMs = performance.now();
      return {
        ...(await readStats(deps.counters, deps.now(), query.days)),
        catalogue: {
          programs: new Set(PROGRAMMES.map(({ program }) => program)).size,
          trackers: new Set(TRACKERS.map(({ name }) => name)).size,
        },
        ruleset_version: RULESET_VERSION,
        meta: metaOf("affiliate", context, startedMs),
      };
    },
  };
};
