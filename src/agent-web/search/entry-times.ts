/** What a change of a host does to what its services' entries say of times, and to those that are gone. Pure. */
import type { Doable } from "../../../schemas/found-tool.ts";
import { DAY_MS, iso } from "../../ports/time.ts";
import type { DoableDocument, Kept } from "./documents.ts";

/** Services of one host that are gone and still told of, and for how long. */
const MOST_REMOVED = 20;
const REMOVED_FOR_MS = 30 * DAY_MS;

/** The entry with the times of the one before it: it changed where anything but the time of the last look did. @param now milliseconds */
export function withTimes(doable: Doable, before: Kept | undefined, now: number): Doable {
  const { entry } = doable;
  if (!entry) return doable;
  const known = before?.entry;
  const updated_at = known && stateOf(doable) === stateOf(before) ? known.updated_at : iso(now);
  return { ...doable, entry: { ...entry, published_at: (known ?? entry).published_at, updated_at } };
}

function stateOf({ service: { seen_at: _, ...service }, entry }: Doable): string {
  const { published_at: __, updated_at: ___, observed, ...state } = entry!;
  return JSON.stringify([
    observed?.class,
    Object.entries(service).sort(([a], [b]) => (a < b ? -1 : 1)),
    Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

/**
 * Documents that tell of a host's services that are gone, for those who follow changes: its last ones, for a time.
 * @param gone those that were there until now @param before those that it told of already
 */
export function removedDocuments(
  gone: readonly Kept[],
  before: readonly Kept[],
  now: number,
): DoableDocument[] {
  const told = before.filter(({ entry }) => Date.parse(entry?.removed_at ?? "") > now - REMOVED_FOR_MS);
  return [...gone.map((kept) => removedNow(kept, now)), ...told]
    .filter(({ entry }) => entry?.server)
    .slice(0, MOST_REMOVED)
    .map(({ siteId: id, tool, service, entry }) => ({
      ...{ id, kind: "service" },
      doable: { tool, service, ...(entry && { entry }) },
      texts: { name: "", description: "", parameters: [], service: "" },
    }));
}

function removedNow(kept: Kept, now: number): Kept {
  const { entry } = kept;
  return entry ? { ...kept, entry: { ...entry, updated_at: iso(now), removed_at: iso(now) } } : kept;
}
