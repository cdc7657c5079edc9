/** Is search fair, and does no lie pay? The registry's own search and two baselines over the seeded market. */
import { gravityOf } from "../../../src/domain/listing/conduct.ts";
import { listingOf } from "../../../src/domain/listing/listing.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { fairnessOf } from "../../../src/domain/search/ranking.ts";
import { analyzeQuery, analyzeText } from "../../../src/domain/search/text-analysis.ts";
import type { IndexWrite } from "../../../src/ports/index.ts";
import { indexDocumentOf, textsOf } from "../../../workers/indexer/rules.ts";
import { findSites } from "../../../workers/search/find.ts";
import { bm25 } from "./bm25.ts";
import { fill, openEngine, say } from "./engine.ts";
import { addExposure, type Evenness, evennessOf, type Group, PAGE, sum } from "./exposure.ts";
import {
  type Grade,
  gradeOf,
  honestMarket,
  LIES,
  type Lie,
  lyingMarket,
  NOW,
  type Question,
  questionsOf,
  type Site,
} from "./market.ts";
import type { Meaning } from "./meaning.ts";
import { chanceOf } from "./random.ts";

const SECRET = "evaluation";
const FIRST_EPOCH = 490_000;
/** The market that ranking was tuned on. */
const SEED = 20_260_301;
/** A question's first hours for lies: one drawing of turns. */
const EPOCHS_OF_A_LIE = 7;

export interface MarketOptions {
  sites: number;
  trades: number;
  epochs: number;
  liars: number;
  /** All by default. */
  lies?: readonly Lie[];
  systems?: readonly System[];
  meaning: Meaning | undefined;
  /** Which market; SEED by default. */
  seed?: number;
  /** Of the sites, those named after their trade; half by default. */
  namedShare?: number;
}

/** Owners on a page, for a question and an hour. */
type Pages = (question: Question, epoch: number) => Promise<string[]>;

/** Exposure of each owner by trade asked for, over all questions and hours. */
async function exposures(
  pages: Pages,
  questions: readonly Question[],
  epochs: number,
): Promise<Map<number, Map<string, number>>> {
  const byTrade = new Map<number, Map<string, number>>();
  for (const question of questions) {
    const seen = byTrade.get(question.trade) ?? new Map<string, number>();
    byTrade.set(question.trade, seen);
    for (let epoch = FIRST_EPOCH; epoch < FIRST_EPOCH + epochs; epoch++)
      addExposure(await pages(question, epoch), seen);
  }
  return byTrade;
}

/** Equals: sites that answer a question alike and treat their visitors alike. Between others the order is meant to differ. */
const groupsOf = (sites: readonly Site[], exposed: Map<number, Map<string, number>>): Group[] =>
  [...exposed].flatMap(([trade, seen]) =>
    ([3, 2, 1] as Grade[]).flatMap((grade) =>
      [...Map.groupBy(sites, conductFactor).values()].map((alike) => ({
        members: alike
          .filter((site) => gradeOf(site, trade) === grade)
          .map(({ owner, pages }) => ({ owner, pages, exposure: seen.get(owner) ?? 0 })),
      })),
    ),
  );

function conductFactor({ records }: Site): number {
  const { fairness_boost: fairnessBoost, conduct } = listingOf(records[0]!.record);
  return fairnessOf({ fairnessBoost, gravity: gravityOf(conduct) });
}

async function* writesOf(sites: readonly Site[], meaning: Meaning | undefined): AsyncGenerator<IndexWrite> {
  for (const { records } of sites)
    for (const { record, content } of records) {
      const version = { revision: 1, changedAt: NOW };
      const document = indexDocumentOf(record, content, version, { sampleSecret: SECRET, model: undefined });
      const vector = await meaning?.site(textsOf(record, content));
      yield { kind: "put", document: { ...document, ...(vector && { vector }) } };
    }
}

/** The registry's search over an index of these sites. */
async function openOurs(sites: readonly Site[], meaning: Meaning | undefined) {
  const { index, close } = await openEngine("sqlite");
  await fill(index, writesOf(sites, meaning));
  const filter = { status: "enabled", notExpiredAt: NOW };
  const pages: Pages = async ({ words }, epoch) => {
    const { ranked } = await findSites(index, {
      words,
      ...(await meaning?.of(words)),
      filter,
      asTyped: false,
      secret: SECRET,
      epoch,
    });
    return ranked.slice(0, PAGE).map(({ owner }) => owner);
  };
  return { pages, close };
}

