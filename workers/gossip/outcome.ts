/** What became of the site that a report names: said to who reported it, by the same facts as its verdict. */
import type { ReportOutcome } from "../../schemas/peer.ts";
import { knownByLook, type SiteStores } from "../../src/crawl/known-site.ts";
import type { Looks } from "../../src/crawl/look.ts";
import { verdictUrl } from "../../src/crawl/verdict.ts";
import type { Frontier } from "../../src/ports/frontier.ts";

export interface OutcomeDeps extends SiteStores {
  looks: Pick<Looks, "get" | "presence">;
  frontier: Pick<Frontier, "has">;
  publicUrl: string;
}

const DETAILS: Readonly<Record<ReportOutcome["state"], string>> = {
  queued: "Its first visit is queued; verdict_url says what it found as soon as it was made.",
  visited:
    "It was visited at last_visit_at; verdict_url says what was found. A report has it visited at most once an hour.",
  blocked: "The registry does not visit it; verdict_url says so.",
  not_taken:
    "It was not queued: your network named many hosts lately, or many of its domain wait already. Report it again later.",
};

/** @param host canonical, after its admission */
export async function outcomeOf(deps: OutcomeDeps, host: string): Promise<ReportOutcome> {
  const [{ record, isBlocked }, waits] = await Promise.all([
    knownByLook(deps, host),
    deps.frontier.has(host),
  ]);
  const isVisited = record !== undefined && record.visits > 0;
  const state = isBlocked ? "blocked" : isVisited ? "visited" : waits ? "queued" : "not_taken";
  return {
    domain: host,
    state,
    detail: DETAILS[state],
    verdict_url: verdictUrl(deps.publicUrl, host),
    last_visit_at: isVisited && !isBlocked ? record.last_visit_at : null,
  };
}
