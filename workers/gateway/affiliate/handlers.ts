import type { NotObserved } from "../../../schemas/finding.ts";
import type { AffiliateAddress } from "../../../src/detectors/affiliate/addresses.ts";
import { RULESET_VERSION } from "../../../src/detectors/affiliate/findings.ts";
import type { PageScan } from "../../../src/detectors/affiliate/rules.ts";
import type { Handlers, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { GatewayContext } from "../common/context.ts";
import { moduleMeta } from "../common/meta.ts";
import { parseWebUrl } from "../common/observed-page.ts";
import type { affiliate } from "./contract.ts";
import { follow } from "./following.ts";
import { noPage, type RedirectHop, withHops } from "./hops.ts";
import type * as tasks from "./scan.ts";
import { countScan, readStats } from "./stats.ts";

type AffiliateDeps = Pick<GatewayContext, "polite" | "scans" | "counters" | "now">;

type Context = RequestContext<Principals["key"]>;

const SCAN = tasksOf<typeof tasks>(new URL("./scan.ts", import.meta.url))("scanForAffiliateLinks");
const MARGIN_MS = 3_000;

export function affiliateHandlers(deps: AffiliateDeps): Handlers<typeof affiliate> {
  const finish = async (result: PageScan, context: Context, startedMs: number) => {
    await countScan(deps.counters, result);
    return moduleMeta("affiliate", context, startedMs);
  };

  return {
    scanAffiliateHtml: async ({ body: { html, url } }, context) => {
      const startedMs = performance.now();
      const pageUrl = url === undefined ? undefined : parseWebUrl(url);
      if (pageUrl && !(pageUrl instanceof URL)) return pageUrl;
      const scanned = await deps.scans.run(SCAN, { html, url: pageUrl?.href, hashedBefore: "" }, context);
      if (scanned instanceof Failure) return scanned;
      const unknown = pageUrl
        ? []
        : [{ what: "third parties", reason: "no url was sent to tell them from the page's own" }];
      return {
        url: pageUrl?.href ?? null,
        ...shownScan(scanned.page, unknown),
        input_sha256: scanned.sha256,
        meta: await finish(scanned.page, context, startedMs),
      };
    },

    scanAffiliateUrl: async ({ body }, context) => {
      const startedMs = performance.now();
      const url = parseWebUrl(body.url);
      if (!(url instanceof URL)) return url;
      const followed = await follow(deps.polite, url, context.timeoutMs - MARGIN_MS, context.signal);
      if (followed === "busy")
        return fail("unavailable", "This host is being visited at this moment.", { retryAfterSeconds: 5 });
      const { hops, finalUrl, html, why } = followed;
      const hashedBefore = `${url.href}\n`;
      const scanned =
        html === undefined
          ? noPage(hashedBefore)
          : await deps.scans.run(SCAN, { html, url: finalUrl.href, hashedBefore }, context);
      if (scanned instanceof Failure) return scanned;
      const result = withHops(scanned.page, hops);
      return {
        url: url.href,
        final_url: finalUrl.href,
        hops: hops.map(shownHop),
        ...shownScan(result, why === "" ? [] : [{ what: "page", reason: why }]),
        input_sha256: scanned.sha256,
        meta: await finish(result, context, startedMs),
      };
    },

    getAffiliateStats: async ({ query }, context) => {
      const startedMs = performance.now();
      return {
        ...(await readStats(deps.counters, deps.now(), query.days)),
        meta: moduleMeta("affiliate", context, startedMs),
      };
    },
  };
}

/** A scan as replies show it. That nothing was found is known of a page that was seen, as a whole. */
const shownScan = (scan: PageScan, notObserved: NotObserved[]) => ({
  ...(scan.verdict !== "none" || (scan.complete && notObserved.every(({ what }) => what !== "page"))
    ? { verdict: scan.verdict, risk_score: scan.riskScore }
    : { verdict: "unknown" as const, risk_score: null }),
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

/** One hop as replies show it. */
const shownHop = ({ affiliate, ...hop }: RedirectHop) => ({
  ...hop,
  affiliate: affiliate && shownAddress(affiliate),
});

const shownAddress = ({ cleanUrl, subId, ...rest }: AffiliateAddress) => ({
  ...rest,
  sub_id: subId,
  clean_url: cleanUrl,
});
