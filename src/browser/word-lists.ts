/** Lists of words by which pages are read: how they are written, and how a page's text is made alike. Pure. */

/** Rows of phrases with a bar between; a space at an end is the edge of a word. */
export const lists = (...rows: readonly string[]): readonly string[] => [
  ...new Set(
    rows
      .flatMap((row) => row.split("|"))
      .map(foldedText)
      .filter((words) => words.trim() !== ""),
  ),
];

/** In lower case, without diacritics. */
export const foldedText = (text: string): string =>
  text.replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
