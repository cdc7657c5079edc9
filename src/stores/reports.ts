/**
 * Reports of the bounty network. A change of one is written with what follows from it: the confirmed reports of its domain,
 * which site verdicts, ranking and the firewall read.
 */
import { createHash } from "node:crypto";
import { BountyReport, type ConfirmedReport, ConfirmedReports } from "../../schemas/bounty.ts";
import { fairShare } from "../domain/fair-share.ts";
import { reportFinding } from "../domain/listing/conduct.ts";
import type { VerdictPart } from "../domain/listing/verdict-part.ts";
import { registrableDomain } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import type { Frontier } from "../ports/frontier.ts";
import { BUCKETS } from "../ports/storage.ts";
import { type Edit, openRecords, type Records } from "./records.ts";

/** Longest address that is reported, as a URL parser writes it: what is kept of a domain is bounded by it. */
export const MAX_URL_CHARS = 2_048;
/** Confirmed reports kept of one domain; of more, the host that has most loses its oldest. */
const MAX_CONFIRMED = 64;
const KEPT_MS = BUCKETS.confirmed_reports.ttlMs;

export interface ReportStore {
  reports: Records<BountyReport>;
  confirmed: Records<ConfirmedReports>;
  /** Has a host visited next: its record follows the confirmed reports about it. */
  visitNext: (host: string) => Promise<void>;
}

type Buckets = Pick<Broker["buckets"], "bounty_reports" | "confirmed_reports">;

/** @param now broker milliseconds */
export const openReports = (
  buckets: Buckets,
  frontier: Pick<Frontier, "bringForward">,
  now: () => number,
): ReportStore => ({
  reports: openRecords(buckets.bounty_reports, BountyReport),
  confirmed: openConfirmedReports(buckets),
  visitNext: async (host) => {
    // Reports are kept by the bare name; the site may be either.
    for (const name of [host, `www.${host}`]) await frontier.bringForward(name, Math.floor(now()));
  },
});

export const openConfirmedReports = (
  buckets: Pick<Buckets, "confirmed_reports">,
): Records<ConfirmedReports> => openRecords(buckets.confirmed_reports, ConfirmedReports);

/**
 * The confirmed reports about pages of one host, the oldest first: those that hold now. `www.` is the same host, another
 * name below the domain is not.
 * @param nowMs broker milliseconds
 */
export async function confirmedReports(
  confirmed: Pick<Records<ConfirmedReports>, "get">,
  host: string,
  nowMs: number,
): Promise<ConfirmedReport[]> {
  const stored = await confirmed.get(domainKey(domainOf(host)));
  const since = nowMs - KEPT_MS;
  return (stored?.value.reports ?? []).filter(
    (report) => report.host === bareHost(host) && Date.parse(report.last_seen) > since,
  );
}

/** A domain's key in the bucket: what an IPv6 address is written with cannot be in one. */
const domainKey = (domain: string): string => createHash("sha256").update(domain).digest("base64url");
const domainOf = (host: string): string => registrableDomain(bareHost(host));

const bareHost = (host: string): string => (host.startsWith("www.") ? host.slice(4) : host);

/** Changes a report, and then what follows from it. @returns the result of the edit; undefined after too many conflicts */
export async function changeReport<R>(
  store: ReportStore,
  reportId: string,
  edit: (before: BountyReport | undefined) => Edit<BountyReport, R>,
): Promise<R | undefined> {
  let isChanged = false;
  const result = await store.reports.update(reportId, (before) => {
    const edited = edit(before);
    isChanged = edited.next !== undefined;
    return edited;
  });
  if (isChanged) await followReport(store, reportId);
  return result;
}

/**
 * Brings the confirmed reports of a report's domain in line with the report as it is now: it stands among them while its
 * state is `triaged`. What changes there has the site visited next.
 */
export async function followReport(
  { reports, confirmed, visitNext }: ReportStore,
  reportId: string,
): Promise<void> {
  const stored = (await reports.get(reportId))?.value;
  if (!stored) return;
  const { hostname } = new URL(stored.canonicalUrl);
  const domain = domainOf(hostname);
  let isChanged = false;
  const done = await confirmed.update(domainKey(domain), async (before) => {
    // Read again within the update: of two changes at once, the later one is what both write.
    const report = (await reports.get(reportId))?.value;
    const earlier = before?.reports ?? [];
    const known = earlier.find((one) => one.reportId === reportId);
    const others = earlier.filter((one) => one !== known);
    const now = report?.state === "triaged" ? confirmedOf(report, known) : undefined;
    isChanged = JSON.stringify(now) !== JSON.stringify(known);
    if (!isChanged) return { result: true };
    const all = now ? [...others, now] : others;
    return {
      next: { v: 1, domain, reports: fairShare(all, MAX_CONFIRMED, ({ host }) => host) },
      result: true,
    };
  });
  if (!done) throw new Error("the confirmed reports of one domain changed under every attempt");
  if (isChanged) await visitNext(bareHost(hostname));
}

function confirmedOf(report: BountyReport, known: ConfirmedReport | undefined): ConfirmedReport {
  const { reportId, kind, canonicalUrl, reason, corroboration, changes, created_at, updated_at } = report;
  const rules = corroboration.filter(({ supports }) => supports).flatMap((one) => one.rules);
  return {
    reportId,
    kind,
    url: canonicalUrl,
    host: bareHost(new URL(canonicalUrl).hostname),
    reason,
    confirmedBy: changes.at(-1)?.by ?? "modules",
    rules: [...new Set(rules)].slice(0, 20),
    first_seen: known?.first_seen ?? created_at,
    last_seen: updated_at,
  };
}

/** Confirmed reports are findings: those that hold now, else those that the last visit knew of. */
export const reportsPart: VerdictPart<readonly ConfirmedReport[]> = {
  open: (buckets) => {
    const confirmed = openConfirmedReports(buckets);
    return (host, now) => confirmedReports(confirmed, host, now);
  },
  findings: (reports, record) => (reports ?? record.reported ?? []).map(reportFinding),
};
