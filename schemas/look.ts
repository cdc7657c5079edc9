/** What a look at a host saw that no record of the crawl holds: a probe that somebody asked for, or a visit of a host that was nothing. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";
import { Dnssec, StageCheck, VisitReason } from "./site.ts";

export const Look = z.looseObject({
  v: z.literal(1),
  host: Host,
  at: Timestamp,
  /** What was seen (src/crawl/observation.ts), without the document. */
  seen: z.looseObject({
    verdict: z.enum(["sound", "mismatch", "failure"]),
    ring: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    reason: VisitReason,
    detail: z.string(),
    dnssec: Dnssec,
    txtValid: z.boolean(),
    address: z.string().nullable(),
    serial: z.int().nullable(),
    kid: z.string().nullable(),
    expiresAt: Timestamp.nullable(),
    discoveryUrl: z.string().nullable(),
    checks: z.array(StageCheck.omit({ observed_at: true })),
  }),
  /** Commands and actions that the document declares; null where none was read. */
  offers: z.int().nullable(),
});
export type Look = z.infer<typeof Look>;
