/** Hosts that hung what read them: how long nobody asks them anything, and what they lose by it. Pure. */
import type { SiteRecord, SiteStatus } from "../../schemas/site.ts";
import { DAY_MS, HOUR_MS, iso } from "../ports/time.ts";
import type { Conclusion, VisitFindings } from "./visit-findings.ts";

/** A host that hung what read it is left alone for this long, doubled each time, up to a week. */
const FIRST_QUARANTINE_MS = HOUR_MS;
const MAX_QUARANTINE_MS = 7 * DAY_MS;

/** A site that hung what read it is not known to be sound: it loses its ring, whatever it was. */
export function afterHang(
  previous: SiteRecord,
  seen: Pick<VisitFindings, "detail" | "txtValid">,
  now: number,
) {
  const strikes = (previous.quarantine?.strikes ?? 0) + 1;
  const until = now + quarantineMs(strikes);
  const wasEnabled = previous.status === "enabled" || previous.status === "stale";
  const status: SiteStatus = wasEnabled ? "stale" : seen.txtValid ? "partial" : previous.status;
  const detail = `${seen.detail} Not visited before ${iso(until)}.`.slice(0, 500);
  return {
    ...previous,
    ring: 0,
    status,
    reason: previous.reason === "verified" ? ("unreachable" as const) : previous.reason,
    failures: previous.failures + 1,
    failing_since: previous.failing_since ?? iso(now),
    verified_since: null,
    quarantine: {
      ...previous.quarantine,
      strikes,
      last_at: iso(now),
      until: iso(until),
      detail,
      in_force: true,
    },
  } satisfies SiteRecord;
}

const quarantineMs = (strikes: number): number =>
  Math.min(MAX_QUARANTINE_MS, FIRST_QUARANTINE_MS * 2 ** Math.min(strikes - 1, 20));

/** A visit ended and hung nothing. One that found the site well ends the count, too. */
export function released(record: SiteRecord, conclusion: Conclusion): SiteRecord {
  const { quarantine, ...rest } = record;
  if (!quarantine || conclusion === "sound") return rest;
  return { ...rest, quarantine: { ...quarantine, in_force: false } };
}

/** When the host may be visited again, in milliseconds; undefined when it is not in quarantine. */
export function quarantinedUntil(record: SiteRecord | undefined, now: number): number | undefined {
  if (!record?.quarantine?.in_force) return undefined;
  const until = Date.parse(record.quarantine.until);
  return until > now ? until : undefined;
}
