/** Letters as they are compared: whatever case they are in, and whatever stands above or below them. */

/** Letters that decompose to nothing simpler, yet are typed as other letters by half of their writers. */
const FOLDED: Record<string, string> = {
  ß: "ss",
  ς: "σ",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
  þ: "th",
};
const FOLDABLE = /[ßςæœøđðłıþ]/g;
const MARKED = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{Mn}+/gu;
/** Lower case without diacritics; marks stay where they are vowels (Devanagari, Arabic, Hebrew …). */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!hasNonAscii(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(MARKED, "$1")
    .normalize("NFKC")
    .replace(FOLDABLE, (char) => FOLDED[char]!);
}

export const hasNonAscii = (text: string): boolean => /[^\x00-\x7f]/.test(text);
