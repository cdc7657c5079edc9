/**
 * Cuts what comes from the broker where messages end. The client's parser takes any pieces, but puts a payload that
 * comes in two of them together in a buffer that doubles as it grows: for a page of 40 KB three times its size, and
 * it is such short-lived memory that makes the collector run.
 */
const LINE_END = 10;
const [LETTER_M, LETTER_H, SPACE, ZERO, NINE] = [..."MH 09"].map((letter) => letter.charCodeAt(0));

/** Bytes after a control line: the last number of MSG and HMSG says them, and CR LF follows (NATS client protocol). */
const payloadAfter = (chunk: Uint8Array, from: number, lineEnd: number): number => {
  if (chunk[from] !== LETTER_M && chunk[from] !== LETTER_H) return 0;
  let size = 0;
  for (let at = lineEnd - 2, unit = 1; at > from && chunk[at] !== SPACE; at--, unit *= 10) {
    const digit = chunk[at]!;
    if (digit < ZERO! || digit > NINE!) return 0;
    size += (digit - ZERO!) * unit;
  }
  return size + 2;
};

/** One connection's bytes, in order. */
export class Frames {
  #held: Uint8Array[] = [];
  /** Bytes that are missing of the message held; 0 when what is held is a piece of a control line, or nothing. */
  #missing = 0;

  /** @returns the same bytes in pieces that end where a message does; what is of an unfinished one is held back */
  take(chunk: Uint8Array): Uint8Array[] {
    if (this.#missing > chunk.length) {
      this.#held.push(chunk);
      this.#missing -= chunk.length;
      return [];
    }
    if (this.#held.length === 0) return this.#cut(chunk);
    if (this.#missing === 0) return this.#cut(Buffer.concat([...this.#held.splice(0), chunk]));
    const whole = Buffer.concat([...this.#held.splice(0), chunk.subarray(0, this.#missing)]);
    const rest = chunk.subarray(this.#missing);
    this.#missing = 0;
    return rest.length > 0 ? [whole, ...this.#cut(rest)] : [whole];
  }

  #cut(chunk: Uint8Array): Uint8Array[] {
    let at = 0;
    while (at < chunk.length) {
      const lineEnd = chunk.indexOf(LINE_END, at);
      const end = lineEnd < 0 ? Number.POSITIVE_INFINITY : lineEnd + 1 + payloadAfter(chunk, at, lineEnd);
      if (end > chunk.length) {
        this.#held = [chunk.subarray(at)];
        this.#missing = lineEnd < 0 ? 0 : end - chunk.length;
        break;
      }
      at = end;
    }
    return at === 0 ? [] : [chunk.subarray(0, at)];
  }
}
