/** What the filters of ARD's registry API ask for: of searches by terms (section 5.3.1), of lists by an expression (appendix A). Pure. */
import { PROTOCOLS, type Protocol } from "../../schemas/agent-web.ts";
import type { ArdEntry } from "../../schemas/ard.ts";
import { ARD_TYPES } from "../../src/agent-web/as/ard-entry.ts";
import { ringOfLevel } from "../../src/agent-web/search/documents.ts";
import type { IndexFilter } from "../../src/ports/index.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";

/** Filters that one search is made of: each is asked by itself. */
const MOST_FILTERS = 6;
/** Terms without a prefix are those of ARD's own namespace. */
const NAMESPACE = "https://agenticresourcediscovery.org/ns#";
const ALL = [undefined];

type Given = Readonly<Record<string, string | readonly string[]>>;

/**
 * Filters whose results are together what the terms ask for: values of a term are alternatives, terms are conditions.
 * @param tags of what is searched
 */
export function filtersOf(
  given: Given = {},
  tags: readonly string[],
): IndexFilter[] | Failure<"invalid_request"> {
  const asked = new Map<string, readonly string[]>();
  for (const [name, values] of Object.entries(given)) {
    const term = name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
    if (!TERMS.has(term))
      return fail("invalid_request", `Nothing is indexed by ${term}: filter by ${[...TERMS].join(", ")}.`);
    asked.set(term, [values].flat());
  }
  const valuesOf = (term: string): readonly (string | undefined)[] => asked.get(term) ?? ALL;
  const filters = protocolsAsked(asked).flatMap((category) =>
    valuesOf("publisher").flatMap((host) =>
      valuesOf("metadata.auth").flatMap((auth) =>
        valuesOf("metadata.payment").map((payment) => ({
          minRing: ringOfLevel("published"),
          tags: [...tags, ...tagged("auth", auth), ...tagged("payment", payment)],
          ...(category !== undefined && { category }),
          ...(host !== undefined && { place: host.toLowerCase() }),
        })),
      ),
    ),
  );
  if (filters.length <= MOST_FILTERS) return filters;
  return fail(
    "invalid_request",
    `The filter has ${filters.length} combinations of values; ${MOST_FILTERS} are asked for at once.`,
  );
}

const TERMS: ReadonlySet<string> = new Set([
  "type",
  "publisher",
  "tags",
  "metadata.auth",
  "metadata.payment",
]);

const tagged = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${name}:${value.toLowerCase()}`];

/** Each once; undefined: any. */
function protocolsAsked(asked: ReadonlyMap<string, readonly string[]>): readonly (Protocol | undefined)[] {
  const [types, tags] = [asked.get("type"), asked.get("tags")];
  if (!types && !tags) return [undefined];
  return PROTOCOLS.filter(
    (protocol) => (!types || types.includes(ARD_TYPES[protocol] ?? "")) && (!tags || tags.includes(protocol)),
  );
}

/** What a list is narrowed to. */
export interface ListFilter {
  /** Of one publisher or protocol the engine leaves out the others. */
  index: IndexFilter;
  accepts(entry: ArdEntry, publishedAt: string): boolean;
}

/** `field = 'value'`, from where it stands in the text. */
const CONDITION = /\s*(\w{1,20})\s*(=|>)\s*'([^']{0,500})'\s*(AND\b|$)/y;
type Test = (entry: ArdEntry, publishedAt: string) => boolean;

/** @returns undefined for what is no expression of appendix A */
export function listFilterOf(
  expression: string | undefined,
  tags: readonly string[],
): ListFilter | undefined {
  const index: IndexFilter = { minRing: ringOfLevel("published"), tags };
  const tests: Test[] = [];
  let at = 0;
  let goesOn = expression !== undefined;
  while (goesOn) {
    CONDITION.lastIndex = at;
    const [whole, field = "", sign, value = "", and] = CONDITION.exec(expression!) ?? [];
    const test = whole === undefined ? undefined : testOf(field, sign === ">", value);
    if (!test) return undefined;
    tests.push(test);
    const [first, ...others] = value.split(",");
    if (field === "publisherId" && others.length === 0) index.place = first!.trim().toLowerCase();
    at += whole!.length;
    goesOn = and !== "";
  }
  return { index, accepts: (entry, publishedAt) => tests.every((test) => test(entry, publishedAt)) };
}

function testOf(field: string, isAfter: boolean, value: string): Test | undefined {
  const values = value.split(",").map((one) => one.trim());
  const since = Date.parse(value);
  const isTime = !Number.isNaN(since);
  if (field === "createdAfter" && isTime) return (_, publishedAt) => Date.parse(publishedAt) > since;
  if (field === "updatedAfter" && isTime) return ({ updatedAt }) => Date.parse(updatedAt) > since;
  if (isAfter) return undefined;
  if (field === "type") return ({ type }) => values.includes(type);
  if (field === "publisherId") return ({ identifier }) => values.includes(identifier.split(":")[2]!);
  const name = value.toLowerCase();
  return field === "displayName" ? ({ displayName }) => displayName.toLowerCase().includes(name) : undefined;
}
