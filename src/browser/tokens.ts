/**
 * How many tokens a language model takes for a text, by an estimate that is seldom too low: every model counts otherwise.
 * Linear.
 */

/** ASCII characters a token; English prose has four or more, code and numbers two to three. */
const ASCII_CHARS = 3;

/** A text cut to so many tokens, at the end of a line where there is one in the last quarter. */
export function withinTokens(text: string, tokens: number): string {
  const end = endWithin(text, tokens);
  if (end === text.length) return text;
  const line = text.lastIndexOf("\n", end);
  return `${text.slice(0, line > end * 0.75 ? line : end)}\n… (cut)`;
}

/** The longest beginning of `text` from `start` within so many tokens. @returns where it ends */
export function endWithin(text: string, tokens: number, start = 0): number {
  let left = tokens * ASCII_CHARS;
  for (let at = start; at < text.length; at++) {
    left -= text.charCodeAt(at) < 128 ? 1 : ASCII_CHARS;
    // Never between the halves of a character.
    if (left < 0) return isLowSurrogate(text, at) ? at - 1 : at;
  }
  return text.length;
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc_00) === 0xdc_00;
