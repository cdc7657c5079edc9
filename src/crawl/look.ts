/**
 * Looks: what was seen of a host outside its record. Kept for a day, so that every interface answers from the last look, and
 * a host that was named and is nothing can be told why.
 */
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { Look, LookFacts } from "../../schemas/look.ts";
import { MAX_CHECK_DETAIL, type SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { iso } from "../ports/time.ts";
import { openPresences } from "../stores/presences.ts";
import { openRecords, type Records } from "../stores/records.ts";
import { afterVisit } from "./judgement.ts";
import type { VisitFindings } from "./visit-findings.ts";

export interface Looks {
  get(host: string): Promise<Look | undefined>;
  /** What the host publishes for agents, in any format. */
  presence(host: string): Promise<AgentPresence | undefined>;
  /** Keeps what was seen at `at` (milliseconds). */
  put(host: string, seen: VisitFindings, at: number): Promise<Look>;
}

export function openLooks(buckets: Pick<Broker["buckets"], "looks" | "contents">): Looks {
  const records: Records<Look> = openRecords(buckets.looks, Look);
  return {
    get: async (host) => (await records.get(hostKey(host)))?.value,
    presence: openPresences(buckets.contents).get,
    put: async (host, seen, at) => {
      const look = lookOf(host, seen, at);
      await records.put(hostKey(host), look);
      return look;
    },
  };
}

function lookOf(host: string, { measured: _, ...seen }: VisitFindings, at: number): Look {
  const checks = seen.checks.map((check) => ({
    ...check,
    detail: check.detail.slice(0, MAX_CHECK_DETAIL).toWellFormed(),
  }));
  return { v: 1, host, at: iso(at), seen: { ...seen, facts: LookFacts.parse(seen.facts), checks } };
}

/**
 * The record of a host that the crawl keeps none of, by the last look at it; undefined where that found a verified site: its
 * visit follows, and nothing says that it is listed before.
 */
export function recordOfLook(look: Look): SiteRecord | undefined {
  const at = Date.parse(look.at);
  const { record } = afterVisit(undefined, look.host, look.seen, at, at);
  return record.status === "enabled" ? undefined : record;
}
