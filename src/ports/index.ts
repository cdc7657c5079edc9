/** The index of sites: what an engine stores and finds. Scoring is ours (src/domain/search/ranking.ts). */
import type { Access } from "../../schemas/license.ts";
import type { Listing } from "../../schemas/site.ts";

/** Fields that owners write. The description is prose. */
export const OWNER_FIELDS = ["name", "domain", "tags", "description"] as const;
export type OwnerField = (typeof OWNER_FIELDS)[number];
/** Fields that are searched: those, and last the crawled text. */
export const INDEX_FIELDS = [...OWNER_FIELDS, "text"] as const;
export type IndexField = (typeof INDEX_FIELDS)[number];

/** One site as the index stores it. Terms are analyzed already (src/domain/search/text-analysis.ts), in order, repeats kept. */
export interface IndexDocument {
  siteId: string;
  /** Revision of the site's record: a lower or equal one never overwrites a higher. */
  revision: number;
  /** When this revision was written, milliseconds since the epoch. */
  changedAt: number;
  registrableDomain: string;
  /** Lower-case. */
  category: string;
  /** Lower-case. */
  intentTags: string[];
  /** Lower-case country, region and city. */
  country: string | null;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
  ring: number;
  gravity: Gravity;
  status: string;
  /** Milliseconds since the epoch. */
  verifiedAt: number | null;
  expiresAt: number | null;
  /** The /16 or /48 of its address, for diversity. */
  network: string | null;
  /** 32-bit unsigned, HMAC of the siteId: its position on the circle that `list` and `sample` go round. */
  sampleKey: number;
  /** 0 to ROTATION_BUCKETS − 1, by a keyed hash of the owner: all sites of an owner share one (src/domain/trust/rotation.ts). */
  rotationBucket: number;
  /** The normalized whole name (lower case, folded, single spaces), for exact matches. */
  exactName: string;
  listing: Listing;
  terms: Record<IndexField, string[]>;
  /** What it is about, as a direction (src/domain/embeddings): VECTOR_SIZE components. Absent: not found by meaning. */
  vector?: Int8Array;
  /** Of which text by which encoder the vector is (textDigest of src/domain/search/embeddings); absent: of the static vectors. */
  encoded?: string;
}

export type IndexWrite =
  /** again: also over the same revision. */
  | { kind: "put"; document: IndexDocument; again?: boolean }
  | { kind: "remove"; siteId: string; revision: number; changedAt: number };

export interface IndexFilter {
  /** Lower-case; undefined filters nothing. */
  category?: string;
  intent?: string;
  /** Every one of these is among its intentTags. */
  tags?: readonly string[];
  /** Matches country, region or city, lower-case. */
  place?: string;
  near?: { latitude: number; longitude: number; radiusKm: number };
  minRing?: number;
  /** The listing's access. */
  access?: Access;
  /** Least fairness_boost of the listing: what a least neutrality score comes to (src/domain/trust/neutrality.ts). */
  minFairnessBoost?: number;
  /** Default "enabled". */
  status?: string;
  /** Milliseconds: only sites whose manifest expires later than this. */
  notExpiredAt?: number;
  verifiedAfter?: number;
}

export interface CandidateQuery {
  /** Analyzed terms of the query, without repeats. Empty matches nothing but the exact look-ups. */
  terms: string[];
  /** A site whose domain is this, or whose exactName is this, is always among the candidates. */
  exactDomain?: string;
  exactName?: string;
  filter: IndexFilter;
  /** At most this many candidates by words, the engine's best first. */
  limit: number;
  /**
   * The hour of the rotation, where more sites hold the words than `limit`: then half of the candidates are the best,
   * and half are `rotated`. Absent: all are the best. Not heeded together with `filter.near`.
   */
  epoch?: number;
  /**
   * What the query means, as a direction. Up to MAX_NEAREST sites that pass the filter and are nearest to it come
   * after those found by words, and every candidate says how near it is.
   */
  vector?: Int8Array;
}

/** Candidates by meaning alone, in one answer. */
export const MAX_NEAREST = 60;

/** How grave what is known against a site is: `poor` conduct, or findings of critical severity. Engines store the place in this list. */
export const GRAVITIES = ["none", "poor", "critical"] as const;
export type Gravity = (typeof GRAVITIES)[number];

