/** What filters ask for by equality: facets, which stand in posting lists beside terms and weigh nothing. */
import type { Facet, IndexDocument, IndexFilter } from "../../../ports/index.ts";
import { tokenOf } from "../../index/tokens.ts";

/** Kinds of facet: category, intent, place, and a status other than "enabled". */
export type FacetKind = "c" | "i" | "p" | "s";
export type FacetTerm = [kind: FacetKind, value: string];

/** The kinds of what sites are counted by; rings are a column. */
export const FACET_KINDS: Readonly<Record<Exclude<Facet, "ring">, FacetKind>> = {
  category: "c",
  intent: "i",
  place: "p",
};

/** The token of a facet. Two underscores begin no term's token, so facets and terms never meet. */
export const facetToken = ([kind, value]: FacetTerm): string => `__${kind}${tokenOf(value)}`;

/** The facets of a site. Statuses are facets when they are the exception. */
export const facetsOf = (document: IndexDocument): FacetTerm[] => {
  const facets: FacetTerm[] = [["c", document.category]];
  for (const tag of document.intentTags) facets.push(["i", tag]);
  for (const place of [document.country, document.region, document.city])
    if (place !== null) facets.push(["p", place]);
  if (document.status !== "enabled") facets.push(["s", document.status]);
  return facets;
};

/** What the filter asks for by equality, beside the status. */
export const facetsAsked = (filter: IndexFilter): FacetTerm[] => {
  const facets: FacetTerm[] = [];
  if (filter.place !== undefined) facets.push(["p", filter.place]);
  if (filter.intent !== undefined) facets.push(["i", filter.intent]);
  if (filter.category !== undefined) facets.push(["c", filter.category]);
  return facets;
};
