/** A page's source as it is stored for every worker: bounded, and compressed JSON. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { PageSource } from "../../../src/browser/page-source.ts";

/** Text of a page that is kept and shown; the rest is cut off. */
const MAX_SOURCE_CHARS = 1024 * 1024;
const MAX_INFLATED_BYTES = 8 * 1024 * 1024;

const StoredPage = z.looseObject({
  url: z.string(),
  status: z.int(),
  mediaType: z.string(),
  encoding: z.string(),
  text: z.string(),
  cut: z.boolean().optional(),
});

export const boundedSource = (source: PageSource): PageSource => ({
  ...source,
  text: source.text.slice(0, MAX_SOURCE_CHARS).toWellFormed(),
});

export const packSource = (source: PageSource): Uint8Array =>
  new Uint8Array(deflateRawSync(JSON.stringify(source), { level: 3, windowBits: 13, memLevel: 6 }));

/** @throws what is no source that was packed */
export function unpackSource(bytes: Uint8Array): PageSource {
  const json = inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
  return StoredPage.parse(JSON.parse(json));
}
