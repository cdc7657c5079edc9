/** What the firewall's classifiers learn from: attacks and harmless texts of our own, and real texts that may be learned from. */

import { join } from "node:path";
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { readLines, readRows } from "../data.ts";
import { expand, type Grammar, vary } from "../grammar.ts";
import type { Row } from "../linear.ts";
import { ATTACK_TEMPLATES, ATTACK_WORDS, FOREIGN_ATTACKS } from "./attacks.ts";
import { BENIGN_WORDS, FOREIGN_BENIGN, LOADED_REQUESTS, PAGE_TEXTS, REQUEST_TEMPLATES } from "./benign.ts";
import { MORE_FOREIGN_ATTACKS, MORE_FOREIGN_BENIGN } from "./foreign.ts";
import { LANGUAGE_ATTACKS, LANGUAGE_BENIGN } from "./languages.ts";
import { ABOUT_ATTACKS, ACTION_LABELS, HIDDEN_TEXTS, LOADED_TEXTS, NEWS_ATTACKS } from "./loaded.ts";
import { readMessages } from "./messages.ts";
import { PROSE, PROSE_WORDS } from "./prose.ts";

export interface Labelled {
  text: string;
  label: number | string;
  category?: string;
}

/** BIPIA's training attacks (MIT). Those that only ask something are no attack by themselves: they teach what a request is. */
export const BIPIA = ["prompt-injection/bipia-text-train.jsonl", "prompt-injection/bipia-code-train.jsonl"];
export const PLAIN_REQUESTS = new Set([
  "Information Retrieval",
  "Content Creation",
  "Learning and Tutoring",
  "Language Translation",
  "Programming Help",
]);

/** Harmless texts of ours in ten languages: prompts of people, many of which play roles, set rules and demand forms, and notices full of an attack's words. */
const PROMPTS = join(import.meta.dirname, "prompts.jsonl");
/** Attacks of ours, each in words of its own, in ten languages. */
const OWN_ATTACKS = join(import.meta.dirname, "attacks.jsonl");
/** A third of them begins with something harmless: more would make that suspect, too. */
const OWN_WEIGHT = 0.4;
/** Each of BIPIA's is one of its kind; templates give hundreds of theirs. */
const BIPIA_WEIGHT = 3;

/** Messages resemble each other more than other texts do. */
const MESSAGE_WEIGHT = 0.6;

export interface RealTexts {
  attacks: readonly Labelled[];
  /** Harmless texts of pages. */
  page: readonly string[];
  /** What programs say, in eight languages, and what words mean. */
  messages: readonly string[];
  /** Prompts of people who mean no harm. */
  prompts: readonly string[];
  /** Attacks of our own that no template made. */
  ownAttacks: readonly string[];
}

/** Every so many offers are enough: they resemble each other. */
const OFFER_STEP = 3;
const OFFERS = ["amazon-google", "walmart-amazon"];

/** Real texts whose licence allows learning: BIPIA's training attacks, shop texts, product and service descriptions. */
export function readRealTexts(): RealTexts {
  const shop = readRows<{ text: string }>("dark-patterns/ec-darkpattern.jsonl").map(({ text }) => text);
  const services = readRows<{ description?: string }>("services/mcp-registry-2025-05.jsonl")
    .map(({ description }) => description ?? "")
    .filter((text) => text.length > 10);
  return {
    attacks: BIPIA.flatMap((path) => readRows<Labelled>(path)),
    page: [...shop, ...services, ...readOffers()],
    messages: readMessages(),
    prompts: readRows<{ text: string }>(PROMPTS).map(({ text }) => text),
    ownAttacks: readRows<{ text: string }>(OWN_ATTACKS).map(({ text }) => text),
  };
}

/** Names and descriptions of offers (Ditto's copies, Apache-2.0), each once. */
function readOffers(): string[] {
  const values = OFFERS.flatMap((name) =>
    readLines(`product-matching/${name}-train.txt`).flatMap((line) =>
      line.split(/COL \w+ VAL|\t/).map((value) => value.trim()),
    ),
  );
  const offers = [...new Set(values)].filter((text) => text.length > 25 && text.length < 1_000);
  return offers.filter((_, index) => index % OFFER_STEP === 0);
}

/**
 * Rows for both classifiers. An attack is a request as well; a plain request is no attack.
 * @param part which templates and real texts take part, by their place; default: all
 */