/** What ranking needs of a site; the listings of those that are shown are asked for afterwards (`listings`). */
export interface Candidate {
  siteId: string;
  /** Whose site it is: the document's registrableDomain. */
  owner: string;
  /** The listing's trust_ring. */
  ring: number;
  /** The listing's fairness_boost. */
  fairnessBoost: number;
  gravity: Gravity;
  exactName: string;
  /** counts[field][i]: how often query term i occurs in the field. */
  counts: Record<IndexField, number[]>;
  /** Terms in each field. */
  lengths: Record<IndexField, number>;
  /** Cosine between its vector and the query's, −1 to 1; undefined where either has none. */
  similarity?: number | undefined;
}

export interface CandidateSet {
  candidates: Candidate[];
  /**
   * Where the query's `epoch` decided: the best of the owners of this hour
   * (rotatedBuckets of src/domain/trust/rotation.ts). A site may be among the candidates, too.
   */
  rotated?: Candidate[];
  /** Sites that hold a word of the query, and those asked for by domain or name. */
  total: number;
  totalIsExact: boolean;
  /** Over all documents: their count, mean field lengths, and per query term the documents that hold it. */
  documents: number;
  meanLengths: Record<IndexField, number>;
  documentFrequencies: number[];
}

/**
 * A position on the circle of sample keys. A listing begins at `start` and goes round to where it began; `key` and `siteId`
 * are those of the last site that was shown.
 */
export interface CirclePosition {
  start: number;
  key: number;
  siteId: string;
}

export interface ListQuery {
  filter: IndexFilter;
  /**
   * The rotation, 0 to 1: how far along the matching sites a listing begins (rotationPoint of
   * src/domain/trust/rotation.ts). Default 0; not heeded with `after`.
   */
  rotation?: number;
  /** Keyset: only sites behind this position, in the order that it was given by. */
  after?: CirclePosition;
  offset: number;
  limit: number;
}

export interface ListingPage {
  /** JSON text of an array of Listing, in UTF-8. */
  listings: Uint8Array;
  count: number;
  /** Where the next page begins after; null when this one is empty. */
  last: CirclePosition | null;
  total: number;
  totalIsExact: boolean;
}

export interface SampleQuery {
  /** Where on the circle of sample keys to start, each 32-bit unsigned. */
  points: number[];
  perPoint: number;
  filter: IndexFilter;
}

/** One site of a sample, and what tells owners and networks apart. */
export interface SampledSite {
  listing: Listing;
  registrableDomain: string;
  network: string | null;
}

/** What sites can be counted by. "place" counts countries, regions and cities alike, each site once a value. */
export const FACETS = ["category", "intent", "place", "ring"] as const;
export type Facet = (typeof FACETS)[number];

export interface FacetQuery {
  /** Analyzed terms: sites that hold any of them. Empty: all sites of the filter. */
  terms: string[];
  filter: IndexFilter;
  facets: Facet[];
  /** Most values a facet. */
  limit: number;
}

export interface FacetCounts {
  /** For each facet asked for, its values by falling count, then by value. Rings are their digits. */
  counts: Partial<Record<Facet, { value: string; count: number }[]>>;
  /** Sites that were counted. */
  counted: number;
  /** False when more sites match than were counted: counts are then those of a part. */
  isExact: boolean;
}

export interface SimilarTermsQuery {
  /** One analyzed term, which may be mistyped. */
  term: string;
  limit: number;
}

export interface ChangesQuery {
  /** Only changes at this time or later, milliseconds. */
  since: number;
  /** Keyset: only what comes after this change, in order of (changedAt, siteId). */
  after?: { changedAt: number; siteId: string };
  limit: number;
}

/** The last change of one site. No listing: its record was removed (a tombstone). */
export interface IndexChange {
  siteId: string;
  changedAt: number;
  listing: Listing | undefined;
}

/** A site's vector that an encoder made. */
export interface EncodedVector {
  siteId: string;
  encoded: string;
  vector: Int8Array;
}

export interface IndexStats {
  documents: number;
  enabled: number;
  bytes: number;
  /** Whether it ever held all sites of the store (SiteIndex.markFilled). */
  isFilled: boolean;
}

/** How a question is asked. */
export interface ReadOptions {
  /** Aborts when nobody waits for the answer: an engine that can be stopped is, and its answer is an error. */
  signal?: AbortSignal | undefined;
}

