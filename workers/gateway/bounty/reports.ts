/** Reports as they are kept: places among those of one target, and names that are shown. */
import { createHash } from "node:crypto";
import type { BountyReport, BountyTarget } from "../../../schemas/bounty.ts";
import { round } from "../../../src/detectors/risk.ts";
import { fairShare } from "../../../src/domain/fair-share.ts";
import { keyed } from "../../../src/domain/keyed.ts";
import { networkGroup } from "../../../src/domain/names/address.ts";
import { canonicalUrl } from "../../../src/domain/names/canonical-url.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Records } from "../../../src/stores/records.ts";
import { isDuplicate } from "./dedupe.ts";
import { isConfirmed, priorityOf } from "./rules.ts";

/** Reports of one kind about one domain that others are compared with. */
const MAX_COMPARED = 200;

/** What counting needs of a report. */
export type KnownReport = Pick<
  BountyReport,
  "reporter" | "handle" | "state" | "kind" | "registrableDomain" | "created_at"
>;

/** Who reported first by each handle, followed in memory. */
export type Handles = ReadonlyMap<string, Pick<KnownReport, "reporter" | "created_at">>;

type Submitted = Pick<BountyReport, "url" | "kind" | "description"> & { handle?: string | undefined };

interface Named {
  handle: string | null;
  reporter: string;
}

/** Keys of reports, which are their ids; those of targets have two parts. */
export const REPORT_KEYS = "*";

type Placed = Pick<BountyReport, "reportId" | "canonicalUrl" | "description" | "kind" | "registrableDomain">;

/** Names a reporter without saying who it is: the account, or the key where there is none. */
export const reporterOf = (secret: string, { accountId, usageId }: Principals["key"]): string =>
  keyed(secret, "bounty reporter", accountId ?? usageId)
    .toString("base64url")
    .slice(0, 16);

/** Who holds a place: the account, or the network of keys without one. */
export const holderOf = (
  secret: string,
  { principal: { accountId }, clientAddress }: RequestContext<Principals["key"]>,
): string =>
  keyed(secret, "bounty place", accountId ?? networkGroup(clientAddress) ?? "inside")
    .toString("base64url")
    .slice(0, 10);

/** A report before it is judged. */
export const newReport = (
  { url: given, handle, kind, description }: Submitted,
  url: URL,
  reporter: string,
  nowMs: number,
) => ({
  v: 1 as const,
  reportId: uuidv7(),
  reporter,
  handle: handle ?? null,
  url: given,
  canonicalUrl: canonicalUrl(url),
  registrableDomain: registrableDomain(url.hostname),
  kind,
  description,
  created_at: iso(nowMs),
  updated_at: iso(nowMs),
});

/** The state of a report that repeats another. */
export const duplicateState = (of: string) => ({
  state: "duplicate" as const,
  reason: `The same as ${of}, which was looked at again.`,
});

export const shownReport = (report: BountyReport, handles: Handles) => ({
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
  reporter: nameOf(report, handles),
  priority: round(priorityOf(report)),
  // Who decided is for operators to know.
  changes: report.changes.map(({ state, reason, at, by }) => ({ state, reason, at, by })),
  created_at: report.created_at,
  updated_at: report.updated_at,
});

/** A handle is its first holder's: nobody takes another's name. */
export function nameOf({ handle, reporter }: Named, handles: Handles): string {
  const isOwn = handle !== null && (handles.get(handle)?.reporter ?? reporter) === reporter;
  return isOwn ? handle : `reporter-${reporter.slice(0, 8)}`;
}

/**
 * Takes a place among the reports of a target.
 * @param isLook only looks: what says nothing takes no place, or the next report of the page would be the duplicate of it
 * @returns the report that this one repeats, if any
 */
export async function takeReportSlot(
  targets: Records<BountyTarget>,
  report: Placed,
  by: string,
  isLook = false,
): Promise<string | undefined> {
  const { reportId, canonicalUrl, description } = report;
  const key = targetKey(report);
  const placed = await targets.update<{ repeats: string | undefined }>(key, (target) => {
    const earlier = target?.reports ?? [];
    const first = earlier.find((one) => isDuplicate(one, report));
    if (first || isLook) return { result: { repeats: first?.reportId } };
    const reports = [...earlier, { reportId, canonicalUrl, description: description.slice(0, 500), by }];
    return {
      next: { v: 1, reports: fairShare(reports, MAX_COMPARED, (one) => one.by) },
      result: { repeats: undefined },
    };
  });
  if (!placed) throw new Error("the reports of one target changed under every attempt");
  return placed.repeats;
}

const targetKey = ({ kind, registrableDomain }: Pick<BountyReport, "kind" | "registrableDomain">): string =>
  `target.${createHash("sha256").update(`${kind}\n${registrableDomain}`).digest("base64url")}`;
