/** The operations that find what can be done: tools and services, each with what is known of its site now. */
import type { z } from "zod";
import { LEVELS, type Level } from "../../schemas/agent-web.ts";
import type { ArdReferral } from "../../schemas/ard.ts";
import type { Doable } from "../../schemas/found-tool.ts";
import type { Listing } from "../../schemas/site.ts";
import type { KnownService } from "../../src/agent-web/as/mcp-server.ts";
import { howToCall } from "../../src/agent-web/search/calling.ts";
import { type DoableKind, type Kept, keptOf } from "../../src/agent-web/search/documents.ts";
import { type FoundDoables, findDoables, indexFilterOf } from "../../src/agent-web/search/find.ts";
import type { RankedDoable } from "../../src/agent-web/search/ranking.ts";
import { gravityOf } from "../../src/domain/listing/conduct.ts";
import { EPOCH_MS, epochOf, rotationPoint } from "../../src/domain/trust/rotation.ts";
import type { IndexField, IndexFilter, SiteIndex } from "../../src/ports/index.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { search } from "./contract.ts";
import { badSearchCursor, pageOf, type SearchDeps } from "./parts.ts";
import { doableScopeOf, readSearchCursor, type SearchPosition, writeSearchCursor } from "./rules.ts";

type Operation = "findTools" | "findServices";
type Query = Partial<z.output<(typeof search)["operations"]["findTools"]["query"]>> & { limit: number };
type Why = "name" | "service" | "parameters" | "description" | "meaning" | "listed";

/** Values of one facet. */
const FACET_VALUES = 50;
const FIELDS: Readonly<Record<IndexField, Why>> = {
  name: "name",
  domain: "service",
  tags: "parameters",
  description: "description",
  text: "description",
};

export interface DoableDeps extends SearchDeps {
  /** The index of what can be done. */
  tools: SiteIndex;
  /** ARD registries to which callers are referred. */
  referrals: () => Promise<ArdReferral[]>;
}

export const doableHandlers = (deps: DoableDeps): Pick<Handlers<typeof search>, Operation> => ({
  findTools: async ({ query }) => {
    const found = await find(deps, "tool", query);
    if (found instanceof Failure) return found;
    const { hits, ...envelope } = found;
    return {
      ...envelope,
      tools: hits.flatMap(({ tool, ...others }) => (tool === null ? [] : [{ tool, ...others }])),
    };
  },
  findServices: async ({ query }) => {
    const found = await find(deps, "service", query);
    if (found instanceof Failure) return found;
    const { hits, ...envelope } = found;
    return { ...envelope, services: hits.map(({ tool: _, ...service }) => service) };
  },
});

/** What the index has, with what is known of its site now. */
export type KnownDoable = KnownService & { doable: Kept };

interface Page {
  /** Documents in order, with why each is there. */
  page: { siteId: string; why: Why[] }[];
  next: SearchPosition | undefined;
  total: number;
  isExact: boolean;
  terms: string[];
}

async function find(deps: DoableDeps, kind: DoableKind, query: Query) {
  const { tools: index, secret, now: clock } = deps;
  const now = clock();
  const scope = doableScopeOf(kind, query);
  // Read once: a switch to another generation halfway must not stand in a cursor of the old one's order.
  const generation = index.id;
  const position: SearchPosition | undefined =
    query.cursor === undefined
      ? { epoch: epochOf(now), shown: new Set() }
      : readSearchCursor(secret, query.cursor, scope, generation, now);
  if (position === undefined) return badSearchCursor();
  const filter = indexFilterOf(kind, query);
  const { q } = query;
  const { page, next, total, isExact, terms } =
    q === undefined
      ? await listed(index, filter, position, query.limit)
      : await searched(deps, filter, { q, position, limit: query.limit });
  return {
    query: q ?? null,
    total,
    total_is_exact: isExact,
    next_cursor: next ? writeSearchCursor(secret, next, scope, generation, now) : null,
    ranked_at: new Date(position.epoch * EPOCH_MS).toISOString(),
    ...(query.facets && { facets: await countFacets(index, filter, terms) }),
    hits: await hitsOf(deps, page),
  };
}

