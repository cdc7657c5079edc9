/**
 * What a process that hung left behind, made known to all: the hosts that it was visiting go into quarantine, or under
 * suspicion where nobody knows which of several it was.
 */
import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import { afterEnding } from "../../src/crawl/quarantine.ts";
import { hostKey, parseHost } from "../../src/domain/names/domain-name.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Records } from "../../src/stores/records.ts";
import { type Ending, takeEndings } from "../../src/threads/endings.ts";

export interface SuspectsDeps {
  sites: Pick<Records<SiteRecord>, "update">;
  frontier: Pick<Frontier, "add">;
  now: () => number;
  log: Logger;
}

const record = async (
  { sites, frontier, now }: SuspectsDeps,
  host: string,
  isExact: boolean,
): Promise<void> => {
  const written = await sites.update(hostKey(host), (before) => {
    const next = afterEnding(before, host, isExact, now());
    return { next, result: { isNew: before === undefined, nextVisitAt: Date.parse(next.next_visit_at) } };
  });
  // A token that says that there is a record, or the first visit would not look for one.
  if (written?.isNew)
    await frontier.add(host, written.nextVisitAt, { source: "audit", heardAt: now(), visited: true });
};

const judge = async (deps: SuspectsDeps, { at, thread, why, hosts, current }: Ending): Promise<void> => {
  const named = current === undefined ? hosts : [current];
  const suspects = named.filter((host) => parseHost(host).ok);
  deps.log.warn({ at, thread, why, suspects }, "a process of this home hung and was ended");
  for (const host of suspects) await record(deps, host, suspects.length === 1);
};

/**
 * Reads the endings that processes of this home left, and writes them into the hosts' records. Called before visits begin.
 * @param folder homePaths(…).endings
 */
export const judgeEndings = async (folder: string, deps: SuspectsDeps): Promise<void> => {
  for (const { ending, done } of takeEndings(folder)) {
    await judge(deps, ending);
    done();
  }
};
