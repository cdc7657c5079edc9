/** Lists of words by which pages are read: how they are written. Pure. */
import { fold } from "../domain/search/folding.ts";

/** Rows of phrases with a bar between; a space at an end is the edge of a word. */
export const lists = (...rows: readonly string[]): readonly string[] => [
  ...new Set(
    rows
      .flatMap((row) => row.split("|"))
      .map(fold)
      .filter((words) => words.trim() !== ""),
  ),
];
