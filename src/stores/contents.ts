/** Site contents: the verified document and the pages' text, compressed; beside them what was seen on the pages. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Action } from "../../schemas/action.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { SiteContent, type SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";

/** Maximum compressed bytes of text per site. */
export const MAX_TEXT_BYTES = 8 * 1024;
const MAX_INFLATED_BYTES = 1024 * 1024;

/** The content hashes in a site record. */
export type ContentHashes = Pick<SiteRecord, "content_sha256" | "document_sha256">;

export interface Contents {
  /** The newest contents, or with `hashes` at least as new as these, from the cache if this process just wrote them. */
  get(siteId: string, hashes?: ContentHashes): Promise<SiteContent | undefined>;
  put(siteId: string, content: SiteContent, hashes?: ContentHashes): Promise<void>;
  remove(siteId: string): Promise<void>;
}

/** Bounds of the cache of contents to be indexed: sites and characters. */
const RECENT_SITES = 512;
const RECENT_CHARS = 4_000_000;

/** Key of what was seen on a site's pages (SitePages). No host's key has a dot. */
export const pagesKey = (siteId: string): string => `pages.${hostKey(siteId)}`;

/** Actions of the document that the crawl read and checked. */
export async function declaredActions(
  contents: Pick<Contents, "get">,
  siteId: string,
): Promise<readonly Action[]> {
  const document = (await contents.get(siteId))?.document;
  return document ? ((JSON.parse(document) as DiscoveryDocument).actions ?? []) : [];
}

export function openContents(bucket: Bucket): Contents {
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
}

const fingerprint = ({ content_sha256, document_sha256 }: ContentHashes): string =>
  `${content_sha256} ${document_sha256}`;

/** Truncates a text so that it compresses to at most 8 KiB. */
export function fitText(text: string): string {
  // At most three bytes per character: short texts fit without compression.
  if (text.length * 3 <= MAX_TEXT_BYTES) return text.toWellFormed();
  let fitted = text;
  for (let bytes = compress(fitted).length; bytes > MAX_TEXT_BYTES; bytes = compress(fitted).length)
    fitted = fitted.slice(0, Math.floor((fitted.length * MAX_TEXT_BYTES * 0.95) / bytes));
  return fitted.toWellFormed();
}

/** A low level and a small window take a quarter of the time, most of which is setup, for 5 % more bytes. */
const compress = (text: string): Uint8Array =>
  deflateRawSync(text, { level: 3, windowBits: 13, memLevel: 6 });
