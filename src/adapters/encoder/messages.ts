/** What passes between a process and its encoder's, and the bounds of both. */

/** Pieces of a text that are read, the two at its ends included: what the model was trained with. */
export const MAX_PIECES = 128;
/** Ids of the pieces at a text's beginning and end. */
export const CLS = 101;
export const SEP = 102;

export interface EncoderRequest {
  call: number;
  text: string;
  /** In another language than English. */
  foreign: boolean;
}

export type EncoderReply =
  | { ready: true }
  | { call: number; vector: Float32Array }
  | { call: number; failed: string };
