/** The registry API of Agentic Resource Discovery, over the index of what can be done. */
import { setImmediate as turn } from "node:timers/promises";
import type { z } from "zod";
import type { ArdEntry } from "../../schemas/ard.ts";
import { ARD_TYPES, airIdentifier, ardEntry, identifierParts } from "../../src/agent-web/as/ard-entry.ts";
import { isListed } from "../../src/agent-web/as/mcp-server.ts";
import { HAS_ARTIFACT, type Kept, keptOf, serviceId } from "../../src/agent-web/search/documents.ts";
import { findDoables } from "../../src/agent-web/search/find.ts";
import { epochOf } from "../../src/domain/trust/rotation.ts";
import type { IndexFilter } from "../../src/ports/index.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { exploreBody, searchBody } from "./ard-contract.ts";
import { filtersOf, listFilterOf } from "./ard-filter.ts";
import type { search } from "./contract.ts";
import { type DoableDeps, type KnownDoable, knownNow } from "./doable.ts";
import { badSearchCursor, pageOf } from "./parts.ts";
import { doableScopeOf, readCursor, readSearchCursor, writeCursor, writeSearchCursor } from "./rules.ts";
import { walk } from "./walk.ts";

type Operation = "searchResources" | "exploreResources" | "listResources" | "getResource";
type Facet = z.output<typeof exploreBody>["resultType"]["facets"][number];

/** Documents that a search goes on with, the best first: tools and services, of all its filters. */
const MOST_FOUND = 400;
/** Values of a facet that are counted. */
const MOST_VALUES = 200;
const SERVICES = ["kind:service", HAS_ARTIFACT];

export const ardHandlers = (deps: DoableDeps): Pick<Handlers<typeof search>, Operation> => ({
  searchResources: ({ body }) => searchEntries(deps, body),
  exploreResources: async ({ body: { query, resultType } }) => {
    const counts = await countsOf(deps, query ?? {});
    if (counts instanceof Failure) return counts;
    const facets = resultType.facets.map((facet) => [facet.field, bucketsOf(facet, counts)] as const);
    return { resultType: "facets", facets: Object.fromEntries(facets) };
  },
  listResources: async ({ query }) => {
    const { secret, now, publicUrl } = deps;
    const { filter: expression, orderBy, pageSize, pageToken } = query;
    if (orderBy !== undefined) return fail("invalid_request", "Leave out orderBy: the list has one order.");
    const filter = listFilterOf(expression, SERVICES);
    if (!filter)
      return fail("invalid_request", "filter: write field = 'value', joined by AND (ARD, appendix A).");
    const scope = doableScopeOf("ard entries", { expression });
    const from = pageToken === undefined ? "" : readCursor(secret, pageToken, scope, now());
    if (from === undefined) return fail("invalid_cursor", "Start again without a pageToken.");
    const { taken, next } = await walk(deps, {
      rounds: [filter.index],
      shown: (known) => {
        const entry = entryOf(known, publicUrl);
        return entry && filter.accepts(entry, known.doable.entry!.published_at) ? entry : undefined;
      },
      limit: pageSize,
      from,
    });
    return {
      items: taken,
      ...(next !== undefined && { pageToken: writeCursor(secret, next, scope, now()) }),
    };
  },
  getResource: async ({ params: { identifier } }) => {
    const noEntry = () => fail("not_found", "No entry of this registry has this identifier.");
    const parts = identifierParts(identifier);
    if (!parts) return noEntry();
    const kept = (await deps.tools.listings([parts.siteId])).map(keptOf);
    const [known] = await knownNow(deps.index, kept);
    const entry = known && entryOf(known, deps.publicUrl);
    return entry && airIdentifier(known.doable.service, parts.siteId) === identifier ? entry : noEntry();
  },
});

/** @returns undefined for what is not listed, or has no document */
const entryOf = (known: KnownDoable, publicUrl: string): ArdEntry | undefined =>
  isListed(known) ? ardEntry(known, known.doable.siteId, publicUrl) : undefined;

async function searchEntries(
  deps: DoableDeps,
  { query, federation, pageSize, pageToken }: z.output<typeof searchBody>,
) {
  const { tools, secret, now: clock, publicUrl } = deps;
  const now = clock();
  const scope = doableScopeOf("ard search", query);
  const generation = tools.id;
  const position =
    pageToken === undefined
      ? { epoch: epochOf(now), shown: new Set<number>() }
      : readSearchCursor(secret, pageToken, scope, generation, now);
  if (position === undefined) return badSearchCursor();
  const found = await matching(deps, query, position.epoch);
  if (found instanceof Failure) return found;
  const ranked = found.map((each) => ({ ...each, siteId: each.known.doable.siteId }));
  const { page, next, more } = pageOf(secret, ranked, position.shown, { offset: 0, limit: pageSize });
  const { epoch } = position;
  return {
    results: page.map(({ entry, score }) => ({ ...entry, score, source: `${publicUrl}/ard` })),
    ...(federation === "referrals" && { referrals: await deps.referrals() }),
    ...(more > 0 && {
      pageToken: writeSearchCursor(secret, { epoch, shown: next }, scope, generation, now),
    }),
  };
}

