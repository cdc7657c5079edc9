/** A sentence encoder: says what a text of any language means as a direction, better and slower than the static vectors. */

export interface EncodeOptions {
  /** "query": somebody waits for it; "site": it has time, and goes behind all queries. */
  for: "query" | "site";
  /** What is not encoded within this time is not waited for; milliseconds. */
  waitMs: number;
  /** The text is in another language than English (isForeign); default: it is in English. */
  foreign?: boolean;
}

export type EncoderState = "not installed" | "starting" | "running" | "resting after a failure" | "closed";

/** Optional: machines without it search by static vectors, which lie in the same space. */
export interface Encoder {
  /** Names the model: vectors of another name are made anew. */
  readonly name: string;
  readonly state: EncoderState;
  /**
   * The direction of a text in the space of the static vectors: VECTOR_SIZE components of unit length. Reads the first
   * MAX_PIECES pieces of the text.
   * @returns undefined where it cannot be had now: it is not installed, starts, too many wait, or it takes too long
   */
  encode(text: string, options: EncodeOptions): Promise<Float32Array | undefined>;
  close(): Promise<void>;
}
