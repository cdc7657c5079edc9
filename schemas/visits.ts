/** What the crawl did today. */
import { z } from "zod";
import { Host, Timestamp, TrustRing } from "./common.ts";
import { SiteState, VerdictReason } from "./verdict.ts";

/** The last visit of a host, as the verdict on it says it now. */
export const LastVisit = z
  .object({
    domain: Host,
    state: SiteState,
    reason: VerdictReason,
    ring: TrustRing,
    visited_at: Timestamp,
    next_visit_at: Timestamp,
  })
  .meta({ id: "LastVisit" });
export type LastVisit = z.infer<typeof LastVisit>;

export const VisitsToday = z
  .object({
    by_hour: z.array(
      z.object({
        hour: z.int().min(0).max(23),
        listed: z.int().min(0).meta({ description: "Visits that verified a site" }),
        found: z
          .int()
          .min(0)
          .meta({ description: "Visits that found something for agents, and no claim to the domain" }),
        not_listed: z.int().min(0),
        endpoints: z.int().min(0).meta({ description: "Endpoints of agents that were spoken to" }),
      }),
    ),
    by_reason: z
      .array(z.object({ reason: VerdictReason, visits: z.int().min(1) }))
      .meta({ description: "What visits found, the most frequent first" }),
  })
  .meta({ id: "VisitsToday", description: "Visits of today (UTC); hours without one are left out" });
export type VisitsToday = z.infer<typeof VisitsToday>;
