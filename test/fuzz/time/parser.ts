/** What reads strangers' bytes, as the fuzzer of time drives it. */
import type { Frame } from "./recipe.ts";

export interface LoadOptions {
  /** Of a broker, for a parser that is a whole front. */
  natsUrl: string | undefined;
}

export interface Parser {
  /** Lower case; a row of docs/evaluation/time.md. */
  name: string;
  /** Where the service runs it: on the event loop of a role or front, or in a thread whose deadline ends it. */
  where: "loop" | "thread";
  /** Longest input that a stranger can have it read, in UTF-16 units. */
  maxChars: number;
  /** Most processor time that an input of that length may take, in milliseconds. */
  budgetMs: number;
  frames: readonly Frame[];
  /** Words of the grammar: what inputs are made of beside what the expressions themselves tell. */
  tokens: readonly string[];
  /** Ordinary inputs: they warm it up, and show which expressions it runs. */
  examples: readonly string[];
  /** Imports what is needed. @returns what reads one input */
  load(options: LoadOptions): Promise<(input: string) => unknown>;
}

export const words = (text: string): string[] => text.trim().split(/\s+/);
export const PLAIN: Frame = { before: "", after: "" };
