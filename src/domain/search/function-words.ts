/**
 * Words that say nothing of what is looked for: a language's function words, and those by which people ask. A word that says
 * nothing in one language may be all in another (German "die", Dutch "van"), so a query's own language decides.
 */
import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as finnish } from "@orama/stopwords/finnish";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as hungarian } from "@orama/stopwords/hungarian";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as romanian } from "@orama/stopwords/romanian";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { stopwords as turkish } from "@orama/stopwords/turkish";
import { fold } from "./folding.ts";

/** Words of asking, which lists of function words leave out. */
const ASKING: Readonly<Record<string, string>> = {
  english:
    "find get need want look looking search searching seek please help like would could someone somebody something somewhere near best good nice",
  german: "suche finde finden brauche möchte gibt bitte jemand gute guter gutes beste bester",
  french: "cherche trouver besoin veux voudrais aimerais quelqu svp bon bonne meilleur meilleure",
  spanish: "busco buscar encontrar necesito quiero quisiera alguien favor bueno buena mejor",
  italian: "cerco cercare trovare bisogno voglio vorrei qualcuno favore buono buona migliore",
  portuguese: "procuro procurar encontrar preciso quero gostaria alguém favor bom boa melhor",
  dutch: "zoek zoeken vind vinden nodig graag iemand goede beste",
};

const LISTS: Readonly<Record<string, readonly string[]>> = {
  danish,
  dutch,
  english,
  finnish,
  french,
  german,
  hungarian,
  italian,
  norwegian,
  portuguese,
  romanian,
  russian,
  spanish,
  swedish,
  turkish,
};

/** The language of a query whose words tell no other. */
const USUAL = "english";
/** So many function words of another language make a query one of that language: one alone may be a word of any. */
const TELLING = 2;

const byLanguage = new Map(
  Object.entries(LISTS).map(([language, words]) => [
    language,
    new Set([...words, ...(ASKING[language]?.split(" ") ?? [])].map(fold)),
  ]),
);

/** Of a query's words, folded, those that are function words of the language that most of them are of. */
export function functionWordsAmong(words: readonly string[]): string[] {
  let found = wordsIn(USUAL, words);
  for (const language of byLanguage.keys()) {
    const others = wordsIn(language, words);
    if (others.length >= TELLING && others.length > found.length) found = others;
  }
  return found;
}

const wordsIn = (language: string, words: readonly string[]): string[] =>
  words.filter((word) => byLanguage.get(language)!.has(word));
