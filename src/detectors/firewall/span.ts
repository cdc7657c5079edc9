/** A stretch of a text: from its first character to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
