/** The documentation's search: every word of the query occurs in what is found. Linear in the texts, which are the project's own. */
import type { Catalog, DocumentedOperation } from "./catalog.ts";
import { anchorOf, type Guide } from "./guides.ts";

export const MOST_QUERY = 200;
const MOST_WORDS = 10;
const MOST_FOUND = 40;

export interface DocsMatches {
  operations: readonly DocumentedOperation[];
  sections: readonly { guide: Guide; heading: string; href: string }[];
}

export function searchDocs(catalog: Catalog, query: string): DocsMatches {
  const words = wordsOf(query.slice(0, MOST_QUERY));
  const has = (text: string): boolean => {
    const searched = text.toLowerCase();
    return words.length > 0 && words.every((word) => searched.includes(word));
  };
  const operations = catalog.operations.filter(({ id, service, name, spec }) =>
    has(`${id} ${service} ${name} ${spec.paths.join(" ")} ${spec.summary} ${spec.description ?? ""}`),
  );
  const sections = catalog.guides.flatMap((guide) =>
    [guide.title, ...guide.headings]
      .filter(
        (heading, i) =>
          has(i === 0 ? heading : `${guide.title} ${heading}`) && (i === 0 || !has(guide.title)),
      )
      .map((heading, i) => ({
        guide,
        heading,
        href: `/docs/${guide.name}${i === 0 && heading === guide.title ? "" : `#${anchorOf(heading)}`}`,
      })),
  );
  return { operations: operations.slice(0, MOST_FOUND), sections: sections.slice(0, MOST_FOUND) };
}

const wordsOf = (query: string): string[] =>
  query.toLowerCase().split(/\s/).filter(Boolean).slice(0, MOST_WORDS);
