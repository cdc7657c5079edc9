/** A page as the module sees it: language, topics, entities and category. Pure; run in a thread of its own. */
import type { StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { guessLanguage } from "../../../src/pages/language.ts";
import { readPage } from "../../../src/pages/page-text.ts";
import { parseHtml } from "../../../src/pages/parse-html.ts";
import type { Classification, Classifier } from "./classifier.ts";
import { type Entity, entitiesOf } from "./entities.ts";
import { type Topic, topicsOf } from "./topics.ts";

export interface PageAnalysis {
  title: string | null;
  description: string | null;
  /** `declared` by the page, `detected` from its words. */
  language: { declared: string | null; detected: string | null; confidence: number };
  words: number;
  topics: Topic[];
  entities: Entity[];
  category: Classification;
  truncated: boolean;
}

/** The beginning of a page's text says what the site is about; its end is small print. */
const CATEGORY_CHARS = 1_000;
const MAX_TEXT = 50_000;
const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 2;

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** @param source a page's HTML, or plain text */
export const analyzePage = (
  model: StaticVectors,
  classifier: Classifier,
  source: { html: string | undefined; text: string | undefined; url: string },
): PageAnalysis => {
  const url = new URL(source.url);
  const parsed = source.html === undefined ? undefined : parseHtml(source.html);
  const page = parsed && readPage(parsed, url, { maxTextChars: MAX_TEXT });
  const text = page?.text ?? (source.text ?? "").slice(0, MAX_TEXT);
  const head = [page?.title, page?.description].filter((part) => part != null);
  const headings = page?.headings.map((heading) => heading.text) ?? [];
  const passages = [
    ...head.map((part) => ({ text: part, weight: TITLE_WEIGHT })),
    ...headings.map((part) => ({ text: part, weight: HEADING_WEIGHT })),
    { text, weight: 1 },
  ];
  const detected = guessLanguage([...head, text].join("\n"));
  return {
    title: page?.title ?? null,
    description: page?.description ?? null,
    language: {
      declared: page?.language ?? null,
      detected: detected.language,
      confidence: detected.confidence,
    },
    words: wordsIn(text),
    topics: topicsOf(model, passages),
    entities: entitiesOf(parsed?.document, text),
    category: classifier.classify([...head, ...headings, text].join("\n").slice(0, CATEGORY_CHARS)),
    truncated: page?.truncated ?? (source.text ?? "").length > MAX_TEXT,
  };
};
