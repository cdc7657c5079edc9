/** Reports that wait for a person, for the operators' API. */
import type { Logger } from "pino";
import { BountyReport, type ReportState } from "../../../schemas/bounty.ts";
import type { Bucket } from "../../../src/ports/buckets.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { REPORT_KEYS } from "./reports.ts";
import { priorityOf } from "./rules.ts";

/** What no module could settle. */
export const WAITING: readonly ReportState[] = ["new", "needs_more_info"];

export interface QueueFilter {
  states: readonly ReportState[];
  /** Registrable. */
  domain?: string | undefined;
  limit: number;
}

/** Reads every report. @returns the most urgent first, and how many there are */
export async function reportQueue(
  bucket: Bucket,
  { states, domain, limit }: QueueFilter,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<{ total: number; reports: BountyReport[] }> {
  const found = new Map<string, BountyReport>();
  const following = await followRecords({
    bucket,
    schema: BountyReport,
    key: REPORT_KEYS,
    onPut: (id, report) => {
      const isWanted =
        states.includes(report.state) && (domain ?? report.registrableDomain) === report.registrableDomain;
      if (isWanted) found.set(id, report);
      else found.delete(id);
    },
    onRemove: (id) => void found.delete(id),
    clock,
    log,
  });
  following.stop();
  const reports = [...found.values()].sort(
    (a, b) => priorityOf(b) - priorityOf(a) || (a.reportId < b.reportId ? -1 : 1),
  );
  return { total: reports.length, reports: reports.slice(0, limit) };
}