/** What an index is asked: one question, and an answer of one moment. */
export interface IndexReads {
  candidates(query: CandidateQuery, options?: ReadOptions): Promise<CandidateSet>;
  /** The listings of these sites, in the order given; sites that are not there are left out. At most 1,000. */
  listings(siteIds: string[], options?: ReadOptions): Promise<Listing[]>;
  /** How many of the sites that match have each value. */
  facets(query: FacetQuery, options?: ReadOptions): Promise<FacetCounts>;
  /**
   * Terms of the index that few edits (a character added, left out or changed, or two neighbors swapped) make of the one
   * given: one from 4 characters on, two from 8 on where both share their first or last three. The term itself is not among
   * them. The nearest alone, those of more documents first.
   */
  similarTerms(query: SimilarTermsQuery, options?: ReadOptions): Promise<string[]>;
  /** Sites of every status by their last change, oldest first, tombstones among them: each site once. */
  changes(query: ChangesQuery, options?: ReadOptions): Promise<IndexChange[]>;
  /**
   * One page of listings round the circle of sample keys, as they were validated when they were written. Where so many
   * match that they are not counted exactly, it begins that far along the circle, not along the sites.
   */
  list(query: ListQuery, options?: ReadOptions): Promise<ListingPage>;
  get(siteId: string): Promise<Listing | undefined>;
  /** Of these sites those whose vectors an encoder made, as last written, in no order. At most 1,000. */
  encodedVectors(siteIds: string[], options?: ReadOptions): Promise<EncodedVector[]>;
  sample(query: SampleQuery, options?: ReadOptions): Promise<SampledSite[]>;
  stats(): Promise<IndexStats>;
}

/** Engines find candidates; scoring, highlighting and explaining are ours (src/domain/search/ranking.ts). */
export interface SiteIndex extends IndexReads {
  /** Random identity made when this index was created: a new index has a new one and is filled from the start. */
  readonly id: string;
  /** Applies in order, all or nothing; idempotent by revision. */
  apply(writes: IndexWrite[]): Promise<void>;
  /** Notes, for good, that it holds all sites of the store: until then its answers are those of a part. Idempotent. */
  markFilled(): Promise<void>;
  close(): Promise<void>;
}

const READS: Record<keyof IndexReads, true> = {
  candidates: true,
  listings: true,
  facets: true,
  similarTerms: true,
  changes: true,
  list: true,
  get: true,
  encodedVectors: true,
  sample: true,
  stats: true,
};

/** Where an embedded index is read: in threads of its own, or in the thread that asks, which has nothing else to do. */
export type IndexReading = "in threads" | "in place";

/**
 * The generations of an index: one is in use and every process follows it; another can be filled beside it and then
 * take its place. Names are the engine's own.
 */
export interface IndexGenerations {
  /** The index in use, whichever generation that is: it follows switches within a second or so. Made when there is none. */
  openLive(): Promise<SiteIndex>;
  /** A new, empty generation that is not in use. */
  createNext(): Promise<{ name: string; index: SiteIndex }>;
  /** Puts a generation in use. @returns the name of the one that was */
  switchTo(name: string): Promise<string>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The index's engine is away, busy or full: a passing state that is no bug, so searches answer 503 and writes wait. */
export class IndexUnavailable extends Error {
  override name = "IndexUnavailable";
  /** It is there and has too much to do. */
  readonly isBusy: boolean;

  constructor(message: string, { isBusy = false, ...options }: ErrorOptions & { isBusy?: boolean } = {}) {
    super(message, options);
    this.isBusy = isBusy;
  }
}

/** The index's engine does not take us: a setting that is wrong, which no waiting mends. */
export class IndexRefused extends Error {
  override name = "IndexRefused";
  readonly wrong: "certificate" | "credentials";

  constructor(wrong: "certificate" | "credentials", message: string, options?: ErrorOptions) {
    super(message, options);
    this.wrong = wrong;
  }
}

/** The same index for a caller who may go away: from then on nothing is asked for them, and what is under way is stopped. */
export function stoppable(index: SiteIndex, signal: AbortSignal | undefined): SiteIndex {
  if (signal === undefined) return index;
  const ask =
    (method: "candidates") =>
    (query: CandidateQuery): Promise<CandidateSet> => {
      signal.throwIfAborted();
      return index[method](query, { signal });
    };
  return {
    get id() {
      return index.id;
    },
    // The type of one method is lost among all of them: each is asked its own question.
    ...readsBy(ask as never),
    apply: (writes) => index.apply(writes),
    markFilled: () => index.markFilled(),
    close: () => index.close(),
  };
}

/** Reads that `read` answers, all in the same way: for what stands between an index and its callers. */
export const readsBy = (read: <M extends keyof IndexReads>(method: M) => IndexReads[M]): IndexReads =>
  Object.fromEntries(
    Object.keys(READS).map((method) => [method, read(method as keyof IndexReads)]),
  ) as unknown as IndexReads;
