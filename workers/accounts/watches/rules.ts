/** What is watched of a site, and what of it is news. Pure. */
import { hash } from "node:crypto";
import { type AgentService, LEVELS, type Level } from "../../../schemas/agent-web.ts";
import { WATCHED, type WatchChange, type Watched } from "../../../schemas/watch.ts";
import { levelOf } from "../../../src/agent-web/presence.ts";
import { type VerdictFacts, verdictSummary } from "../../../src/crawl/verdict.ts";

/** How a watched site stands, and whether the last look could not tell. */
export interface Standing {
  watched: Watched;
  /** A service gave no answer that says anything: what it was before may still hold. */
  isUncertain: boolean;
}

/** @param service endpoint of the one service that is watched, as URL has it; null: the whole site */
export function standingOf(known: VerdictFacts, service: string | null, now: number): Standing {
  const { state, listed } = verdictSummary(known, now);
  const presence = known.isBlocked ? undefined : known.presence;
  const services = (presence?.services ?? []).filter(
    ({ endpoint }) => service === null || URL.parse(endpoint)?.href === service,
  );
  const level = service === null ? levelOf(presence, listed) : (services[0]?.level ?? null);
  return {
    watched: { verdict: state, level, tools: toolsOf(services), auth: authOf(services) },
    isUncertain: services.some(
      ({ observation }) => observation?.class === "unknown" || observation?.class === "rate_limited",
    ),
  };
}

/** The digest of the one list of tools, or of all lists together, in an order that does not matter. */
function toolsOf(services: readonly AgentService[]): string | null {
  const lists = services.flatMap(({ protocol, endpoint, observation }) =>
    observation?.tools_sha256 ? [{ name: `${protocol} ${endpoint}`, digest: observation.tools_sha256 }] : [],
  );
  if (lists.length <= 1) return lists[0]?.digest ?? null;
  return hash(
    "sha256",
    lists
      .map(({ name, digest }) => `${name} ${digest}\n`)
      .sort()
      .join(""),
  );
}

function authOf(services: readonly AgentService[]): string | null {
  const ways = services.flatMap(({ auth, observation }) => {
    if (observation?.class === "open") return ["none"];
    if (observation?.class === "auth") return [auth === "unknown" || auth === "none" ? "required" : auth];
    return [];
  });
  return ways.length === 0 ? null : [...new Set(ways)].sort().join(",");
}

/**
 * What a watch remembers after a look: what is not known now is as it was. A site that was never visited, tools that were not listed
 * and a service that could not be asked are no news.
 */
export function afterLook(before: Watched, { watched, isUncertain }: Standing): Watched {
  const isLower = rankOf(watched.level) < rankOf(before.level);
  return {
    verdict: watched.verdict === "unknown" ? before.verdict : watched.verdict,
    level: isLower && isUncertain ? before.level : watched.level,
    tools: watched.tools ?? before.tools,
    auth: watched.auth === null || isUncertain ? before.auth : watched.auth,
  };
}

const rankOf = (level: Level | null): number => (level === null ? -1 : LEVELS.indexOf(level));

/** What is news. Tools and ways in that became known for the first time are none. */
export const changesOf = (before: Watched, after: Watched): WatchChange[] =>
  WATCHED.filter((what) => before[what] !== after[what])
    .filter((what) => before[what] !== null || what === "level")
    .map((what) => ({ what, before: before[what], after: after[what] }));
