/**
 * A seeded market: sites of lognormal size in forty trades, and lies that some of them may tell. Sites are records and
 * contents as the crawler stores them, and go through the indexer's own rules.
 */
import type { MeasuredEvidence, SiteContent, SiteRecord } from "../../../schemas/site.ts";
import type { PageMeasures } from "../../../schemas/site-pages.ts";
import { evidenceOfPages } from "../../../src/domain/trust/page-evidence.ts";
import { siteRecord } from "../../support/site-record.ts";
import { type Chance, chanceOf } from "./random.ts";
import { COMMON_WORDS, TOPICS } from "./topics.ts";

export const NOW = Date.parse("2026-03-01T00:00:00Z");

/** How well a site answers a question of a trade: 3 named after it, 2 says that it is its trade, 1 mentions it, 0 no. */
export type Grade = 0 | 1 | 2 | 3;

export const LIES = [
  "tags",
  "name",
  "name asked for",
  "clones of a name",
  "description",
  "cloaking",
  "cloaking and tags",
  "all at once",
  "declaration",
  "dilution",
  "clones",
  "impressions",
] as const;
/**
 * tags: twelve tags of other trades, which its pages do not bear out. name: ten words of other trades in its name.
 * name asked for: it has one more domain, as if of another owner, whose whole name is a question of another trade, and whose
 * pages say nothing of it. clones of a name: twenty such domains.
 * description: sixty such words. cloaking: the crawl is shown pages full of ten trades' words. cloaking and tags: of three
 * trades' words, which are its tags, too. all at once: its description has them, too. declaration: independent and free
 * of commission, which is false; visits find every second one out. dilution: one page that tricks visitors and pays for it,
 * behind 49 without a fault. clones: twenty hosts of one owner with the same
 * content. impressions: made-up counts of views, clicks and links, and praise by other sites.
 */
export type Lie = (typeof LIES)[number];

export interface Site {
  owner: string;
  /** Pages: what size is. */
  pages: number;
  trade: number;
  /** A trade that its pages mention. */
  mentions: number;
  isNamed: boolean;
  records: { record: SiteRecord; content: SiteContent }[];
}

const SIZE = { median: 12, sigma: 1.2, least: 1, most: 2_000 };
/** Words that the crawl keeps of a site of one page, and the most it keeps. */
const WORDS_A_PAGE = 110;
const MOST_WORDS = 2_500;
const CLONES = 20;

const words = (chance: Chance, from: readonly string[], count: number): string[] =>
  Array.from({ length: count }, () => chance.pick(from));

/** The text of its pages: of a hundred words, four are the trade's own, twelve are of the trade, one or two of another. */
function textOf(chance: Chance, site: Pick<Site, "pages" | "trade" | "mentions">): string[] {
  const [core, related] = TOPICS[site.trade]!;
  const [other] = TOPICS[site.mentions]!;
  const count = Math.min(MOST_WORDS, Math.round(WORDS_A_PAGE * site.pages ** 0.8));
  const body = Array.from({ length: count }, () => {
    const kind = chance.next();
    if (kind < 0.04) return chance.pick(core);
    if (kind < 0.16) return chance.pick(related);
    if (kind < 0.175) return chance.pick(other);
    return chance.pick(COMMON_WORDS);
  });
  // A home page says what the trade is, and names the other one.
  return [...core, ...related.slice(0, 2), ...other, ...body];
}

function evidenceOf(chance: Chance) {
  const part = (): number => Math.min(1, Math.max(0, 0.8 + 0.1 * chance.normal()));
  return {
    dark: part(),
    affiliate: part(),
    trackers: part(),
    ownership: part(),
    honesty: part(),
    pages: 10,
    measured_at: new Date(NOW - chance.below(20) * 86_400_000).toISOString(),
  };
}

function honestSite(chance: Chance, number: number, namedShare: number): Site {
  const pages = Math.round(
    Math.min(SIZE.most, Math.max(SIZE.least, SIZE.median * Math.exp(SIZE.sigma * chance.normal()))),
  );
  const trade = number % TOPICS.length;
  const mentions = (trade + 1 + chance.below(TOPICS.length - 1)) % TOPICS.length;
  const isNamed = chance.is(namedShare);
  const [core, related] = TOPICS[trade]!;
  const owner = `owner${number}.example`;
  const brand = `${chance.pick(COMMON_WORDS)} ${chance.pick(COMMON_WORDS)}`;
  const evidence = evidenceOf(chance);
  const isIndependent = chance.is(0.5);
  const record = siteRecord(owner, NOW, {
    ring: 3,
    name: isNamed ? `${brand} ${core.join(" ")}` : brand,
    description: [...core, ...words(chance, related, 3), ...words(chance, COMMON_WORDS, 8)].join(" "),
    category: "business",
    intent_tags: [...core, chance.pick(related)],
    is_independent: isIndependent,
    commission_rate: isIndependent ? 0 : 10,
    evidence,
  });
  const text = textOf(chance, { pages, trade, mentions }).join(" ");
  const content: SiteContent = { v: 1, document: null, title: record.name, language: "en", text };
  return { owner, pages, trade, mentions, isNamed, records: [{ record, content }] };
}

/** Words of trades that the site has nothing to do with. */
const otherWords = (chance: Chance, site: Site, count: number): string[] =>
  chance
    .some(
      TOPICS.filter((_, topic) => topic !== site.trade && topic !== site.mentions),
      count,
    )
    .flatMap(([core]) => core)
    .slice(0, count);

/** What the crawl is shown: the site's own pages, and these words over and over. */
const cloaked = (content: SiteContent, shown: readonly string[]): SiteContent => ({
  ...content,
  text: `${content.text} ${`${shown.join(" ")} `.repeat(30)}`,
});

