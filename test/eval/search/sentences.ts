/** Everyday sentences over the synthetic web: is the first hit sensible to a person, and is nothing senseless near the top? */
import type { SiteContent, SiteRecord } from "../../../schemas/site.ts";
import { seenPage } from "../../../src/crawl/pages/page.ts";
import type { IndexWrite } from "../../../src/ports/index.ts";
import { indexDocumentOf, textsOf } from "../../../workers/indexer/rules.ts";
import { findSites } from "../../../workers/search/find.ts";
import { pageHtml } from "../../../world/pages.ts";
import { makeProfile, makeSite } from "../../../world/site.ts";
import { siteRecord } from "../../support/site-record.ts";
import { fill, openEngine } from "./engine.ts";
import type { Meaning } from "./meaning.ts";
import { linesOf } from "./questions.ts";

const SEED = 1;
const SITES = 460;
const NOW = Date.parse("2026-03-01T00:00:00Z");
const SECRET = "evaluation";
const FIRST_EPOCH = 490_000;
const EPOCHS = 4;
/** Places in which a person looks. */
const NEAR_TOP = 5;

interface Sentence {
  sentence: string;
  /** Categories of sites that a person would take for an answer; none: nothing fits. */
  sensible: string[];
}

/** Forty, written before any of them was asked. */
const readSentences = (): Sentence[] => linesOf(`${import.meta.dirname}/sentences.jsonl`);

/** A site of the synthetic web as the crawler stores it. */
export function crawledSite(index: number): { record: SiteRecord; content: SiteContent } {
  const site = makeSite(SEED, index, { kind: "sound", address: "127.0.0.1", atMs: 0 });
  const profile = makeProfile(SEED, site);
  const home = `https://${site.host}/`;
  const pages = ["/", profile.tradePath, "/about", "/contact"].map((path) =>
    seenPage({
      body: Buffer.from(pageHtml(site, profile, path)!),
      contentType: "text/html; charset=utf-8",
      robotsTag: "",
      url: new URL(path, home).href,
      home,
    }),
  );
  const record = siteRecord(site.host, NOW, {
    name: site.name,
    description: profile.description,
    category: site.category,
    intent_tags: profile.intentTags,
    location: profile.location,
  });
  const text = pages.map((page) => page.text).join("\n");
  return { record, content: { v: 1, document: null, title: pages[0]!.title, language: "en", text } };
}

async function writeOf(
  { record, content }: ReturnType<typeof crawledSite>,
  meaning: Meaning | undefined,
): Promise<IndexWrite> {
  const version = { revision: 1, changedAt: NOW };
  const document = indexDocumentOf(record, content, version, { sampleSecret: SECRET, model: undefined });
  const vector = await meaning?.site(textsOf(record, content));
  return { kind: "put", document: { ...document, ...(vector && { vector }) } };
}

export interface Judged {
  sentences: number;
  /** Share of the sentences whose first hit is sensible, or to which nothing is found where nothing fits. */
  first: number;
  /** Share of those without a senseless one in the first five, in every hour. */
  clean: number;
  /** What went wrong, a line each. */
  wrong: string[];
}

/** Asks every sentence in some hours. */
export async function judgeSentences(meaning: Meaning | undefined): Promise<Judged> {
  const { index, close } = await openEngine("sqlite");
  const sentences = readSentences();
  const wrong: string[] = [];
  let [first, clean] = [0, 0];
  try {
    const sites = Array.from({ length: SITES }, (_, number) => crawledSite(number));
    const categories = new Map(sites.map(({ record }) => [record.siteId, record.category]));
    await fill(index, await Promise.all(sites.map((site) => writeOf(site, meaning))));
    for (const { sentence, sensible } of sentences) {
      const means = await meaning?.of(sentence);
      let [right, hours] = [0, 0];
      const shown = new Set<string>();
      for (let epoch = FIRST_EPOCH; epoch < FIRST_EPOCH + EPOCHS; epoch++) {
        const asked = { words: sentence, ...means, filter: {}, asTyped: false };
        const { ranked } = await findSites(index, { ...asked, secret: SECRET, epoch });
        const top = ranked.slice(0, NEAR_TOP).map(({ siteId }) => categories.get(siteId)!);
        const isRight = sensible.length === 0 ? top.length === 0 : sensible.includes(top[0] ?? "");
        right += isRight ? 1 : 0;
        hours += top.every((category) => sensible.includes(category)) ? 1 : 0;
        shown.add(`${top.join(" ")} of ${ranked.length}`);
      }
      first += right / EPOCHS;
      clean += hours === EPOCHS ? 1 : 0;
      if (right < EPOCHS || hours < EPOCHS) wrong.push(`${sentence} → ${[...shown].join(" | ")}`);
    }
  } finally {
    await close();
  }
  const count = sentences.length;
  return { sentences: count, first: first / count, clean: clean / count, wrong };
}
