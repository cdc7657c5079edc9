/** Site record and contents → index document. Pure. */
import type { SiteContent, SiteRecord } from "../../schemas/site.ts";
import { keyed } from "../../src/domain/keyed.ts";
import { gravityOf } from "../../src/domain/listing/conduct.ts";
import { listingOf } from "../../src/domain/listing/listing.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { isForeign } from "../../src/domain/search/embeddings/foreign.ts";
import {
  encoderText,
  type SiteTexts,
  siteVector,
  textDigest,
} from "../../src/domain/search/embeddings/site-meaning.ts";
import type { StaticVectors } from "../../src/domain/search/embeddings/static-vectors.ts";
import { analyzeText, exactForm } from "../../src/domain/search/text-analysis.ts";
import { rotationBuckets } from "../../src/domain/trust/rotation.ts";
import type { EncodedVector, IndexDocument } from "../../src/ports/index.ts";
import type { Core } from "../../src/runtime/core.ts";

/** What an index is made with. */
export interface IndexingOptions {
  /** Keeps the order of peer samples from being predicted. */
  sampleSecret: string;
  /** Undefined: sites are found by words alone. */
  model: StaticVectors | undefined;
  /** Name of the encoder; undefined: vectors are static. */
  encoder?: string | undefined;
}

export const indexingOf = ({
  identity,
  embeddings,
  encoder,
}: Pick<Core, "identity" | "embeddings" | "encoder">): IndexingOptions => ({
  sampleSecret: identity.secret,
  model: embeddings(),
  encoder: encoder()?.name,
});

/**
 * @param version the record's revision (later ones win) and when it was written, milliseconds
 * @param encoded the vector that an encoder made of the site; heeded as long as the text is the same
 */
export function indexDocumentOf(
  record: SiteRecord,
  content: SiteContent | undefined,
  version: { revision: number; changedAt: number },
  indexing: IndexingOptions,
  encoded?: Omit<EncodedVector, "siteId">,
): IndexDocument {
  const { sampleSecret, model } = indexing;
  const listing = listingOf(record);
  const text = contentText(content);
  const digest = encoded && toEncode(record, content, indexing)?.digest;
  const own = digest !== undefined && digest === encoded?.encoded ? encoded : undefined;
  const vector = own?.vector ?? (model && siteVector(model, textsOf(record, content)));
  const { location } = record;
  return {
    siteId: record.siteId,
    ...version,
    registrableDomain: registrableDomain(record.siteId),
    category: record.category,
    intentTags: record.intent_tags,
    country: lower(location?.country),
    region: lower(location?.region),
    city: lower(location?.city),
    latitude: location?.lat ?? null,
    longitude: location?.lon ?? null,
    ring: listing.trust_ring,
    gravity: gravityOf(listing.conduct),
    status: record.status,
    verifiedAt: time(record.verified_at),
    expiresAt: time(record.expires_at),
    network: record.address && networkGroup(record.address),
    rotationBucket: rotationBuckets(sampleSecret)(registrableDomain(record.siteId)),
    sampleKey: keyed(sampleSecret, "sample key", record.siteId).readUInt32BE(0),
    exactName: exactForm(listing.name),
    listing,
    terms: {
      name: analyzeText(listing.name),
      domain: analyzeText(domainWords(record.siteId)),
      tags: analyzeText([...record.intent_tags, record.category].join(" ")),
      description: analyzeText(record.description),
      text: analyzeText(text),
    },
    ...(vector && { vector }),
    ...(own && { encoded: own.encoded }),
  };
}

const contentText = (content: SiteContent | undefined): string =>
  content ? `${content.title}\n${content.text}` : "";

/** What the encoder reads of a site, whether that is in another language, and the digest of it; undefined: nothing, or it is not listed. */
export function toEncode(
  record: SiteRecord,
  content: SiteContent | undefined,
  { model, encoder }: Pick<IndexingOptions, "model" | "encoder">,
): { text: string; foreign: boolean; digest: string } | undefined {
  if (record.status !== "enabled" || encoder === undefined) return undefined;
  const text = encoderText(textsOf(record, content));
  if (text === "") return undefined;
  return { text, foreign: model !== undefined && isForeign(model, text), digest: textDigest(encoder, text) };
}

/** What is said of a site's meaning. */
export function textsOf(record: SiteRecord, content: SiteContent | undefined): SiteTexts {
  const { name } = listingOf(record);
  return { name, description: record.description, tags: record.intent_tags, text: contentText(content) };
}

const lower = (text: string | undefined): string | null => text?.trim().toLowerCase() || null;

const time = (text: string | null): number | null => (text === null ? null : Date.parse(text));

/** Words of a host that carry meaning: its labels without the public suffix. */
function domainWords(host: string): string {
  const owner = registrableDomain(host);
  return `${host} ${host.slice(0, host.length - owner.length)} ${owner.split(".")[0]}`.replaceAll(
    /[.-]/g,
    " ",
  );
}
