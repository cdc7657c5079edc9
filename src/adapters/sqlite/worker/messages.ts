/** What passes between the index's main side and its threads. */
import type {
  CandidateQuery,
  ChangesQuery,
  FacetCounts,
  FacetQuery,
  ListQuery,
  SampleQuery,
  SimilarTermsQuery,
} from "../../../ports/index.ts";
import type { Pulse } from "../../../threads/pulse.ts";
import type { PackedWrites } from "../writer/packed-writes.ts";

/** The sites nearest to a vector, with counts of these terms. */
export type NearestQuery = Required<Pick<CandidateQuery, "terms" | "filter" | "vector">>;

export interface ThreadData {
  path: string;
  role: "writer" | "reader";
  /** Of a thread of its own: shows the watchdog that it turns. */
  pulse?: Pulse;
}

/** What ranking needs of some sites, in columns: typed arrays and one text cross between threads far faster than objects. */
export interface PackedSites {
  /** Three lines a site: its id, its owner and its whole name. */
  names: string;
  rings: Uint8Array;
  fairnessBoosts: Float64Array;
  /** For each site, for each field, one count a term. */
  counts: Uint8Array;
  /** For each site, one length a field. */
  lengths: Uint32Array;
  /** For each site, NaN where it has no vector or the query none. */
  similarities: Float64Array;
}

/** The sites that words, a domain or a name find, and behind them those that have their places by turns alone. */
export interface PackedCandidates extends PackedSites {
  /** The first so many are candidates. */
  best: number;
  /** Places of those whose turn it is; undefined where turns decided over no places. */
  inTurn: number[] | undefined;
  total: number;
  totalIsExact: boolean;
  documents: number;
  meanLengths: number[];
  documentFrequencies: number[];
}

export interface PackedListings {
  /** JSON text of an array, in UTF-8, in memory that threads share: nobody writes it again. */
  listings: Uint8Array<SharedArrayBuffer>;
  count: number;
  lastSiteId: string | null;
  total: number;
  totalIsExact: boolean;
  /** Two pages of one tag are the same. */
  tag: string;
}

export interface PackedSample {
  listings: string;
  registrableDomains: string[];
  networks: (string | null)[];
}

export interface PackedChanges {
  siteIds: string[];
  changedAt: number[];
  /** A JSON array of listings, null for tombstones. */
  listings: string;
}

export interface IndexStats {
  documents: number;
  enabled: number;
  bytes: number;
}

/** Every operation of a thread: its argument and its result. */
export interface Operations {
  apply: { argument: PackedWrites; result: undefined };
  nearest: { argument: NearestQuery; result: PackedSites };
  candidates: { argument: CandidateQuery; result: PackedCandidates };
  listings: { argument: string[]; result: string };
  facets: { argument: FacetQuery; result: FacetCounts };
  similarTerms: { argument: SimilarTermsQuery; result: string[] };
  changes: { argument: ChangesQuery; result: PackedChanges };
  /** `known`: the tag of the page that the asking side has; undefined answers that it is still that one. */
  list: { argument: { query: ListQuery; known: string | undefined }; result: PackedListings | undefined };
  get: { argument: string; result: string | undefined };
  sample: { argument: SampleQuery; result: PackedSample };
  stats: { argument: undefined; result: IndexStats };
  close: { argument: undefined; result: undefined };
}
export type Operation = keyof Operations;

export interface Request {
  call: number;
  operation: Operation;
  argument: Operations[Operation]["argument"];
}

export type Reply =
  | { kind: "ready"; id: string }
  | { kind: "done"; call: number; result: Operations[Operation]["result"] }
  | { kind: "failed"; call: number; message: string };
