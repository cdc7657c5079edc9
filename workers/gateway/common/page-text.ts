/** Text of a page on its way to a scan thread, which decodes and hashes it: neither is work for the thread that answers requests. */

/** A text as a caller sent it, or the body of a reply. */
export type SentText = string | FetchedText;

export interface FetchedText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** A body in memory of its own, which can be handed over to a thread. */
export function fetchedText(body: Uint8Array, contentType: string): FetchedText {
  const isOwn = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  return { bytes: isOwn ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body), contentType };
}

/** Memory of the fetched texts in a task's input: the input itself, and its members. Strings are copied. */
export const memoryOf = (input: unknown): ArrayBuffer[] =>
  [input, ...(typeof input === "object" && input !== null ? Object.values(input) : [])].flatMap((value) =>
    isFetched(value) ? [value.bytes.buffer] : [],
  );

const isFetched = (value: unknown): value is FetchedText =>
  typeof value === "object" && value !== null && "bytes" in value && "contentType" in value;
