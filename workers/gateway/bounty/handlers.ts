import { createHash, createHmac } from "node:crypto";
import type { BountyReport, BountyTarget, Corroboration } from "../../../schemas/bounty.ts";
import { round } from "../../../src/detectors/risk.ts";
import { networkGroup } from "../../../src/domain/names/address.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../../src/domain/protocols/time.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import { metaOf } from "../common/meta.ts";
import { type FetchPage, parseWebUrl } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { bounty } from "./contract.ts";
import { canonicalUrlOf, isDuplicate } from "./dedupe.ts";
import { look } from "./looking.ts";
import { isConfirmed, leaderboard, saysSomething, shared, triage } from "./rules.ts";
import { stixBundle } from "./stix.ts";

const MAX_ATTEMPTS = 8;
const LOOK_TIMEOUT_MS = 8_000;
/** Reports of one kind about one domain that others are compared with. */
const MAX_COMPARED = 200;
/** What our modules found, kept of one report. */
const MAX_CORROBORATION = 20;

/** What counting needs of a report. */
export type KnownReport = Pick<
  BountyReport,
  "reporter" | "handle" | "state" | "kind" | "registrableDomain" | "created_at"
>;

export interface BountyDeps {
  reports: Records<BountyReport>;
  targets: Records<BountyTarget>;
  /** Every report, followed in memory. */
  known: ReadonlyMap<string, KnownReport>;
  /** Who reported first by each handle, followed likewise. */
  handles: ReadonlyMap<string, Pick<KnownReport, "reporter" | "created_at">>;
  fetchPage: FetchPage;
  scans: Scans;
  limiter: Limiter;
  publicUrl: string;
  secret: string;
  now: () => number;
}

type Operations = (typeof bounty)["operations"];
type Context = RequestContext<Principals["key"]>;

const reporterOf = (secret: string, { accountId, usageId }: Principals["key"]): string =>
  createHmac("sha256", secret)
    .update(`bounty\n${accountId ?? usageId}`)
    .digest("base64url")
    .slice(0, 16);

/** Who holds a place: the account, or the network of keys without one. */
const holderOf = (secret: string, { principal: { accountId }, clientAddress }: Context): string =>
  createHmac("sha256", secret)
    .update(`bounty place\n${accountId ?? networkGroup(clientAddress) ?? "inside"}`)
    .digest("base64url")
    .slice(0, 10);

interface Named {
  handle: string | null;
  reporter: string;
}

/** A handle is its first holder's: nobody takes another's name. */
const nameOf = ({ handle, reporter }: Named, { handles }: Pick<BountyDeps, "handles">): string => {
  const isOwn = handle !== null && (handles.get(handle)?.reporter ?? reporter) === reporter;
  return isOwn ? handle : `reporter-${reporter.slice(0, 8)}`;
};

const shownReport = (report: BountyReport, deps: BountyDeps) => ({
  id: report.reportId,
  url: report.url,
  canonical_url: report.canonicalUrl,
  domain: report.registrableDomain,
  kind: report.kind,
  description: report.description,
  state: report.state,
  reason: report.reason,
  duplicate_of: report.duplicateOf,
  corroboration: report.corroboration,
  observed_by: isConfirmed(report) ? ("registry" as const) : ("caller" as const),
  reporter: nameOf(report, deps),
  created_at: report.created_at,
  updated_at: report.updated_at,
});

/** Takes a place among the reports of a target. @returns the report that this one repeats, if any */
const takePlace = async (
  deps: BountyDeps,
  report: Pick<BountyReport, "reportId" | "canonicalUrl" | "description" | "kind" | "registrableDomain">,
  by: string,
): Promise<string | undefined> => {
  const { reportId, canonicalUrl, description } = report;
  const key = createHash("sha256").update(`${report.kind}\n${report.registrableDomain}`).digest("base64url");
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await deps.targets.get(key);
    const earlier = stored?.value.reports ?? [];
    const first = earlier.find((one) => isDuplicate(one, report));
    if (first) return first.reportId;
    const reports = [...earlier, { reportId, canonicalUrl, description: description.slice(0, 500), by }];
    const next: BountyTarget = { v: 1, reports: shared(reports, MAX_COMPARED) };
    if (await deps.targets.compareAndSet(key, next, stored?.revision ?? 0)) return undefined;
  }
  throw new Error("the reports of one target changed under every attempt");
};

