/** Operator commands for a running registry: search, dead letters. */

import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import { allRecords, openRecords } from "../../src/stores/records.ts";
import { call } from "../../src/transport/client.ts";
import { DeadLetter } from "../../workers/crawler/contract.ts";
import { retryDeadLetter } from "../../workers/operators/dead-letters.ts";
import { search } from "../../workers/search/contract.ts";
import { hostOf, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

/** Prints search results. @returns 0, or 4 without results */
export const searchSites = (
  config: Config,
  words: string,
  options: { category?: string; limit: number; json: boolean },
): Promise<number> =>
  withRuntime(config, async ({ broker }) => {
    const query = {
      q: words,
      limit: options.limit,
      status: "enabled" as const,
      as_typed: false,
      highlight: false,
      explain: false,
      offset: 0,
      ...(options.category && { category: options.category }),
    };
    const reply = await call(broker.connection, broker.prefix, search, "directorySearch", { query });
    if (reply instanceof Failure) throw new CommandError(reply.detail);
    if (options.json) print(JSON.stringify(reply));
    else
      for (const { name, domain, category, trust_score, description } of reply.results)
        print(
          printable(`${domain}  ${name} (${category}, trust ${trust_score})`) +
            `\n    ${printable(description.slice(0, 160))}`,
        );
    if (reply.results.length === 0 && !options.json) say("Nothing found.");
    return reply.results.length === 0 ? 4 : 0;
  });

/** Lists dead letters; with `requeue`, visits those hosts at once and removes their letters. @returns their number */
export const deadLetters = (
  config: Config,
  options: { requeue: string[]; all: boolean; json: boolean },
): Promise<number> =>
  withRuntime(config, async ({ broker, frontier }) => {
    const letters = openRecords(broker.buckets.dead_letters, DeadLetter);
    const wanted = new Set(options.requeue.map(hostOf));
    const found = await allRecords(letters);
    for (const letter of found) {
      if (!options.all && !wanted.has(letter.host)) continue;
      await retryDeadLetter({ frontier, letters, now: broker.now }, letter);
    }
    if (options.json) print(JSON.stringify(found));
    else for (const { host, at, error } of found) print(`${at}  ${host}  ${error.split("\n")[0]}`);
    if (found.length === 0 && !options.json) say("No dead letters.");
    return found.length;
  });
