/** A page as the module sees it: language, topics, entities and category. Pure; run in a thread of its own. */
import type { StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { guessLanguage, spokenLanguage } from "../../../src/pages/language.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { descriptionOf, headingsOf, metadataOf, pageTitle } from "../../../src/pages/page-parts.ts";
import { oneLine, visibleText } from "../../../src/pages/visible-text.ts";
import type { Classification, Classifier } from "./classifier.ts";
import { entitiesOf, type NamedEntity } from "./entities.ts";
import { type PageTopic, topicsOf } from "./topics.ts";

export interface PageAnalysis {
  title: string | null;
  description: string | null;
  /** `declared` by the page, `detected` from its words. */
  language: { declared: string | null; detected: string | null; confidence: number };
  words: number;
  topics: PageTopic[];
  entities: NamedEntity[];
  category: Classification;
  truncated: boolean;
}

/** The beginning of a page's text says what the site is about; its end is small print. */
const CATEGORY_CHARS = 1_000;
const MAX_TEXT = 50_000;
const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 2;
const MAX_HEADINGS = 100;

/** @param source a page's HTML, or plain text */
export function analyzePage(
  model: StaticVectors,
  classifier: Classifier,
  source: { html: string | undefined; text: string | undefined },
): PageAnalysis {
  const page = source.html === undefined ? undefined : readPageModel(source.html);
  const seen = page && visibleText(page, page.document, MAX_TEXT);
  const text = seen ? oneLine(seen.text) : (source.text ?? "").slice(0, MAX_TEXT);
  const title = (page && pageTitle(page)) || null;
  const description = page ? descriptionOf(metadataOf(page)) : null;
  const head = [title, description].filter((part) => part !== null);
  const headings = page ? headingsOf(page, MAX_HEADINGS).map((heading) => heading.text) : [];
  const passages = [
    ...head.map((part) => ({ text: part, weight: TITLE_WEIGHT })),
    ...headings.map((part) => ({ text: part, weight: HEADING_WEIGHT })),
    // Blocks on lines of their own: no run of words goes from one to the next.
    { text: seen?.text ?? text, weight: 1 },
  ];
  const whole = [...head, text].join("\n");
  const detected = guessLanguage(whole);
  return {
    title,
    description,
    language: {
      declared: page?.language ?? null,
      detected: detected.language,
      confidence: detected.confidence,
    },
    words: wordsIn(text),
    topics: topicsOf(model, passages, spokenLanguage(whole, page?.language ?? null)),
    entities: entitiesOf(page, text),
    category: classifier.classify(
      model.embed([...head, ...headings, text].join("\n").slice(0, CATEGORY_CHARS)),
    ),
    truncated: page ? !page.complete || seen!.cut : (source.text ?? "").length > MAX_TEXT,
  };
}

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