/** Whether two addresses ask for the same bytes: what canonicalizing drops may change a page. */
const isSameRequest = (one: string, other: string): boolean =>
  one.split("#", 1)[0] === other.split("#", 1)[0];

/**
 * What was confirmed once and is not there any more is resolved, where the very address of it was looked at: another page of
 * the same make says nothing of it. What could not be confirmed may be now.
 */
const lookAgain = async (
  deps: BountyDeps,
  reportId: string,
  fresh: ReturnType<typeof triage> & { url: string; corroboration: Corroboration[] },
  at: string,
) => {
  const stored = await deps.reports.get(reportId);
  if (!stored) return;
  const { state, corroboration } = stored.value;
  const isGone =
    state === "triaged" &&
    (fresh.state === "informative" || fresh.state === "not_applicable") &&
    isSameRequest(fresh.url, stored.value.url);
  const isFound = state !== "triaged" && state !== "spam" && fresh.state === "triaged";
  if (!isGone && !isFound) return;
  const next = isGone
    ? { state: "resolved" as const, reason: "It was there, and is not any more." }
    : {
        state: "triaged" as const,
        reason: fresh.reason,
        corroboration: [...corroboration, ...fresh.corroboration].slice(-MAX_CORROBORATION),
      };
  // Somebody else's look at the same moment is as good.
  await deps.reports.compareAndSet(reportId, { ...stored.value, ...next, updated_at: at }, stored.revision);
};

const report = async (deps: BountyDeps, { body }: Input<Operations["report"]>, context: Context) => {
  const startedMs = performance.now();
  const url = parseWebUrl(body.url);
  if (url instanceof Failure) return url;
  const at = new Date(deps.now()).toISOString();
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
    ? await takePlace(deps, base, holderOf(deps.secret, context))
    : undefined;
  const timeoutMs = Math.min(LOOK_TIMEOUT_MS, context.timeoutMs / 2);
  const looked = await look(
    { url, kind: body.kind, html: body.html, caller: context },
    deps.fetchPage,
    deps.scans,
    deps.now(),
    timeoutMs,
  );
  const judged = triage(body.kind, body.description, looked);
  const { corroboration } = looked;
  if (duplicateOf) await lookAgain(deps, duplicateOf, { ...judged, url: body.url, corroboration }, at);
  const stored: BountyReport = {
    ...base,
    ...(duplicateOf && judged.state !== "spam"
      ? { state: "duplicate", reason: `The same as ${duplicateOf}, which was looked at again.` }
      : judged),
    duplicateOf: duplicateOf ?? null,
    corroboration: looked.corroboration,
  };
  await deps.reports.compareAndSet(stored.reportId, stored, 0);
  return { report: shownReport(stored, deps), meta: metaOf("bounty", context, startedMs) };
};

const countBy = <T>(items: readonly T[], of: (item: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, of)].map(([key, group]) => [key, group.length]));

export const bountyHandlers = (deps: BountyDeps): Handlers<typeof bounty> => ({
  report: (input, context) => report(deps, input, context),

  readReport: async ({ params, query }, context) => {
    const startedMs = performance.now();
    const stored = await deps.reports.get(params.id);
    if (!stored) return fail("not_found", "There is no such report.");
    return {
      report: shownReport(stored.value, deps),
      ...(query.stix && { stix: { ...stixBundle(stored.value, deps.publicUrl), type: "bundle" as const } }),
      meta: metaOf("bounty", context, startedMs),
    };
  },

  leaderboard: async ({ query }, context) => {
    const startedMs = performance.now();
    const standings = leaderboard(deps.known.values());
    const reporters = standings.slice(0, query.limit).map((standing, i) => ({
      rank: i + 1,
      reporter: nameOf(standing, deps),
      validity: round(standing.validity),
      right: standing.right,
      wrong: standing.wrong,
      reports: standing.reports,
    }));
    return { total: standings.length, reporters, meta: metaOf("bounty", context, startedMs) };
  },

  stats: async ({ query }, context) => {
    const startedMs = performance.now();
    const since = new Date(deps.now() - query.days * DAY_MS).toISOString();
    const reports = [...deps.known.values()].filter(({ created_at }) => created_at >= since);
    return {
      since,
      reports: reports.length,
      by_state: countBy(reports, ({ state }) => state),
      by_kind: countBy(reports, ({ kind }) => kind),
      reporters: new Set(reports.map(({ reporter }) => reporter)).size,
      domains: new Set(reports.map(({ registrableDomain: domain }) => domain)).size,
      meta: metaOf("bounty", context, startedMs),
    };
  },
});
