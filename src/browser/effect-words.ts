/**
 * Words by which forms say what sending them does: many in English, German, French and Spanish, the usual ones of shops in some
 * thirty more languages. A space is the edge of a word.
 */
import type { Effect } from "../../schemas/action.ts";
import { fold } from "../domain/search/folding.ts";
import { readTable } from "../tables/read-table.ts";
import { lists } from "./word-lists.ts";

const WORDS = readTable("effect-words");

/** A button that says so orders, pays, books, bids or gives, whatever stands around it. */
export const BUYS = lists(...WORDS.buys);

/** A button that may order: it does where prices, payment or an order stand around it. */
export const MAY_BUY = lists(...WORDS.may_buy);

/** What stands around a form by which something is bought: headings, legends, the form's own name and address. */
export const BUYING_CONTEXT = lists(...WORDS.buying_context);

/** Context in which even a form without a price orders. */
export const ORDERING = lists(...WORDS.ordering);

/** A button that only puts aside what may be bought later, or takes it out again. */
const PUTS_ASIDE = lists(...WORDS.puts_aside);

/** Words of putting aside that may stand beside an order on one button: "book now, pay later". */
const BESIDE_AN_ORDER = lists(...WORDS.beside_an_order);
const ORDERS = lists(...WORDS.orders);

/** A form that only looks something up. */
export const LOOKS_UP = lists(...WORDS.looks_up);

/** A button that changes something and buys nothing, whatever stands around it. */
export const CHANGES = lists(...WORDS.changes);

/** What takes a word of looking up its meaning: "check out", "find and delete". */
export const NOT_ONLY_LOOKS = lists(...WORDS.not_only_looks);

/** Text of a form, and of what it stands in, that is read. */
export const MAX_FORM_CHARS = 8_000;

/** What an action does of which only words are known: a site's script carries it out. */
export function effectOfWords(said: string, category: string): Effect {
  const words = plainWords(said);
  if (putsAside(words)) return "write";
  if (says(words, BUYS) || (category === "commerce" && says(words, MAY_BUY))) return "purchase";
  return category === "content" || category === "navigation" ? "read" : "write";
}

/** In lower case without diacritics, each word between two spaces; marks that are vowels (Thai, Devanagari …) are of the word. */
export const plainWords = (text: string): string =>
  ` ${fold(text.slice(0, MAX_FORM_CHARS))
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()} `;

/** Whether a button only puts aside what may be bought later, or takes it out again. @param words as `plainWords` writes them */
export function putsAside(words: string): boolean {
  if (!says(words, PUTS_ASIDE)) return false;
  const rest = BESIDE_AN_ORDER.reduce((left, phrase) => left.replaceAll(phrase, "  "), words);
  return says(rest, PUTS_ASIDE) || !(says(rest, BUYS) || says(rest, ORDERS));
}

/** Whether one of the phrases is among the words. @param words as `plainWords` writes them */
export const says = (words: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => words.includes(phrase));
