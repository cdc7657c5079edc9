/**
 * Confusable strings: a subset of the skeleton of Unicode Technical Standard #39 section 4, with the letters that occur
 * in host names and disguised text (confusables.txt maps some 6,000), and the digits and pairs that phishing uses.
 */

/** A Latin letter, and its confusable characters. */
const SETS =
  "aàáâãäåāăąǎȁạảấầẩẫậắằẳẵặаɑα bƀɓЬв cçćĉċčсϲ dďđɗԁ eèéêëēĕėęěẹẻẽếềểễệеёҽ fƒ gĝğġģɡց hĥħһհ iìíîïĩīĭįıіїɩι jĵјʝ kķĸкκ lĺļľŀłӏⅼ mмⅿ nñńņňŉŋոпη oòóôõöøōŏőơọỏốồổỗộớờởỡợоοօө pрρ qԛգ rŕŗřгɍ sśŝşšșѕ tţťŧțтτ uùúûüũūŭůűųưụủứừửữựսυ vνѵ wŵẁẃẅԝшω xхχ yýÿŷỳỵỷỹуүγ zźżžᴢ";

const LATIN = new Map(
  SETS.split(" ").flatMap((set) => [...set].slice(1).map((char) => [char, set[0]!] as const)),
);
/** Digits and marks that are written for letters, and which. */
export const WRITTEN_FOR: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  $: "s",
  "!": "i",
  "|": "l",
};

/** The skeleton of a text, in lower case: two strings with the same skeleton look alike. */
export function skeleton(text: string): string {
  const latin = [...text.normalize("NFKC").toLowerCase()].map((char) => LATIN.get(char) ?? char).join("");
  return latin
    .replace(/\d|[$!|]/g, (char, at: number) =>
      // A digit among letters stands for a letter; a number does not.
      /[a-z]/.test(latin[at - 1] ?? "") || /[a-z]/.test(latin[at + 1] ?? "")
        ? (WRITTEN_FOR[char] ?? char)
        : char,
    )
    .replace(/rn/g, "m")
    .replace(/vv/g, "w");
}

/** Damerau–Levenshtein distance (optimal string alignment); `most + 1` if it is greater than `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    if (Math.min(...row) > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** Least lengths of names; too many words are as near to shorter ones. */
const LEAST_LOOKALIKE = 4;
const LEAST_FOLDED_LETTERS = 6;
const LEAST_DOUBLED = 4;
const LEAST_EXCHANGED = 5;
const LEAST_OMITTED = 5;
const LEAST_EDIT = 6;
const LEAST_TWO_EDITS = 9;
const MAX_WORD_CHARS = 40;

/** What is seen as one character: `i`, `l`, `1`; `o`, `0`; and so on. */
const SEEN_AS: Readonly<Record<string, string>> = { ...WRITTEN_FOR, "2": "z", i: "l", q: "g" };

/** Letters beside each other on keyboards, in one row or two: QWERTY, with what AZERTY and QWERTZ exchange. */
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const NEIGHBORS = new Map<string, string>(
  KEYS.flatMap((row, y) =>
    [...row].map((char, x): [string, string] => {
      const upper = KEYS[y - 1]?.slice(x, x + 2) ?? "";
      const lower = KEYS[y + 1]?.slice(Math.max(0, x - 1), x + 1) ?? "";
      return [char, `${row[x - 1] ?? ""}${row[x + 1] ?? ""}${upper}${lower}`];
    }),
  ),
);

/** A word that may imitate a name. */
export interface SuspectWord {
  readonly word: string;
  /** As it looks. */
  readonly folded: string;
}

/** One letter doubled, two neighbors exchanged, one left out of a short name, any one, or two of these. */
export type Slip = "doubled" | "exchanged" | "omitted" | "other" | "two";

export const suspectOf = (word: string): SuspectWord => ({
  word,
  folded: folded(word.slice(0, MAX_WORD_CHARS)),
});

/** A text with every character, and some pairs, replaced by one that looks the same. */
const folded = (text: string): string =>
  text
    .replaceAll("rn", "m")
    .replaceAll("nn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d")
    .replace(/[0-9iq]/g, (char) => SEEN_AS[char] ?? char);

/** Whether a word that is not the name is seen as it. @param name folded as well */
export function looksLike(
  { word, folded: seen }: SuspectWord,
  { word: name, folded: seenName }: SuspectWord,
): boolean {
  if (seen !== seenName || word === name || name.length < LEAST_LOOKALIKE) return false;
  return name.length >= LEAST_FOLDED_LETTERS || /[0-9]/.test(word);
}

/**
 * How a word misspells a name. The least lengths follow what slips make of brands' names among the 74,000 words of
 * models/embeddings/vocabulary.txt: one word in 1,781 by doubling a letter; by an exchange 37 in 1,000 at four and five letters, 5 at
 * six; by another letter, one less or one more 16 in 1,000 at five letters (230 by one less), 5 at six, 1 at seven, one in 44,158 from nine on.
 */
export function slipOf(word: string, name: string): Slip | undefined {
  // A plural is a word, not a misspelling.
  if (word === name || word === `${name}s` || Math.abs(word.length - name.length) > 2) return undefined;
  if (name.length >= LEAST_DOUBLED && isDoubled(word, name)) return "doubled";
  if (name.length >= LEAST_EXCHANGED && isExchanged(word, name)) return "exchanged";
  if (!mayBegin(word, name)) return undefined;
  if (name.length < LEAST_EDIT) return isOmitted(word, name) ? "omitted" : undefined;
  const most = name.length >= LEAST_TWO_EDITS ? 2 : 1;
  const distance = editDistance(word, name, most);
  if (distance === 1) return "other";
  return distance <= most ? "two" : undefined;
}

function isDoubled(word: string, name: string): boolean {
  const at = firstDifference(word, name);
  return (
    word.length === name.length + 1 && word[at] === name[at - 1] && word.slice(at + 1) === name.slice(at)
  );
}

/** Where two texts first differ. */
function firstDifference(word: string, name: string): number {
  let at = 0;
  while (at < name.length && word[at] === name[at]) at++;
  return at;
}

function isExchanged(word: string, name: string): boolean {
  const at = firstDifference(word, name);
  const isPair = word[at] === name[at + 1] && word[at + 1] === name[at];
  return word.length === name.length && isPair && word.slice(at + 2) === name.slice(at + 2);
}

/** Whether a misspelling may begin so: people and imitators keep a name's first letter, or slip on it alone. */
const mayBegin = (word: string, name: string): boolean =>
  word[0] === name[0] ||
  word[0] === name[1] ||
  word[1] === name[0] ||
  (NEIGHBORS.get(name[0]!)?.includes(word[0]!) ?? false);

/** One letter less than a name of five; what remains is too short to tell where the name is shorter. */
function isOmitted(word: string, name: string): boolean {
  const at = firstDifference(word, name);
  return (
    name.length >= LEAST_OMITTED && word.length === name.length - 1 && word.slice(at) === name.slice(at + 1)
  );
}