async function searched(
  { tools: index, meaningOf, secret }: DoableDeps,
  filter: IndexFilter,
  { q, position, limit }: { q: string; position: SearchPosition; limit: number },
): Promise<Page> {
  const { epoch, shown } = position;
  const found: FoundDoables = await findDoables(index, {
    ...{ words: q, filter, meaning: await meaningOf?.(q), secret, epoch },
  });
  const { page, next, more } = pageOf(secret, found.ranked, shown, { offset: 0, limit });
  return {
    page: page.map((each) => ({ siteId: each.siteId, why: whyOf(each) })),
    next: more > 0 ? { epoch, shown: next } : undefined,
    total: next.size + more,
    isExact: found.isWhole,
    terms: found.terms,
  };
}

/** Without words: all that the filter leaves, from another place every hour. */
async function listed(
  index: SiteIndex,
  filter: IndexFilter,
  { epoch, shown, rotation: from }: SearchPosition,
  limit: number,
): Promise<Page> {
  const asked = { filter, rotation: rotationPoint(epoch), ...from, offset: 0, limit };
  const { listings, count, last, total, totalIsExact } = await index.list(asked);
  const page = readListings(listings).map(({ siteId }) => ({ siteId, why: ["listed" as const] }));
  const next = count < limit || last === null ? undefined : { epoch, shown, rotation: { after: last } };
  return { page, next, total, isExact: totalIsExact, terms: [] };
}

export const readListings = (bytes: Uint8Array) =>
  (JSON.parse(Buffer.from(bytes).toString()) as Listing[]).map(keptOf);

function whyOf({ fields, similarity }: RankedDoable): Why[] {
  const words = [...new Set(fields.map((field) => FIELDS[field]))];
  return words.length > 0 || similarity === 0 ? words : ["meaning"];
}

/** What is shown of each, with its site as the index of sites has it now. */
async function hitsOf({ tools, index }: DoableDeps, page: Page["page"]) {
  const kept = new Map(
    (await tools.listings(page.map(({ siteId }) => siteId))).map(keptOf).map((each) => [each.siteId, each]),
  );
  const found = page.filter(({ siteId }) => kept.has(siteId));
  const known = await knownNow(
    index,
    found.map(({ siteId }) => kept.get(siteId)!),
  );
  return known.map(({ doable, level, site }, at) => {
    const { tool, service } = doable;
    return {
      tool,
      service: { ...service, level },
      site,
      why: found[at]!.why,
      how_to_call: howToCall(doable),
    };
  });
}

/** Each with what the index of sites has of its host now. */
export async function knownNow(
  index: Pick<SiteIndex, "listings">,
  doables: readonly Kept[],
): Promise<KnownDoable[]> {
  const hosts = [...new Set(doables.map(({ service }) => service.host))];
  const sites = new Map((await index.listings(hosts)).map((listing) => [listing.siteId, listing]));
  return doables.map((doable) => {
    const site = sites.get(doable.service.host);
    return { doable, level: levelNow(doable, site), site: siteOf(site) };
  });
}

/** Verified is what its site is now, whatever it was when the index was written. */
function levelNow({ service: { level, seen_by } }: Doable, site: Listing | undefined): Level {
  if (site?.status === "enabled") return "verified";
  if (level !== "verified") return level;
  return seen_by === "answer" ? "answers" : seen_by === "document" ? "published" : "claimed";
}

const siteOf = (listing: Listing | undefined) => ({
  state: listing?.status ?? ("found" as const),
  ring: listing?.trust_ring ?? (0 as const),
  conduct: gravityOf(listing?.conduct),
});

async function countFacets(index: SiteIndex, filter: IndexFilter, terms: string[]) {
  const asked = { terms, filter, facets: ["category", "intent", "ring"] as const, limit: FACET_VALUES };
  const { counts, counted, isExact } = await index.facets({ ...asked, facets: [...asked.facets] });
  const tagged = (name: string) =>
    (counts.intent ?? [])
      .filter(({ value }) => value.startsWith(`${name}:`))
      .map(({ value, count }) => ({ value: value.slice(name.length + 1), count }));
  const [auth, by, effect, payment] = ["auth", "by", "effect", "payment"].map(tagged);
  const level = (counts.ring ?? []).map(({ value, count }) => ({ value: LEVELS[Number(value)]!, count }));
  return {
    ...{ protocol: counts.category ?? [], level, counted, is_exact: isExact },
    ...{ auth: auth!, by: by!, effect: effect!, payment: payment! },
  };
}
