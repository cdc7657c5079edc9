/** One search for what can be done: the engine finds candidates, one pure function orders them. */
import type { Level } from "../../../schemas/agent-web.ts";
import type { QueryMeaning } from "../../domain/search/embeddings/site-meaning.ts";
import { readTerms } from "../../domain/search/text-analysis.ts";
import { rotationOf } from "../../domain/trust/rotation.ts";
import type { IndexFilter, SiteIndex } from "../../ports/index.ts";
import { type DoableKind, ringOfLevel } from "./documents.ts";
import { type RankedDoable, rankDoables } from "./ranking.ts";

/** Candidates by words; those by meaning come beside them. */
const CANDIDATES = 300;

/** What a search can be narrowed by. */
export interface DoableFilter {
  protocol?: string | undefined;
  auth?: string | undefined;
  payment?: string | undefined;
  effect?: string | undefined;
  by?: string | undefined;
  /** That or more; what third parties alone say is given only where it is asked for. */
  level?: Level | undefined;
  host?: string | undefined;
}

export interface DoableSearch {
  words: string;
  filter: IndexFilter;
  /** What the words mean; absent: words alone find. */
  meaning?: QueryMeaning | undefined;
  /** What the rotation follows from. */
  secret: string;
  epoch: number;
}

export interface FoundDoables {
  /** Best first. */
  ranked: RankedDoable[];
  terms: string[];
  /** Whether no more match than these. */
  isWhole: boolean;
}

const DEFAULT_LEVEL: Level = "published";

export function indexFilterOf(kind: DoableKind, asked: DoableFilter): IndexFilter {
  const { protocol, level = DEFAULT_LEVEL, host } = asked;
  const tags = (["auth", "payment", "effect", "by"] as const).flatMap((name) =>
    asked[name] === undefined ? [] : [`${name}:${asked[name]}`],
  );
  return {
    tags: [`kind:${kind}`, ...tags],
    minRing: ringOfLevel(level),
    ...(protocol !== undefined && { category: protocol }),
    ...(host !== undefined && { place: host }),
  };
}

export async function findDoables(index: SiteIndex, asked: DoableSearch): Promise<FoundDoables> {
  const { words, filter, meaning, secret, epoch } = asked;
  const { terms } = readTerms(words);
  const set = await index.candidates({
    ...{ terms, filter, limit: CANDIDATES },
    ...(meaning && { vector: meaning.vector }),
  });
  const rotation = rotationOf(secret, terms.join(" "), epoch);
  return {
    ranked: rankDoables(set, { terms, by: meaning?.by }, rotation),
    terms,
    isWhole: set.totalIsExact && set.total <= CANDIDATES,
  };
}
