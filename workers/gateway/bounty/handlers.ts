import type { BountyTarget } from "../../../schemas/bounty.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import { changeReport, followReport, MAX_URL_CHARS, type ReportStore } from "../../../src/stores/reports.ts";
import { moduleMeta } from "../common/meta.ts";
import { type FetchPage, parseWebUrl } from "../common/observed-page.ts";
import type { Scans } from "../common/scans.ts";
import type { bounty } from "./contract.ts";
import { corroborate } from "./corroborate.ts";
import { type Backer, type Fresh, judgedAnew, withState } from "./decisions.ts";
import { duplicateState, holderOf, newReport, reporterOf, shownReport, takeReportSlot } from "./reports.ts";
import { saysSomething, triage, weightOf } from "./rules.ts";
import { findReports, type KnownReports, reporterRecord, showLeaderboard, showStats } from "./standings.ts";
import { stixBundle } from "./stix.ts";

const FETCH_TIMEOUT_MS = 8_000;

export interface BountyDeps extends KnownReports {
  store: ReportStore;
  targets: Records<BountyTarget>;
  fetchPage: FetchPage;
  scans: Scans;
  limiter: Limiter;
  publicUrl: string;
  secret: string;
}

type Operations = (typeof bounty)["operations"];
type Context = RequestContext<Principals["key"]>;

/** Reports that an operator called duplicates of others, followed to the one that they repeat. */
const MAX_FOLLOWED = 4;

export const bountyHandlers = (deps: BountyDeps): Handlers<typeof bounty> => ({
  reportPage: (input, context) => report(deps, input, context),

  getReport: async ({ params, query }, context) => {
    const startedMs = performance.now();
    const stored = await deps.store.reports.get(params.id);
    if (!stored) return fail("not_found", "There is no such report.");
    return {
      report: shownReport(stored.value, deps.handles),
      ...(query.stix && { stix: { ...stixBundle(stored.value, deps.publicUrl), type: "bundle" as const } }),
      meta: moduleMeta("bounty", context, startedMs),
    };
  },

  listReports: (input, context) => findReports(deps, input.query, context),
  listReporters: async ({ query }, context) => showLeaderboard(deps, query.limit, context),
  getBountyStats: async ({ query }, context) => showStats(deps, query.days, context),
});

async function report(deps: BountyDeps, { body }: Input<Operations["reportPage"]>, context: Context) {
  const startedMs = performance.now();
  const url = reportedUrl(body.url);
  if (url instanceof Failure) return url;
  const { principal, clientAddress } = context;
  const base = newReport(body, url, reporterOf(deps.secret, principal), deps.now());
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  const refusal = await deps.limiter.refusal("gateway_fetches", payer);
  if (refusal) return refusal;
  const record = reporterRecord(deps, base.reporter);
  const backer: Backer = { by: holderOf(deps.secret, context), weight: weightOf(record) };
  const repeated = await takeReportSlot(deps.targets, base, backer.by, !saysSomething(body.description));
  const duplicateOf = repeated && (await firstOf(deps, repeated));
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
  if (duplicateOf) {
    const fresh = { ...judged, url: body.url, corroboration };
    await repeat(deps, duplicateOf, fresh, backer, base.created_at);
  }
  const change = { ...(duplicateOf ? duplicateState(duplicateOf) : judged), by: "modules" as const };
  const { state, reason } = change;
  const made = { ...base, state, reason, duplicateOf: duplicateOf ?? null, corroboration };
  const stored = withState({ ...made, changes: [], backers: [backer] }, change, base.created_at);
  await deps.store.reports.compareAndSet(stored.reportId, stored, 0);
  if (stored.state === "triaged") await followReport(deps.store, stored.reportId);
  return {
    report: shownReport(stored, deps.handles),
    reporter_record: record,
    meta: moduleMeta("bounty", context, startedMs),
  };
}

/** The reported address, or what is wrong with it. */
function reportedUrl(address: string) {
  const url = parseWebUrl(address);
  return url instanceof Failure || url.href.length <= MAX_URL_CHARS
    ? url
    : fail("invalid_url", `url: longer than ${MAX_URL_CHARS} characters when written in ASCII.`);
}

async function firstOf({ store }: BountyDeps, reportId: string): Promise<string> {
  let first = reportId;
  for (let followed = 0; followed < MAX_FOLLOWED; followed++) {
    const stored = (await store.reports.get(first))?.value;
    if (stored?.state !== "duplicate" || stored.duplicateOf === null) break;
    first = stored.duplicateOf;
  }
  return first;
}

/** The report that another one repeats, after it: who made it, and what our modules found now. */
async function repeat(deps: BountyDeps, reportId: string, fresh: Fresh, backer: Backer, at: string) {
  await changeReport<void>(deps.store, reportId, (stored) => {
    const next = stored && judgedAnew(stored, fresh, backer, at);
    return { ...(next !== stored && { next }), result: undefined };
  });
}
