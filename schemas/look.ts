/** What a look at a host saw that no record of the crawl holds: a probe that somebody asked for, or a visit of a host that was nothing. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";
import { SiteFacts, StageCheck, VisitReason } from "./site.ts";

/** Facts that a look keeps: none of the document's, but how much it offers. */
export const LookFacts = SiteFacts.pick({
  dnssec: true,
  address: true,
  discovery_url: true,
  serial: true,
  kid: true,
  expires_at: true,
  offers: true,
}).partial();

export const Look = z.looseObject({
  v: z.literal(1),
  host: Host,
  at: Timestamp,
  seen: z.object({
    /** `failure`: nothing is concluded (network, parse); `mismatch`: what is claimed is not so; `sound`: ring 1 to 3. */
    conclusion: z.enum(["sound", "mismatch", "failure"]),
    ring: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    reason: VisitReason,
    detail: z.string(),
    /** Whether DNS holds a usable TXT record, even where the document is missing or wrong. */
    txtValid: z.boolean(),
    facts: LookFacts,
    /** One for each stage, in order; none where none was run. */
    checks: z.array(StageCheck.omit({ observed_at: true })),
  }),
});
export type Look = z.infer<typeof Look>;
