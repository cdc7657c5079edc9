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
