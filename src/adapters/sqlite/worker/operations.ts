/** What one connection to the index answers: one operation at a time, in whichever thread it is asked. */
import { candidates, nearest } from "../reader/candidates.ts";
import { Collector } from "../reader/collector.ts";
import { facets } from "../reader/facets.ts";
import { changes, encodedVectors, get, list, listings, sample, stats } from "../reader/listings.ts";
import type { Searcher } from "../reader/searcher.ts";
import { similarTerms } from "../reader/similar-terms.ts";
import { SiteColumns } from "../reader/site-columns.ts";
import { SqliteConnection } from "../storage/connection.ts";
import { defineDistance } from "../storage/filter.ts";
import { isDamage, markDamaged, openFile, openReader } from "../storage/index-file.ts";
import type { PackedWrites } from "../writer/packed-writes.ts";
import { SqliteWriter } from "../writer/writer.ts";

/** Every question that a reader answers. A new one is a function beside these and its name here. */
const READS = {
  candidates,
  changes,
  encodedVectors,
  facets,
  get,
  list,
  listings,
  nearest,
  sample,
  similarTerms,
  stats,
};
const WRITES = {
  apply: (writer: SqliteWriter, batch: PackedWrites): undefined => writer.apply(batch),
  markFilled: (writer: SqliteWriter, _: undefined): undefined => writer.markFilled(),
};

type Operations = typeof READS & typeof WRITES;
export type IndexOperation = keyof Operations;
export type Argument<O extends IndexOperation> = Operations[O] extends (
  target: never,
  argument: infer A,
) => unknown
  ? A
  : never;
export type Result<O extends IndexOperation> = ReturnType<Operations[O]>;

export interface IndexConnection {
  /** The index's own, from its file; empty for readers. */
  id: string;
  /** @throws SQLite's error; where it says that the file is damaged, the next opening starts a new index */
  call<O extends IndexOperation>(operation: O, argument: Argument<O>): Result<O>;
  close(): void;
}

/** How often a reader takes in what was written. */
const FOLLOW_EVERY_MS = 1_000;

/** Opens the file to write, which makes or checks it. @throws SQLite's error */
export function openWriting(path: string): IndexConnection {
  const { db, id } = openFile(path);
  return answering(path, id, WRITES, new SqliteWriter(db), () => db.close());
}

/** A connection that answers the operations of `table` on `target`. */
const answering = <Target>(
  path: string,
  id: string,
  table: Partial<Record<IndexOperation, (target: Target, argument: never) => unknown>>,
  target: Target,
  close: () => void,
): IndexConnection => ({
  id,
  call: <O extends IndexOperation>(operation: O, argument: Argument<O>) => {
    const answer = table[operation];
    if (answer === undefined) throw new TypeError(`This connection has no ${operation}`);
    try {
      return answer(target, argument as never) as Result<O>;
    } catch (error) {
      if (isDamage(error)) markDamaged(path);
      throw error;
    }
  },
  close,
});

/** Opens the file to read, which needs to be there. @throws SQLite's error */
export function openReading(path: string): IndexConnection {
  const db = openReader(path);
  defineDistance(db);
  const connection = new SqliteConnection(db);
  const columns = new SiteColumns();
  const searcher = { connection, columns, collector: new Collector(columns) };
  const following = followWrites(path, searcher);
  return answering(path, "", READS, searcher, () => {
    clearInterval(following);
    connection.close();
  });
}

/** Follows what is written also while nobody asks: the first search after a long filling must not take it all in. */
function followWrites(path: string, { connection, columns }: Searcher): NodeJS.Timeout {
  const follow = (): void => {
    try {
      connection.snapshot(() => columns.refresh(connection));
    } catch (error) {
      // The search that meets it says so; damage is met again by the next opening.
      if (isDamage(error)) markDamaged(path);
    }
  };
  setImmediate(follow);
  return setInterval(follow, FOLLOW_EVERY_MS).unref();
}
