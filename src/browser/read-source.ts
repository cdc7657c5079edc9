/** A page's bytes as text, in a thread that reads pages. */
import { encodingOf } from "../pages/body-encoding.ts";
import type { PageReply, PageSource } from "./page-source.ts";

/** Reads the answer's bytes in the encoding that they name. */
export function pageSource({ url, status, mediaType, contentType, body, cut }: PageReply): PageSource {
  const encoding = encodingOf(body, contentType);
  const text = new TextDecoder(encoding).decode(body);
  return { url, status, mediaType, encoding, text, ...(cut && { cut }) };
}
