/** Text of a page on its way to a scan thread, which decodes and hashes it: neither is work for the thread that answers requests. */
import { decodeBody } from "../../../src/pages/body-encoding.ts";
import { sha256 } from "./digest.ts";

/** A text as a caller sent it, or the body of a reply. */
export type PageText = string | FetchedText;

export interface FetchedText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** A body in memory of its own, which can be handed over to a thread. */
export const fetchedText = (body: Uint8Array, contentType: string): FetchedText => {
  const isOwn = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  return { bytes: isOwn ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body), contentType };
};

/** Memory of the texts that is handed over instead of copied: what was sent as a string is copied. */
export const memoryOf = (...texts: (PageText | undefined)[]): ArrayBuffer[] =>
  texts.flatMap((text) => (typeof text === "object" ? [text.bytes.buffer] : []));

export const decoded = <T extends PageText | undefined>(text: T): string | Extract<T, undefined> =>
  (typeof text === "object" ? decodeBody(text.bytes, text.contentType) : text) as
    | string
    | Extract<T, undefined>;

/** SHA-256 of a page as an analysis read it, whichever of its parts are there. */
export const pageDigest = (
  url: string | undefined,
  html: string | undefined,
  text: string | undefined,
): string => sha256(url, "\n", html, "\n", text);