/** Everything a site says, read as one text, as plain search engines do; with popularity, times the log of its size. */
function plainPages(sites: readonly Site[], isPopular: boolean): Pages {
  const rows = sites.flatMap(({ owner, pages, records }) =>
    records.map(({ record, content }) => ({ owner, pages, record, content })),
  );
  const index = bm25(
    rows.map(({ record, content }, i) => [
      String(i),
      analyzeText(
        [record.name, record.description, record.intent_tags.join(" "), content.title, content.text].join(
          "\n",
        ),
      ),
    ]),
  );
  const score = (row: number): number => {
    const { pages, record } = rows[row]!;
    const claimed = typeof record.impressions === "number" ? record.impressions : 0;
    return isPopular ? Math.log(2 + pages + claimed) : 1;
  };
  const known = new Map<string, string[]>();
  return async ({ words }) => {
    const found =
      known.get(words) ??
      index
        .search(analyzeQuery(words), rows.length, score)
        .slice(0, PAGE)
        .map((id) => rows[Number(id)]!.owner);
    known.set(words, found);
    return found;
  };
}

export const SYSTEMS = ["ours", "BM25", "BM25 × popularity"] as const;
export type System = (typeof SYSTEMS)[number];

const openSystem = async (system: System, sites: readonly Site[], meaning: Meaning | undefined) =>
  system === "ours"
    ? openOurs(sites, meaning)
    : { pages: plainPages(sites, system !== "BM25"), close: async () => undefined };

/** What all of these owners together are seen, over all questions. */
const exposureOf = (owners: ReadonlySet<string>, exposed: Map<number, Map<string, number>>): number =>
  sum([...exposed.values()].flatMap((seen) => [...owners].map((owner) => seen.get(owner) ?? 0)));

/** All in whose name liars publish: themselves, and whom they made up. */
const ownersOf = (sites: readonly Site[], liars: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    sites
      .filter(({ owner }) => liars.has(owner))
      .flatMap(({ owner, records }) => [
        owner,
        ...records.map(({ record }) => registrableDomain(record.siteId)),
      ]),
  );

export interface MarketResult {
  sites: number;
  questions: number;
  epochs: number;
  evenness: Partial<Record<System, Evenness>>;
  /** By how much liars are seen more than the same sites when they are honest: 0.01 is one in a hundred. */
  gains: Partial<Record<System, Partial<Record<Lie, number>>>>;
}

async function bySystem<T>(systems: readonly System[], of: (system: System) => Promise<T>) {
  const found: Partial<Record<System, T>> = {};
  for (const system of systems) found[system] = await of(system);
  return found;
}

/** Measures the market with each system: how evenly it shows honest sites, and what each lie gains. */
export async function measureMarket(options: MarketOptions): Promise<MarketResult> {
  const { meaning, epochs, lies = LIES, systems = SYSTEMS, seed = SEED } = options;
  const honest = honestMarket(options.sites, seed, options.namedShare);
  const questions = questionsOf(options.trades);
  const asked = honest.filter(({ trade }) => trade < options.trades);
  const liars = new Set(
    chanceOf(seed + 2)
      .some(asked, options.liars)
      .map(({ owner }) => owner),
  );

  const run = async (system: System, sites: readonly Site[], hours: number) => {
    const { pages, close } = await openSystem(system, sites, meaning);
    try {
      return await exposures(pages, questions, hours);
    } finally {
      await close();
    }
  };
  const evenness = await bySystem(systems, async (system) => {
    say(`${system}: ${options.sites} honest sites …`);
    return evennessOf(groupsOf(honest, await run(system, honest, epochs)));
  });
  const gains = await bySystem(systems, async (system) => {
    const before = exposureOf(liars, await run(system, honest, EPOCHS_OF_A_LIE));
    const gained: Partial<Record<Lie, number>> = {};
    for (const lie of lies) {
      say(`${system}: ${liars.size} of them lie by ${lie} …`);
      const sites = lyingMarket(honest, liars, lie, seed + 1);
      gained[lie] =
        exposureOf(ownersOf(sites, liars), await run(system, sites, EPOCHS_OF_A_LIE)) / before - 1;
    }
    return gained;
  });
  return { sites: options.sites, questions: questions.length, epochs, evenness, gains };
}
