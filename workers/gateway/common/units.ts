/** A text as numbers: a loop over them takes a quarter of the time of one that asks the text for each. */

/** Longest text that needs no memory of its own: nearly all segments are shorter. */
const SHARED_UNITS = 8_192;
const SHARED = new Uint16Array(SHARED_UNITS);
const SHARED_BYTES = Buffer.from(SHARED.buffer);

/** The UTF-16 units of a text, from 0 to before its length. The array is valid until the next call. */
export const unitsOf = (text: string): Uint16Array => {
  if (text.length <= SHARED_UNITS) {
    SHARED_BYTES.write(text, "utf16le");
    return SHARED;
  }
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, "utf16le");
  return units;
};
