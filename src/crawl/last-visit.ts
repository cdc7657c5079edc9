/** A host's last visit in a line, as the verdict on it says it now. */
import type { SiteRecord } from "../../schemas/site.ts";
import type { LastVisit } from "../../schemas/visits.ts";
import { ringOf } from "../domain/listing/listing.ts";
import { recordAt, verdictSummary } from "./verdict.ts";

/** @param record of a host that is not blocked. @param now milliseconds */
export function lastVisit(record: SiteRecord, now: number): LastVisit {
  const { state, reason } = verdictSummary({ record, isBlocked: false }, now);
  return {
    domain: record.siteId,
    state,
    reason,
    ring: ringOf(recordAt(record, now)),
    visited_at: record.last_visit_at,
    next_visit_at: record.next_visit_at,
  };
}