interface Found {
  known: KnownDoable;
  entry: ArdEntry;
  score: number;
}

/** Services that have what the words ask for, or a tool that has, best first. */
async function matching(
  deps: DoableDeps,
  { text, filter }: z.output<typeof searchBody>["query"],
  epoch: number,
): Promise<Found[] | Failure<"invalid_request">> {
  const { tools, index, meaningOf, secret, publicUrl } = deps;
  const filters = filtersOf(filter, []);
  if (filters instanceof Failure) return filters;
  const meaning = await meaningOf?.(text);
  const ranked = [];
  for (const one of filters)
    ranked.push(...(await findDoables(tools, { words: text, filter: one, meaning, secret, epoch })).ranked);
  const best = ranked.sort((a, b) => b.score - a.score).slice(0, MOST_FOUND);
  const owners = new Map(
    (await tools.listings(best.map(({ siteId }) => siteId)))
      .map(keptOf)
      .map(({ siteId, service }) => [siteId, serviceId(service)]),
  );
  await turn();
  const scores = new Map<string, number>();
  for (const { siteId, held, similarity } of best) {
    const service = owners.get(siteId);
    const relevance = Math.round(100 * Math.min(1, Math.max(held, similarity / 2)));
    if (service !== undefined && !scores.has(service)) scores.set(service, relevance);
  }
  const services = await tools.listings([...scores.keys()]);
  const known = await knownNow(index, services.map(keptOf));
  return known.flatMap((each) => {
    const entry = entryOf(each, publicUrl);
    return entry ? [{ known: each, entry, score: scores.get(each.doable.siteId)! }] : [];
  });
}

/** How many entries have each value, by field. */
type Counts = Record<Facet["field"], Map<string, number>>;

async function countsOf(
  deps: DoableDeps,
  { text, filter }: NonNullable<z.output<typeof exploreBody>["query"]>,
): Promise<Counts | Failure<"invalid_request">> {
  if (text !== undefined) {
    const found = await matching(deps, { text, filter }, epochOf(deps.now()));
    return found instanceof Failure ? found : countsOfFound(found.map(({ known }) => known.doable));
  }
  const filters = filtersOf(filter, SERVICES);
  if (filters instanceof Failure) return filters;
  const counts = noCounts();
  for (const one of filters) await countOf(deps, one, counts);
  return counts;
}

const noCounts = (): Counts => ({
  type: new Map(),
  publisher: new Map(),
  tags: new Map(),
  "metadata.auth": new Map(),
  "metadata.payment": new Map(),
});

function add(counts: Map<string, number>, value: string, count = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + count);
}

function countsOfFound(found: readonly Kept[]): Counts {
  const counts = noCounts();
  for (const { service } of found) {
    add(counts.type, ARD_TYPES[service.protocol]!);
    add(counts.publisher, service.host);
    add(counts.tags, service.protocol);
    add(counts["metadata.auth"], service.auth);
    add(counts["metadata.payment"], service.payment);
  }
  return counts;
}

async function countOf({ tools }: DoableDeps, filter: IndexFilter, counts: Counts): Promise<void> {
  const facets = ["category", "place", "intent"] as const;
  const { counts: of } = await tools.facets({ terms: [], filter, facets: [...facets], limit: MOST_VALUES });
  for (const { value, count } of of.category ?? []) {
    add(counts.tags, value, count);
    add(counts.type, ARD_TYPES[value as keyof typeof ARD_TYPES] ?? "application/json", count);
  }
  for (const { value, count } of of.place ?? []) add(counts.publisher, value, count);
  for (const { value, count } of of.intent ?? []) {
    const [name, said = ""] = value.split(":");
    if (name === "auth" || name === "payment") add(counts[`metadata.${name}`], said, count);
  }
}

/** The buckets that are asked for; entries of the others are in `otherCount`: each entry has one value of each field, and one type. */
function bucketsOf({ field, limit, minCount }: Facet, counts: Counts) {
  const all = [...counts[field]]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const buckets = all.filter(({ count }) => count >= minCount).slice(0, limit);
  const entries = sumOf([...counts.tags.values()]);
  return { buckets, otherCount: Math.max(0, entries - sumOf(buckets.map(({ count }) => count))) };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
