/**
 * Words that say nothing of what is looked for: a language's stop words, and those by which people ask. A word that says
 * nothing in one language may be all in another (German "die", Dutch "van"), so a query's own language decides.
 */
import { readTable } from "../../tables/read-table.ts";
import { fold } from "./folding.ts";

/** Words of asking, which lists of stop words leave out. */
const ASKING: Readonly<Record<string, string>> = {
  en: "search searching seek nice",
  de: "finde finden brauche bitte beste bester",
  fr: "cherche trouver besoin veux voudrais aimerais quelqu svp bonne meilleur meilleure",
  es: "busco buscar encontrar necesito quiero quisiera alguien favor",
  it: "cerco cercare trovare bisogno voglio vorrei buona migliore",
  pt: "procuro procurar encontrar preciso gostaria alguém melhor",
  nl: "zoek zoeken vind vinden nodig graag goede beste",
};

/** Words of those lists that name or tell apart what people look for: the lists come from texts, where these say little. */
const SUBJECTS: Readonly<Record<string, string>> = {
  en:
    "ad ai ar area areas back backs bill bottom buy c call caption case cases click com computer copy course cry date dear " +
    "early edu empty end face faces fact facts fill fire first fix free front full general goods gov greetings group " +
    "groups hello high hi home homepage hr html http id ill immediate index info information inner inside interest interests " +
    "invention io key keys large last line little long low mail man member members men microsoft mil mill million mine " +
    "move mug name names net netscape new newer newest novel number numbers old older oldest open opening order ordering orders own " +
    "outside page pages part parts past place places plus point points present presents problem problems py r research " +
    "ring room rooms round run saw second seconds section self sent shed shell show shows side sides site small smaller " +
    "state states stop sub sup system test text thick thin third tip tips today top turn tv uk use used user value various " +
    "vol web webpage website welcome wells width won words work working works world www year years young younger " +
    "youngest zero",
  cs: "design email nová nové nový strana téma tipy zprávy článek článku články clanek clanku clanky zpravy tema",
  da: "mand",
  de:
    "gott grosse grossen grosser grosses große großen großer großes hoch jahr jahre jahren kleine kleinen kleiner kleines " +
    "kurz lang leicht mann mensch menschen mittel morgen neue neuen offen ordnung recht rechte rechten rechter rechtes " +
    "sache satt schluss startseite tag tage tagen teil uhr zeit",
  es:
    "acuerdo breve cuenta dia dias día días estado estados horas lado lugar medio nueva nuevas nuevo nuevos pais sal " +
    "tarde tiempo total trabajo trabajar valor verdad",
  fi: "aika asia hyvä kiitos kukka oikea pieni suuri uusi vuosi",
  fr:
    "bas beau cher chers chère chères debout effet essai façon force gens juste mille mince mot naturel naturelle " +
    "naturelles neuf nouveau nouveaux ouvert ouverte ouverts personne personnes pièce pur pure rare rares reste sein sujet " +
    "unique uniques valeur vif vive vives",
  it:
    "anno anni citta città comprare consiglio forza futuro gente giorni giorno grande gruppo lato luogo mesi mezzo mondo " +
    "nome nuovi nuovo ora ore paese parte piedi press quarto registrazione scopo tempo titolo triplo uomo vita volta",
  nl: "vrij",
  pt:
    "apoio área caminho conselho estado grupo hora horas local lugar nome noite nova novas novo novos número obra pessoas " +
    "ponto pontos posição povo sistema tempo tipo trabalhar trabalho valor viagem",
  ro: "bucur frumos noroc spate timp",
  ru:
    "важная важное важные важный вечер взгляд видеть вода война время глаз голова голос город год дверь дело день деньги " +
    "дом дорога друг душа жена женщина жизнь земля имя книга комната конец лицо люди маленький мать машина минута мир " +
    "москва народ новый нога ночь окно ответ отец писать плечо правда работа работать ребенок россия рука русский свет " +
    "сила слово случай советский старый стол сторона страна товарищ улица утро хороший час человек читать",
  sv: "beslut dagar dagarna dagen godare lilla nummer stor stora större",
  tr: "iş kaynak tam tek",
};

/** The language of a query whose words tell no other. */
const USUAL = "en";
/** So many stop words of another language make a query one of that language: one alone may be a word of any. */
const TELLING = 2;

const byLanguage = new Map(
  Object.entries(readTable("stop-words").languages).map(([language, words]) => {
    const subjects = new Set(wordsOf(SUBJECTS[language]));
    const all = [...words.map(fold), ...wordsOf(ASKING[language])];
    return [language, new Set(all.filter((word) => !subjects.has(word) && !/\d/.test(word)))];
  }),
);

function wordsOf(list = ""): string[] {
  return fold(list).split(" ");
}

/** Of a query's words, folded, those that say nothing in the language that most of them are of. */
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
