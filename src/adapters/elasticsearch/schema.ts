/** What an index of Elasticsearch looks like: its settings, mapping and documents. No module of a distribution is needed. */
import type { estypes } from "@elastic/elasticsearch";
import { VECTOR_SIZE } from "../../../schemas/common.ts";
import type { IndexDocument, IndexWrite } from "../../ports/index.ts";
import { byField, MOST } from "../index/query.ts";
import { codesOf, encodeTerms, tokensOf } from "../index/term-vectors.ts";
import { tokenOf } from "../index/tokens.ts";
import { base64, CARD, DIRECTION, encodeCard, encodePieces, PIECE_NAMES } from "./columns.ts";
import type { ElasticsearchSettings } from "./connection.ts";

/** Raised whenever mapping, tokens, the record of counts or the table of static vectors change: processes of another version keep an index of their own. */
export const ELASTICSEARCH_SCHEMA_VERSION = 7;

/** Longest term of the whitespace analyzer; a longer one would be split. */
const MAX_TERM_LENGTH = 255;
/** Lucene refuses terms of more than 32,766 bytes of UTF-8. */
const MAX_KEYWORD_LENGTH = 8_000;

/**
 * Pages by offset go this deep in one request; deeper ones walk (listings.ts). Search hits are held in memory.
 */
export const MAX_WINDOW = Math.max(MOST.page, MOST.changes, MOST.perPoint);

const keyword: estypes.MappingProperty = { type: "keyword", ignore_above: MAX_KEYWORD_LENGTH };
const words: estypes.MappingTextProperty = { type: "text", analyzer: "whitespace", index_options: "freqs" };
const column: estypes.MappingProperty = { type: "binary", doc_values: true };
const long: estypes.MappingProperty = { type: "long" };

/** Most texts are spelled for the engine as they are. */
const PLAIN_TEXT = /^[a-z0-9 ]*$/;

/** A document's fields that replies are made of. */
export interface DocumentSource {
  siteId: string;
  live: boolean;
  changedAt: number;
  registrableDomain: string;
  network: string | null;
  listing: string;
  encoded?: string;
  [DIRECTION]?: string;
}

/** @param id random identity of the new index */
export const mappingOf = (id: string): estypes.MappingTypeMapping => ({
  dynamic: "strict",
  _meta: indexMeta(id, false),
  // What only selects is not stored a second time: an index is rebuilt from the sites' stream, never from itself.
  _source: {
    includes: [
      "siteId",
      "live",
      "changedAt",
      "registrableDomain",
      "network",
      "listing",
      "encoded",
      DIRECTION,
    ],
  },
  properties: {
    siteId: keyword,
    /** False: a removal, kept so that an older put stays dead. */
    live: { type: "boolean" },
    changedAt: long,
    registrableDomain: { ...keyword, index: false, doc_values: false },
    category: keyword,
    access: keyword,
    intents: keyword,
    places: keyword,
    location: { type: "geo_point", ignore_malformed: true },
    ring: { type: "byte" },
    fairnessBoost: { type: "double" },
    status: keyword,
    verifiedAt: long,
    expiresAt: long,
    network: { ...keyword, index: false, doc_values: false },
    sampleKey: long,
    rotationBucket: { type: "byte", doc_values: false },
    exactName: keyword,
    /** Of which text the vector was encoded. */
    encoded: { type: "keyword", index: false, doc_values: false },
    /** The listing's JSON text, as it was validated. */
    listing: { type: "object", enabled: false },
    /** Every term of the document once, whatever its field: how many documents hold a term, exactly, and which terms there are. */
    any: keyword,
    terms: { properties: byField(() => words) },
    lengths: { properties: byField(() => ({ type: "integer", index: false })) },
    [CARD]: column,
    [DIRECTION]: column,
    ...Object.fromEntries(PIECE_NAMES.map((name) => [name, column])),
    vector: {
      type: "dense_vector",
      dims: VECTOR_SIZE,
      element_type: "byte",
      similarity: "cosine",
      index_options: { type: "hnsw", m: 16, ef_construction: 100 },
    },
  },
});

