/** Site contents: the document as verified and the text of the pages read, compressed, in a bucket of their own. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { KV } from "@nats-io/kv";
import { SiteContent } from "../schemas/site.ts";
import { hostKey } from "./domain/domain-name.ts";

/** Compressed bytes of text kept for one site. */
export const MAX_TEXT_BYTES = 8 * 1024;
const MAX_INFLATED_BYTES = 1024 * 1024;

/** A low level and a small window: a quarter of the time, most of which is setting up, for a twentieth more bytes. */
const compress = (text: string): Uint8Array =>
  deflateRawSync(text, { level: 3, windowBits: 13, memLevel: 6 });

export interface Contents {
  get(siteId: string): Promise<SiteContent | undefined>;
  put(siteId: string, content: SiteContent): Promise<void>;
  remove(siteId: string): Promise<void>;
}

/** Cuts a text so that it compresses to at most 8 KiB. */
export const fitText = (text: string): string => {
  // Three bytes a character at most: short texts need not be compressed to know that they fit.
  if (text.length * 3 <= MAX_TEXT_BYTES) return text.toWellFormed();
  let fitted = text;
  for (let bytes = compress(fitted).length; bytes > MAX_TEXT_BYTES; bytes = compress(fitted).length)
    fitted = fitted.slice(0, Math.floor((fitted.length * MAX_TEXT_BYTES * 0.95) / bytes));
  return fitted.toWellFormed();
};

export const openContents = (bucket: KV): Contents => ({
  get: async (siteId) => {
    const entry = await bucket.get(hostKey(siteId));
    if (entry?.operation !== "PUT") return undefined;
    const json = inflateRawSync(entry.value, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
    return SiteContent.parse(JSON.parse(json));
  },
  put: async (siteId, content) => {
    const fitted = { ...content, text: fitText(content.text) };
    await bucket.put(hostKey(siteId), compress(JSON.stringify(fitted)));
  },
  remove: (siteId) => bucket.purge(hostKey(siteId)),
});
