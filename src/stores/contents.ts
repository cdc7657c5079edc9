/** Site contents: the document as verified and the text of the pages read, compressed, in a bucket of their own. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import { SiteContent, type SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";

/** Compressed bytes of text kept for one site. */
export const MAX_TEXT_BYTES = 8 * 1024;
const MAX_INFLATED_BYTES = 1024 * 1024;

/** A low level and a small window: a quarter of the time, most of which is setting up, for a twentieth more bytes. */
const compress = (text: string): Uint8Array =>
  deflateRawSync(text, { level: 3, windowBits: 13, memLevel: 6 });

/** What a site record says its contents are. */
export type ContentHashes = Pick<SiteRecord, "content_sha256" | "document_sha256">;

export interface Contents {
  /** The newest, or with `hashes` at least as new as these: just put by this very process, they are at hand. */
  get(siteId: string, hashes?: ContentHashes): Promise<SiteContent | undefined>;
  put(siteId: string, content: SiteContent, hashes?: ContentHashes): Promise<void>;
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

/** Sites whose contents stay at hand until they are indexed, and the most characters of them. */
const RECENT_SITES = 512;
const RECENT_CHARS = 4_000_000;

const fingerprint = ({ content_sha256, document_sha256 }: ContentHashes): string =>
  `${content_sha256} ${document_sha256}`;

export const openContents = (bucket: Bucket): Contents => {
  const recent = new LRUCache<string, { content: SiteContent; fingerprint: string }>({
    max: RECENT_SITES,
    maxSize: RECENT_CHARS,
    sizeCalculation: ({ content: { document, text } }) => (document?.length ?? 0) + text.length + 1,
  });
  return {
    get: async (siteId, hashes) => {
      const known = hashes && recent.get(siteId);
      if (known && known.fingerprint === fingerprint(hashes)) return known.content;
      const entry = await bucket.get(hostKey(siteId));
      if (!entry) return undefined;
      const json = inflateRawSync(entry.value, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
      return SiteContent.parse(JSON.parse(json));
    },
    put: async (siteId, content, hashes) => {
      const fitted = { ...content, text: fitText(content.text) };
      await bucket.put(hostKey(siteId), compress(JSON.stringify(fitted)));
      if (hashes) recent.set(siteId, { content: fitted, fingerprint: fingerprint(hashes) });
    },
    remove: async (siteId) => {
      recent.delete(siteId);
      await bucket.remove(hostKey(siteId));
    },
  };
};
