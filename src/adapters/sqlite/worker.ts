/** A thread of the index: one connection, one request at a time. The main thread never waits for SQLite. */
import { parentPort, workerData } from "node:worker_threads";
import { candidates } from "./candidates.ts";
import { Chooser } from "./choosing.ts";
import { Connection } from "./connection.ts";
import { facets } from "./facets.ts";
import { defineDistance } from "./filter.ts";
import { changes, get, list, listingsOf, sample, stats } from "./listings.ts";
import type { Operation, Operations, Reply, Request, ThreadData } from "./messages.ts";
import { nearest } from "./nearest.ts";
import { Roster } from "./roster.ts";
import { isDamage, markDamaged, openFile, openReader } from "./schema.ts";
import { similarTerms } from "./similar-terms.ts";
import { Writer } from "./writer.ts";

/** How often a reader takes in what was written. */
const FOLLOW_EVERY_MS = 1_000;

type Handlers = { [O in Operation]?: (argument: Operations[O]["argument"]) => Operations[O]["result"] };

const { path, role } = workerData as ThreadData;
const port = parentPort!;
const reply = (message: Reply): void => port.postMessage(message);

/** @returns `warm`: reads what the first search would otherwise wait for */
const start = (): { id: string; handlers: Handlers; warm?: () => void } => {
  if (role === "writer") {
    const { db, id } = openFile(path);
    const writer = new Writer(db);
    const close = (): undefined => {
      db.close();
      return undefined;
    };
    return { id, handlers: { apply: (writes) => writer.apply(writes), close } };
  }
  const db = openReader(path);
  defineDistance(db);
  const connection = new Connection(db);
  const roster = new Roster();
  const finder = { connection, roster, chooser: new Chooser(roster) };
  return {
    id: "",
    warm: () => connection.snapshot(() => roster.refresh(connection)),
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
        connection.close();
        return undefined;
      },
    },
  };
};

const { id, handlers, warm } = start();

const follow = (): void => {
  try {
    warm?.();
  } catch (error) {
    // The search that meets it says so; damage is met again by the next opening.
    if (isDamage(error)) markDamaged(path);
  }
};
// Also while nobody asks: the first search after a long filling must not take it all in.
const following = setInterval(follow, FOLLOW_EVERY_MS).unref();

port.on("message", ({ call, operation, argument }: Request) => {
  try {
    // The main side pairs operations with their arguments by type (SqliteThread.call).
    const handle = handlers[operation] as (argument: unknown) => Operations[Operation]["result"];
    reply({ kind: "done", call, result: handle(argument) });
  } catch (error) {
    if (isDamage(error)) markDamaged(path);
    reply({ kind: "failed", call, message: error instanceof Error ? error.message : String(error) });
  }
  if (operation === "close") {
    clearInterval(following);
    port.close();
  }
});
reply({ kind: "ready", id });
follow();