/** Other trades' questions that a liar names a domain after: those of the first so many trades, which every market asks. */
const TRADES_ASKED = 3;

/** A domain whose whole name is another trade's question, behind pages that say nothing of any trade. */
function invented(chance: Chance, { owner, trade, records }: Site, place: number): Site["records"][number] {
  const { record, content } = records[0]!;
  const [[one, other]] = TOPICS[(trade + 1) % TRADES_ASKED]!;
  const name = `${one} ${other}`;
  const text = words(chance, COMMON_WORDS, content.text.split(" ").length).join(" ");
  const description = text.slice(0, 60);
  return {
    record: { ...record, siteId: `invented${place}-${owner}`, name, description, intent_tags: [] },
    content: { ...content, title: words(chance, COMMON_WORDS, 3).join(" "), text },
  };
}

/** What the crawl makes of one page that tricks visitors, behind 49 without a fault. */
function diluted(evidence: MeasuredEvidence): MeasuredEvidence {
  const fair: PageMeasures = {
    ...{ dark: 1, affiliate: 1, trackers: 1, ownership: 1 },
    ...{ malicious: false, paid: false, parent: false },
  };
  const pages = Array.from({ length: 50 }, (_, i) => ({
    ...{ page: `https://shop.example/${i}`, seen_at: evidence.measured_at, text_hash: "", findings: [] },
    measures: i === 0 ? { ...fair, dark: 0.3, affiliate: 0.25 } : fair,
  }));
  return { ...evidence, ...evidenceOfPages(pages, Date.parse(evidence.measured_at)) };
}

const TELL: Record<Lie, (chance: Chance, site: Site, turn: number) => Site["records"]> = {
  tags: (chance, site) =>
    site.records.map(({ record, content }) => ({
      record: { ...record, intent_tags: [...record.intent_tags, ...otherWords(chance, site, 12)] },
      content,
    })),
  name: (chance, site) =>
    site.records.map(({ record, content }) => ({
      record: { ...record, name: `${record.name} ${otherWords(chance, site, 10).join(" ")}` },
      content,
    })),
  "name asked for": (chance, site) => [...site.records, invented(chance, site, 0)],
  "clones of a name": (chance, site) => [
    ...site.records,
    ...Array.from({ length: CLONES }, (_, i) => invented(chance, site, i)),
  ],
  description: (chance, site) =>
    site.records.map(({ record, content }) => ({
      record: { ...record, description: `${record.description} ${otherWords(chance, site, 60).join(" ")}` },
      content,
    })),
  cloaking: (chance, site) =>
    site.records.map(({ record, content }) => ({
      record,
      content: cloaked(content, otherWords(chance, site, 20)),
    })),
  "cloaking and tags": (chance, site) =>
    site.records.map(({ record, content }) => {
      const words = otherWords(chance, site, 6);
      return {
        record: { ...record, intent_tags: [...record.intent_tags, ...words] },
        content: cloaked(content, words),
      };
    }),
  "all at once": (chance, site) =>
    site.records.map(({ record, content }) => {
      const words = otherWords(chance, site, 6);
      return {
        record: {
          ...record,
          intent_tags: [...record.intent_tags, ...words],
          description: `${record.description} ${words.join(" ")}`,
        },
        content: cloaked(content, words),
      };
    }),
  declaration: (_, site, turn) =>
    site.records.map(({ record, content }) => {
      const found = { confirmed: 1, last_at: new Date(NOW - 86_400_000).toISOString() };
      const evidence = { ...record.evidence!, ...(turn % 2 === 0 && { contradictions: found }) };
      return { record: { ...record, is_independent: true, commission_rate: 0, evidence }, content };
    }),
  dilution: (_, site) =>
    site.records.map(({ record, content }) => ({
      record: { ...record, evidence: diluted(record.evidence!) },
      content,
    })),
  clones: (_, site) =>
    Array.from({ length: CLONES }, (_, i) =>
      site.records.map(({ record, content }) => ({
        record: i === 0 ? record : { ...record, siteId: `shop${i}.${site.owner}` },
        content,
      })),
    ).flat(),
  impressions: (_, site) =>
    site.records.map(({ record, content }) => ({
      record: {
        ...record,
        visits: 1_000_000,
        visits_ok: 1_000_000,
        impressions: 1e9,
        clicks: 1e9,
        links: 1e7,
        popularity: 1,
        rating: 5,
        endorsed_by: Array.from({ length: 50 }, (_, i) => `praise${i}.example`),
      },
      content,
    })),
};

/** The honest market. @param size sites, all of different owners @param namedShare of them named after their trade */
export function honestMarket(size: number, seed: number, namedShare = 0.5): Site[] {
  const chance = chanceOf(seed);
  return Array.from({ length: size }, (_, number) => honestSite(chance, number, namedShare));
}

/** The same market in which these sites lie, and nothing else differs. */
export function lyingMarket(
  honest: readonly Site[],
  liars: ReadonlySet<string>,
  lie: Lie,
  seed: number,
): Site[] {
  const chance = chanceOf(seed);
  let turn = 0;
  return honest.map((site) =>
    liars.has(site.owner) ? { ...site, records: TELL[lie](chance, site, turn++) } : site,
  );
}

export interface Question {
  words: string;
  trade: number;
}

/** What people ask of a trade: its words, alone and together. Sites of one grade answer them alike. */
export const questionsOf = (trades: number): Question[] =>
  TOPICS.slice(0, trades).flatMap(([[one, other]], trade) =>
    [`${one} ${other}`, one, other, `${other} ${one}`].map((text) => ({ words: text, trade })),
  );

export const gradeOf = ({ trade, mentions, isNamed }: Site, asked: number): Grade =>
  trade === asked ? (isNamed ? 3 : 2) : mentions === asked ? 1 : 0;