export function corpus(
  all: RealTexts,
  seed: number,
  part: (place: number) => boolean = () => true,
): { attack: Row[]; request: Row[] } {
  const random = mulberry32(seed);
  const of = <T>(items: readonly T[]): T[] => items.filter((_, place) => part(place));
  const real = partOf(all, of);
  const attacks = [
    ...from(of(ATTACK_TEMPLATES), ATTACK_WORDS, 130, random),
    ...from(of(FOREIGN_ATTACKS), ATTACK_WORDS, 6, random),
  ];
  const isPlain = ({ category }: Labelled): boolean => category !== undefined && PLAIN_REQUESTS.has(category);
  const bipia = real.attacks.filter((row) => !isPlain(row)).map(({ text }) => text);
  const asked = real.attacks.filter(isPlain).map(({ text }) => text);
  const requests = [
    ...from(of(REQUEST_TEMPLATES), BENIGN_WORDS, 25, random),
    ...from(of(LOADED_REQUESTS), BENIGN_WORDS, 45, random),
  ];
  const foreign = from(of(FOREIGN_BENIGN), BENIGN_WORDS, 8, random);
  const prose = from(of(PROSE), PROSE_WORDS, 70, random);
  const pages = [...from(of(PAGE_TEXTS), BENIGN_WORDS, 4, random), ...prose, ...real.page];
  const { mixed, plain } = joined([...attacks, ...bipia], [...requests, ...pages, ...foreign], 1_500, random);
  // Random numbers of their own: what is made above stays as it is.
  const random2 = mulberry32(seed + 1);
  const foreignAttacks = from(of(MORE_FOREIGN_ATTACKS), ATTACK_WORDS, 12, random2);
  const foreignPages = from(of(MORE_FOREIGN_BENIGN), BENIGN_WORDS, 14, random2);
  const random3 = mulberry32(seed + 2);
  const moreAttacks = [
    ...from(of(LANGUAGE_ATTACKS), ATTACK_WORDS, 22, random3),
    ...from(of(NEWS_ATTACKS), ATTACK_WORDS, 8, random3),
  ];
  const moreRequests = from(of(LOADED_TEXTS), BENIGN_WORDS, 55, random3);
  const morePages = [
    ...from(of(LANGUAGE_BENIGN), BENIGN_WORDS, 12, random3),
    ...from(of(ABOUT_ATTACKS), BENIGN_WORDS, 20, random3),
    ...from(of(HIDDEN_TEXTS), BENIGN_WORDS, 40, random3),
    ...from(of(PAGE_TEXTS), BENIGN_WORDS, 5, random3),
    ...from(of(PROSE), PROSE_WORDS, 80, random3),
  ];
  const labels = from(of(ACTION_LABELS), BENIGN_WORDS, 60, mulberry32(seed + 3));
  return {
    attack: [
      ...rows(attacks, 0),
      ...rows(bipia, 0, BIPIA_WEIGHT),
      ...rows(real.ownAttacks, 0, OWN_WEIGHT),
      ...rows(mixed, 0),
      ...rows([...requests, ...foreign, ...pages, ...plain], -1),
      ...rows(asked, -1, 0.5),
      ...rows([...foreignAttacks, ...moreAttacks], 0),
      ...rows([...foreignPages, ...moreRequests, ...morePages], -1),
      ...rows(real.messages, -1, MESSAGE_WEIGHT),
      ...rows([...labels, ...real.prompts.flatMap(windowsOf)], -1),
    ],
    request: [
      ...rows([...attacks, ...bipia, ...real.ownAttacks], 0),
      ...rows(asked, 0, 3),
      ...rows(requests, 0),
      ...rows([...pages, ...foreign], -1),
      ...rows([...foreignAttacks, ...moreAttacks, ...moreRequests], 0),
      ...rows([...foreignPages, ...morePages], -1),
      ...rows(real.messages, -1, MESSAGE_WEIGHT),
    ],
  };
}

const partOf = (all: RealTexts, of: <T>(items: readonly T[]) => T[]): RealTexts => ({
  attacks: of(all.attacks),
  page: of(all.page),
  messages: of(all.messages),
  prompts: of(all.prompts),
  ownAttacks: of(all.ownAttacks),
});

const from = (
  templates: readonly string[],
  grammar: Grammar,
  times: number,
  random: () => number,
): string[] =>
  templates.flatMap((template) =>
    Array.from({ length: times }, () => vary(expand(template, grammar, random), random)),
  );

/** Two harmless texts, or an attack with harmless ones around it, as one paragraph has them. */
function joined(
  attacks: readonly string[],
  harmless: readonly string[],
  count: number,
  random: () => number,
): { mixed: string[]; plain: string[] } {
  const one = (texts: readonly string[]): string => texts[Math.floor(random() * texts.length)]!;
  const mixed = Array.from({ length: count }, () => {
    const roll = random();
    if (roll < 0.4) return `${one(harmless)} ${one(attacks)}`;
    if (roll < 0.7) return `${one(attacks)} ${one(harmless)}`;
    return `${one(harmless)} ${one(attacks)} ${one(harmless)}`;
  });
  const plain = Array.from({ length: count * 2 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 4) }, () => one(harmless)).join(" "),
  );
  return { mixed, plain };
}

const rows = (texts: readonly string[], classIndex: number, weight = 1): Row[] =>
  texts.map((text) => ({ text, class: classIndex, weight }));

/** What the scan reads of a text: its sentences, pairs of them, and the whole (src/detectors/firewall/text-risk.ts). */
function windowsOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.split(/\s+/).length > 2);
  const pairs = sentences.slice(1).map((sentence, i) => `${sentences[i]} ${sentence}`);
  return [...new Set([...sentences, ...pairs, text])];
}
