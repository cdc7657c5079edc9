/** Which language a text is in: by its script, and for the Latin one by its commonest words. */

interface Guess {
  /** BCP 47, the language alone; null when nothing says. */
  language: string | null;
  confidence: number;
}

const SAMPLE = 4_000;

/** Scripts that one language, or one above all, is written in. Kana before Han: Japanese has both. */
const SCRIPTS: readonly [pattern: RegExp, language: string][] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/gu, "ja"],
  [/\p{sc=Hangul}/gu, "ko"],
  [/\p{sc=Han}/gu, "zh"],
  [/[іїєґІЇЄҐ]/gu, "uk"],
  [/\p{sc=Cyrillic}/gu, "ru"],
  [/\p{sc=Arabic}/gu, "ar"],
  [/\p{sc=Hebrew}/gu, "he"],
  [/\p{sc=Greek}/gu, "el"],
  [/\p{sc=Thai}/gu, "th"],
  [/\p{sc=Devanagari}/gu, "hi"],
];

/** Words that make up a fifth to a third of any text of their language. */
const COMMON: Record<string, string> = {
  cs: "a je v na se že to jsou pro který není ale jako nebo jsme byl také po ve od",
  da: "og i at det er en til på som af for med der den ikke har vi et fra eller",
  de: "und der die das ist nicht mit für ein eine auf von zu im den wir sich auch werden oder",
  en: "the of and to in is for with that on are this you by from our your we be or",
  es: "de la que el en y los del las por con una para es se su más como nuestro o",
  fi: "ja on ei se että oli mutta ovat myös kun niin joka tai sekä olla hän meidän mukaan kanssa",
  fr: "de la le et les des en un une du pour que dans est nous vous sur avec au ou",
  it: "di e il la che per un in una sono con del della non i le da gli al nostro",
  nl: "de het een en van is dat op te in voor met zijn niet aan er ook wij naar onze",
  pl: "i w na z się do nie jest to że dla jak oraz po od są przez lub o nasz",
  pt: "de a o que e do da em um para com uma os no na por mais não se nosso",
  ro: "și de la în cu pe un o este sunt pentru din care nu sau mai noastre prin al a",
  sv: "och i att det som en på är av för med till den inte har vi ett om eller från",
  tr: "ve bir bu için ile de da olarak daha çok en gibi ne olan kadar sonra var veya her biz",
};
const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of Object.entries(COMMON))
  for (const word of words.split(" ")) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);

/** A text of fewer words of ours says too little. */
const LEAST_HITS = 2;

/** Confidence from which the words of a page outweigh what it says of itself: templates say English of any page. */
const SURE = 0.7;

/** The language that a page is in, by its words where they are sure, else by its own `lang`; null when nothing says. */
export function spokenLanguage(text: string, said: string | null): string | null {
  const { language, confidence } = guessLanguage(text);
  const own = said?.trim().slice(0, 3).toLowerCase().split(/[-_]/, 1)[0] || null;
  return language !== null && confidence >= SURE ? language : (own ?? language);
}

/** The language of a text's first 4,000 characters; a text of another language or of names alone has none. */
export function guessLanguage(text: string): Guess {
  const sample = text.slice(0, SAMPLE);
  const script = byScript(sample);
  if (script) return script;
  const scores = new Map<string, number>();
  let hits = 0;
  for (const word of sample.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const languages = LANGUAGES_OF.get(word);
    if (!languages) continue;
    hits++;
    // A word of one language alone says more than one that many share.
    for (const language of languages)
      scores.set(language, (scores.get(language) ?? 0) + 1 / languages.length);
  }
  if (hits < LEAST_HITS) return { language: null, confidence: 0 };
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  const confidence = best![1] / (best![1] + (second?.[1] ?? 0));
  return { language: best![0], confidence: confidence * (1 - 1 / (1 + hits)) };
}

function byScript(text: string): Guess | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return { language: null, confidence: 0 };
  for (const [pattern, language] of SCRIPTS) {
    const share = (text.match(pattern)?.length ?? 0) / letters;
    // A few signs of Ukrainian among Cyrillic, or of kana among Han, decide.
    const isTelling = language === "uk" || language === "ja";
    if (share > (isTelling ? 0.02 : 0.5))
      return { language, confidence: isTelling ? 0.9 : Math.min(1, share) };
  }
  return undefined;
}
