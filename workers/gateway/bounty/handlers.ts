import type { BountyReport, BountyTarget } from "../../../schemas/bounty.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { iso } from "../../../src/domain/protocols/time.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, parseWebUrl } from "../common/observed-page.ts";
import type { Scans } from "../common/scans.ts";
import type { bounty } from "./contract.ts";
import { corroborate } from "./corroborate.ts";
import { canonicalUrlOf } from "./dedupe.ts";
import { holderOf, judgeAnew, reporterOf, shownReport, takePlace } from "./reports.ts";
import { saysSomething, triage } from "./rules.ts";
import { type KnownReports, showLeaderboard, showStats } from "./standings.ts";
import { stixBundle } from "./stix.ts";

const FETCH_TIMEOUT_MS = 8_000;

export interface BountyDeps extends KnownReports {
  reports: Records<BountyReport>;
  targets: Records<BountyTarget>;
  fetchPage: FetchPage;
  scans: Scans;
  limiter: Limiter;
  publicUrl: string;
  secret: string;
}

type Operations = (typeof bounty)["operations"];
type Context = RequestContext<Principals["key"]>;

const report = async (deps: BountyDeps, { body }: Input<Operations["report"]>, context: Context) => {
  const startedMs = performance.now();
  const url = parseWebUrl(body.url);
  if (url instanceof Failure) return url;
  const at = iso(deps.now());
  const base = {
    v: 1 as const,
    reportId: uuidv7(),
    reporter: reporterOf(deps.secret, context.principal),
    handle: body.handle ?? null,
    url: body.url,
    canonicalUrl: canonicalUrlOf(url),
    registrableDomain: registrableDomain(url.hostname),
    kind: body.kind,
    description: body.description,
    created_at: at,
    updated_at: at,
  };
  const { principal, clientAddress } = context;
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  const refusal = await deps.limiter.refusal("bounty_reports", payer);
  if (refusal) return refusal;
  // What says nothing takes no place: the next report of the page would be the duplicate of it.
  const duplicateOf = saysSomething(body.description)
    ? await takePlace(deps.targets, base, holderOf(deps.secret, context))
    : undefined;
  const timeoutMs = Math.min(FETCH_TIMEOUT_MS, context.timeoutMs / 2);
  const evidence = await corroborate(
    { url, kind: body.kind, html: body.html, caller: context },
    deps.fetchPage,
    deps.scans,
    deps.now(),
    timeoutMs,
  );
  const judged = triage(body.kind, body.description, evidence);
  const { corroboration } = evidence;
  if (duplicateOf)
    await judgeAnew(deps.reports, duplicateOf, { ...judged, url: body.url, corroboration }, at);
  const stored: BountyReport = {
    ...base,
    ...(duplicateOf && judged.state !== "spam"
      ? { state: "duplicate", reason: `The same as ${duplicateOf}, which was looked at again.` }
      : judged),
    duplicateOf: duplicateOf ?? null,
    corroboration,
  };
  await deps.reports.compareAndSet(stored.reportId, stored, 0);
  return { report: shownReport(stored, deps.handles), meta: metaOf("bounty", context, startedMs) };
};

export const bountyHandlers = (deps: BountyDeps): Handlers<typeof bounty> => ({
  report: (input, context) => report(deps, input, context),

  readReport: async ({ params, query }, context) => {
    const startedMs = performance.now();
    const stored = await deps.reports.get(params.id);
    if (!stored) return fail("not_found", "There is no such report.");
    return {
      report: shownReport(stored.value, deps.handles),
      ...(query.stix && { stix: { ...stixBundle(stored.value, deps.publicUrl), type: "bundle" as const } }),
      meta: metaOf("bounty", context, startedMs),
    };
  },

  leaderboard: async ({ query }, context) => showLeaderboard(deps, query.limit, context),
  stats: async ({ query }, context) => showStats(deps, query.days, context),
});
