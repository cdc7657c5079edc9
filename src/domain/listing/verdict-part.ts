/**
 * A feature's part of the verdict on a site: how what it keeps of a host is read, and what follows from that. The feature's own
 * file holds the part, and a row of src/crawl/verdict-parts.ts names it; who computes the verdict knows no feature.
 */
import type { SiteRecord } from "../../../schemas/site.ts";
import type { Fix, VerdictFinding, VerdictMembers } from "../../../schemas/verdict.ts";
import type { Broker } from "../../ports/broker.ts";

/** @typeParam Kept what the feature keeps of one host. Pure parts get none where only the crawl's record is at hand. */
export interface VerdictPart<Kept> {
  /** Absent where it keeps nothing beside the record. @returns reads it: canonical host, broker milliseconds */
  open?(buckets: Broker["buckets"]): (host: string, now: number) => Promise<Kept>;
  /** What is known against the site's pages. Conduct and headline follow from all findings. */
  findings?(kept: Kept | undefined, record: SiteRecord): readonly VerdictFinding[];
  /** What the owner can do about it. */
  fixes?(kept: Kept | undefined, record: SiteRecord): readonly Fix[];
  /** Members of the verdict that are the feature's. @param now milliseconds */
  members?(kept: Kept | undefined, record: SiteRecord, now: number): Partial<VerdictMembers>;
}
