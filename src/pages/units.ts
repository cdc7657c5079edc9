/** A text as numbers: a loop over them takes a quarter of the time of one that asks the text for each. */

/** Longest text that needs no memory of its own: nearly all segments are shorter. */
const SHARED_UNITS = 8_192;
const SHARED = new Uint16Array(SHARED_UNITS);
const SHARED_BYTES = Buffer.from(SHARED.buffer);
/** What is in there: readers ask for one text after the other. */
let shared = "";

/** The UTF-16 units of a text, from 0 to before its length. The array is valid until the next call, and for reading. */
export function unitsOf(text: string): Uint16Array {
  if (text.length <= SHARED_UNITS) {
    if (text !== shared) SHARED_BYTES.write(text, "utf16le");
    shared = text;
    return SHARED;
  }
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
}
