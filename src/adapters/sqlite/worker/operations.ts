/** What one connection to the index answers: one operation at a time, in whichever thread it is asked. */
import { candidates } from "../reader/candidates.ts";
import { Chooser } from "../reader/collector.ts";
import { facets } from "../reader/facets.ts";
import { changes, get, list, listingsOf, sample, stats } from "../reader/listings.ts";
import { nearest } from "../reader/nearest.ts";
import { similarTerms } from "../reader/similar-terms.ts";
import { Roster } from "../reader/site-columns.ts";
import { Connection } from "../storage/connection.ts";
import { defineDistance } from "../storage/filter.ts";
import { isDamage, markDamaged, openFile, openReader } from "../storage/index-file.ts";
import { Writer } from "../writer/writer.ts";
import type { Operation, Operations, ThreadData } from "./messages.ts";

/** How often a reader takes in what was written. */
const FOLLOW_EVERY_MS = 1_000;

type Handlers = { [O in Operation]?: (argument: Operations[O]["argument"]) => Operations[O]["result"] };

export interface IndexConnection {
  /** The index's own, from its file; empty for readers. */
  id: string;
  /** @throws SQLite's error; where it says that the file is damaged, the next opening starts a new index */
  call<O extends Operation>(operation: O, argument: Operations[O]["argument"]): Operations[O]["result"];
}

const openWriter = (path: string): { id: string; handlers: Handlers } => {
  const { db, id } = openFile(path);
  const writer = new Writer(db);
  const close = (): undefined => {
    db.close();
    return undefined;
  };
  return { id, handlers: { apply: (writes) => writer.apply(writes), close } };
};

/** Follows what is written also while nobody asks: the first search after a long filling must not take it all in. */
const followWrites = (path: string, connection: Connection, roster: Roster): NodeJS.Timeout => {
  const follow = (): void => {
    try {
      connection.snapshot(() => roster.refresh(connection));
    } catch (error) {
      // The search that meets it says so; damage is met again by the next opening.
      if (isDamage(error)) markDamaged(path);
    }
  };
  setImmediate(follow);
  return setInterval(follow, FOLLOW_EVERY_MS).unref();
};

const openReading = (path: string): { id: string; handlers: Handlers } => {
  const db = openReader(path);
  defineDistance(db);
  const connection = new Connection(db);
  const roster = new Roster();
  const finder = { connection, roster, chooser: new Chooser(roster) };
  const following = followWrites(path, connection, roster);
  return {
    id: "",
    handlers: {
      candidates: (query) => candidates(finder, query),
      nearest: (query) => nearest(finder, query),
      listings: (siteIds) => listingsOf(connection, siteIds),
      facets: (query) => facets(finder, query),
      similarTerms: (query) => similarTerms(finder, query),
      changes: (query) => changes(connection, query),
      list: ({ query, known }) => {
        const page = list(finder, query);
        return page.tag === known ? undefined : page;
      },
      get: (siteId) => get(connection, siteId),
      sample: (query) => sample(finder, query),
      stats: () => stats(connection),
      close: (): undefined => {
        clearInterval(following);
        connection.close();
        return undefined;
      },
    },
  };
};

/** Opens the file, which a writer makes or checks and readers need to be there. @throws SQLite's error */
export const openConnection = ({ path, role }: ThreadData): IndexConnection => {
  const { id, handlers } = role === "writer" ? openWriter(path) : openReading(path);
  return {
    id,
    call: (operation, argument) => {
      const handle = handlers[operation];
      if (handle === undefined) throw new TypeError(`A ${role} has no ${operation}`);
      try {
        return handle(argument);
      } catch (error) {
        if (isDamage(error)) markDamaged(path);
        throw error;
      }
    },
  };
};
