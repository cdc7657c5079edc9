/** What the crawl saw on each page of a site, stored beside its record. */
import { z } from "zod";
import { Effect } from "./action.ts";
import { Timestamp } from "./common.ts";
import { PageFinding } from "./site.ts";

const Share = z.number().min(0).max(1);

/** Parts run from 0 (worst) to 1 (best). */
export const PageMeasures = z.looseObject({
  dark: Share,
  affiliate: Share,
  trackers: Share,
  ownership: Share,
  /** It hides instructions to the machines that read it. */
  malicious: z.boolean(),
  /** It holds a paid link by which a declared commission of nothing is false. */
  paid: z.boolean(),
  /** It names a parent company. */
  parent: z.boolean(),
});
export type PageMeasures = z.infer<typeof PageMeasures>;

/** A form that a page declares as a tool. */
export const PageTool = z.looseObject({ name: z.string(), description: z.string(), effect: Effect });
export type PageTool = z.infer<typeof PageTool>;

export const PageRecord = z.looseObject({
  page: z.string().meta({ description: "Its address, as it was asked for" }),
  seen_at: Timestamp,
  text_hash: z.string().meta({ description: "Tells whether it says the same when it is read again" }),
  measures: PageMeasures,
  findings: z.array(PageFinding),
  /** Absent where there are none. */
  tools: z.array(PageTool).optional(),
});
export type PageRecord = z.infer<typeof PageRecord>;

export const SitePages = z.looseObject({
  v: z.literal(1),
  pages: z.array(PageRecord),
  /** Addresses that gave no page, or no answer, when they were last asked for. */
  unread: z.array(z.looseObject({ page: z.string(), tried_at: Timestamp })),
});
export type SitePages = z.infer<typeof SitePages>;
