/** Appeals: the owner of a site asks that a decision against it be looked at again, by a person. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";

export const MAX_APPEAL_CHARS = 1_000;

export const AppealKind = z.enum(["block", "report", "delisting"]).meta({
  id: "AppealKind",
  description:
    "block: an operator took the site down; report: a confirmed report about a page of it; delisting: the crawl took it off the directory for a page that attacks machines",
});
export type AppealKind = z.infer<typeof AppealKind>;

export const AppealState = z.enum(["open", "upheld", "lifted"]).meta({
  id: "AppealState",
  description: "open: waits for an operator; upheld: the decision stands; lifted: it does not",
});
export type AppealState = z.infer<typeof AppealState>;

const decision = {
  kind: AppealKind,
  decision: z.string().max(64).meta({
    description: "The decision's id: the report's; of a block and of a delisting, when it was made",
    example: "2026-01-31T12:00:00.000Z",
  }),
  about: z.string().meta({ description: "What it is about: a host, a domain, or the address of a page" }),
  since: Timestamp,
  why: z.string().meta({ description: "The reason of the decision" }),
};

/** A decision against a site, as its owner sees it. */
export const AppealableDecision = z
  .object({
    ...decision,
    appeal: AppealState.nullable().meta({
      description: "Of the appeal against it; null: none. Only then, it can be appealed against",
    }),
  })
  .meta({ id: "AppealableDecision" });
export type AppealableDecision = z.infer<typeof AppealableDecision>;

export const Appeal = z
  .object({
    appeal_id: z.uuid(),
    domain: Host,
    ...decision,
    reason: z.string().meta({ description: "Why it should not stand, as the owner says" }),
    at: Timestamp,
    state: AppealState,
    answer: z
      .object({ why: z.string(), at: Timestamp })
      .nullable()
      .meta({ description: "What the operator says; the verdict of the site says it too" }),
  })
  .meta({ id: "Appeal" });
export type Appeal = z.infer<typeof Appeal>;

/** What everybody sees of it. */
export const AppealSummary = z
  .object({
    kind: AppealKind,
    state: AppealState,
    at: Timestamp,
    decided_at: Timestamp.nullable(),
    why: z.string().nullable().meta({ description: "What the operator says" }),
  })
  .meta({ id: "AppealSummary" });
export type AppealSummary = z.infer<typeof AppealSummary>;

/** An appeal as stored. */
export const StoredAppeal = z.looseObject({
  appealId: z.uuid(),
  /** Whose site it was, or NO_ACCOUNT. */
  accountId: z.string(),
  kind: AppealKind,
  decision: z.string(),
  about: z.string(),
  since: Timestamp,
  why: z.string(),
  reason: z.string(),
  at: Timestamp,
  state: AppealState,
  /** `who`: the operator's name, for operators alone. */
  answer: z.looseObject({ why: z.string(), at: Timestamp, who: z.string() }).optional(),
});
export type StoredAppeal = z.infer<typeof StoredAppeal>;

/** Appeals about one site, the oldest first. */
export const AppealsRecord = z.looseObject({
  v: z.literal(1),
  siteId: z.string(),
  appeals: z.array(StoredAppeal),
});
export type AppealsRecord = z.infer<typeof AppealsRecord>;
