/**
 * Pages of services in an order that no change of them turns: round the circle of sample keys of the index of what can be done, one
 * round after the other. What a page leaves out it has read, so a page reads no more than so many.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { CirclePosition, IndexFilter } from "../../src/ports/index.ts";
import { type DoableDeps, type KnownDoable, knownNow, readListings } from "./doable.ts";
import { circleKey, readCirclePosition } from "./rules.ts";

/** Services that one page reads, and at once: where few are taken, a page ends there. */
const MOST_READ = 600;
const READ_AT_ONCE = 200;

export interface Walk<T> {
  /** Filters, each of a round. */
  rounds: readonly IndexFilter[];
  /** What is shown of a service; undefined: it is left out. */
  shown(known: KnownDoable): T | undefined;
  limit: number;
  /** Where the page before ended (`next`); empty: nowhere. */
  from: string;
}

/** Where a page ends: the round, and the last service that it read of it. */
interface Place {
  round: number;
  after: CirclePosition | undefined;
}

/** @returns `next`: where the next page begins; undefined behind the last */
export async function walk<T>(
  deps: Pick<DoableDeps, "tools" | "index">,
  { rounds, shown, limit, from }: Walk<T>,
): Promise<{ taken: T[]; next: string | undefined }> {
  const taken: T[] = [];
  let place = readPlace(from);
  let read = 0;
  while (taken.length < limit && read < MOST_READ) {
    // Two hundred are parsed in some milliseconds: others have their turn.
    if (read > 0) await turn();
    const filter = rounds[place.round];
    if (filter === undefined) return { taken, next: undefined };
    const some = await take(deps, { filter, after: place.after }, shown, limit - taken.length);
    taken.push(...some.taken);
    read += some.read;
    place = some.isOver
      ? { round: place.round + 1, after: undefined }
      : { ...place, after: some.last ?? place.after };
  }
  return { taken, next: place.round < rounds.length ? writePlace(place) : undefined };
}

/** At most `room` services behind a place. */
async function take<T>(
  { tools, index }: Pick<DoableDeps, "tools" | "index">,
  { filter, after }: { filter: IndexFilter; after: CirclePosition | undefined },
  shown: Walk<T>["shown"],
  room: number,
) {
  const readSome = async (limit: number) => {
    const page = await tools.list({ filter, offset: 0, limit, ...(after && { after }) });
    const known = await knownNow(index, readListings(page.listings));
    return { all: known.map(shown), read: page.count, last: page.last };
  };
  const some = await readSome(READ_AT_ONCE);
  const end = some.all.flatMap((each, at) => (each === undefined ? [] : [at]))[room - 1];
  const isCut = end !== undefined && end + 1 < some.read;
  // The page ends amid them: at which place, the engine alone can say.
  const { all, read, last } = isCut ? await readSome(end + 1) : some;
  const taken = all.filter((each) => each !== undefined).slice(0, room);
  return { taken, read, last, isOver: !isCut && read < READ_AT_ONCE };
}

function readPlace(text: string): Place {
  const at = text.indexOf(" ");
  if (at < 0) return { round: Number(text), after: undefined };
  return { round: Number(text.slice(0, at)), after: readCirclePosition(text.slice(at + 1)) };
}
const writePlace = ({ round, after }: Place): string => (after ? `${round} ${circleKey(after)}` : `${round}`);
