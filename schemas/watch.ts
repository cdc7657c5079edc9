/** Watches: an account is told when what the registry says of a site or a service changes. */
import { z } from "zod";
import { Level } from "./agent-web.ts";
import { Host, Timestamp } from "./common.ts";
import { SiteState } from "./verdict.ts";

/** Of an account, whatever its plan. */
export const MOST_WATCHES = 100;

/** What is watched of a site or service. Closed vocabularies and digests alone: no words of strangers. */
export const Watched = z
  .object({
    verdict: SiteState,
    level: Level.nullable().meta({ description: "Of the site, or of the service alone" }),
    tools: z.string().nullable().meta({
      description: "SHA-256 of the lists of tools that were seen last; null: none was",
    }),
    auth: z.string().nullable().meta({
      description: "How its services let agents in, in alphabetical order; null: not known",
      example: "none,oauth",
    }),
  })
  .meta({ id: "Watched" });
export type Watched = z.infer<typeof Watched>;

export const WATCHED = ["verdict", "level", "tools", "auth"] as const satisfies readonly (keyof Watched)[];

export const WatchRecord = z.looseObject({
  id: z.uuid(),
  domain: Host,
  /** Endpoint of the one service that is watched; null: the whole site. */
  service: z.string().nullable(),
  /** Where it is told; null: by mail. */
  webhook: z.string().nullable(),
  createdAt: Timestamp,
  /** As it was last told, or when it began. */
  seen: Watched,
  toldAt: Timestamp.nullable(),
});
export type WatchRecord = z.infer<typeof WatchRecord>;

/** All watches of an account: one record, so that a limit is one compare-and-set. */
export const WatchesRecord = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  watches: z.array(WatchRecord).max(MOST_WATCHES),
});
export type WatchesRecord = z.infer<typeof WatchesRecord>;

export const WatchChange = z.object({
  what: z.enum(WATCHED),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type WatchChange = z.infer<typeof WatchChange>;

/** What a webhook of a watch says. */
export const WatchNews = z
  .object({
    type: z.literal("watch.changed"),
    watch_id: z.uuid(),
    domain: Host,
    service: z.string().nullable(),
    at: Timestamp,
    changes: z.array(WatchChange).min(1),
    verdict_url: z.url().meta({ description: "All that the registry says of the site" }),
  })
  .meta({ id: "WatchNews" });
export type WatchNews = z.infer<typeof WatchNews>;
