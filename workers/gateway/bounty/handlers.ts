import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, parseWebUrl } from "../common/observed-page.ts";
import type { Scans } from "../common/scans.ts";
import type { bounty } from "./contract.ts";
import { corroborate } from "./corroborate.ts";
import {
  duplicateState,
  holderOf,
  judgeAnew,
  newReport,
  type ReportStores,
  reporterOf,
  shownReport,
  takePlace,
} from "./reports.ts";
import { saysSomething, triage } from "./rules.ts";
import { type KnownReports, showLeaderboard, showStats } from "./standings.ts";
import { stixBundle } from "./stix.ts";

const FETCH_TIMEOUT_MS = 8_000;

export interface BountyDeps extends KnownReports, ReportStores {
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
  const base = newReport(body, url, reporterOf(deps.secret, context.principal), deps.now());
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
    await judgeAnew(deps.reports, duplicateOf, { ...judged, url: body.url, corroboration }, base.created_at);
  const isRepeated = duplicateOf !== undefined && judged.state !== "spam";
  const stored = {
    ...base,
    ...(isRepeated ? duplicateState(duplicateOf) : judged),
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