/** What the mapping says of its index. @param id random identity of the index */
export const indexMeta = (id: string, filled: boolean) => ({
  id,
  schema: ELASTICSEARCH_SCHEMA_VERSION,
  filled,
});

/**
 * Nothing is shown to searches but by the refresh that ends each batch: so a batch is seen whole or not at all.
 * One shard unless the operator wants more: a snapshot of it is one moment. Documents and terms are counted over all shards; which
 * sites are candidates among very many, each shard says of its own.
 * There is a copy of each shard where there is a second node.
 */
export const settingsOf = ({
  shards = 1,
}: Pick<ElasticsearchSettings, "shards">): estypes.IndicesIndexSettings => ({
  number_of_shards: shards,
  auto_expand_replicas: "0-1",
  refresh_interval: "-1",
  max_result_window: MAX_WINDOW,
});

/** The token of a term in `any` and `terms`: what tokenOf leaves of white space is spelled too, and no token is split. */
export const engineTokenOf = (term: string): string => engineToken(tokenOf(term));

const engineToken = (token: string): string =>
  token
    .replace(/\p{Z}/gu, (char) => `_u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .slice(0, MAX_TERM_LENGTH)
    .toWellFormed();

/** The term of a token that was not cut. */
export const termOfToken = (token: string): string =>
  token.replace(/_u([0-9a-f]{4})|_([0-9a-f]{2})/g, (_, wide: string | undefined, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );

/**
 * The two lines of a bulk request for one write. The record's revision is the document's version: the engine refuses a
 * lower or equal one (a lower one alone, of what is written again), and a removal leaves a document that refuses older puts for good.
 */
export function bulkLines(write: IndexWrite): [action: string, body: string] {
  const [siteId, revision] =
    write.kind === "put" ? [write.document.siteId, write.document.revision] : [write.siteId, write.revision];
  const isAgain = write.kind === "put" && write.again;
  const action = {
    index: { _id: siteId, version: revision, version_type: isAgain ? "external_gte" : "external" },
  };
  const body =
    write.kind === "put" ? bodyOf(write.document) : { siteId, live: false, changedAt: write.changedAt };
  return [JSON.stringify(action), JSON.stringify(body)];
}

function bodyOf(document: IndexDocument): object {
  const { blob, lengths, terms, word } = encodeTerms(codesOf(document.terms));
  const tokens = tokensOf(document.terms);
  const { latitude, longitude } = document;
  return {
    siteId: document.siteId,
    live: true,
    changedAt: document.changedAt,
    registrableDomain: document.registrableDomain,
    category: document.category,
    access: document.listing.access,
    intents: document.intentTags,
    places: [document.country, document.region, document.city].filter((place) => place !== null),
    location: isPoint(latitude, longitude) ? { lat: latitude, lon: longitude } : null,
    ring: document.ring,
    fairnessBoost: document.listing.fairness_boost,
    status: document.status,
    verifiedAt: document.verifiedAt,
    expiresAt: document.expiresAt,
    network: document.network,
    sampleKey: document.sampleKey,
    rotationBucket: document.rotationBucket,
    exactName: document.exactName,
    listing: JSON.stringify(document.listing),
    any: [...new Set(Array.from({ length: terms }, (_, at) => engineTokenOf(word(at))))],
    terms: byField((column) => engineText(tokens[column]!)),
    lengths: byField((column) => lengths[column]),
    [CARD]: encodeCard(document, lengths),
    ...encodePieces(blob),
    ...vectorOf(document.vector),
    ...(document.encoded && { encoded: document.encoded }),
  };
}

const isPoint = (latitude: number | null, longitude: number | null): boolean =>
  latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

const engineText = (tokens: string): string =>
  PLAIN_TEXT.test(tokens) ? tokens : tokens.split(" ").map(engineToken).join(" ");

/** The engine refuses a vector without a direction. */
const vectorOf = (vector: Int8Array | undefined) =>
  vector?.some((component) => component !== 0)
    ? { vector: Buffer.from(vector).toString("hex"), [DIRECTION]: base64(vector) }
    : {};
