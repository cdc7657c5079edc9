/** The transparency log: appending, signed heads and proofs (src/domain/trust/tlog). */

/** The topic of an entry, so that the entries of one project or domain can be read separately. */
export type LogTopic =
  | { kind: "interaction"; project: string }
  | { kind: "registration" }
  | { kind: "certificate" }
  | { kind: "receipt" }
  /** Verdicts and observations of services. Strangers' hosts cause them: from half of its room on, the log takes none. */
  | { kind: "change" };

/** The latest signed head: its root covers every entry up to `size`. */
export interface SignedHead {
  size: number;
  root: Uint8Array;
  /** The checkpoint as a signed note (C2SP tlog-checkpoint). */
  note: string;
}

/** An entry that an operator took away: `erased` for ever, where the leaf only commits to it, or `blocked` from being read. */
export interface Erasure {
  leaf_index: number;
  /** RFC 3339. */
  at: string;
  form: "erased" | "blocked";
  why: string;
}

/** A leaf, and what it commits to if it is a commitment. */
export interface Leaf {
  /** The bytes that the tree hashes. */
  leaf: Uint8Array;
  opening: { salt: Uint8Array; entry: Uint8Array } | undefined;
}

/** A leaf that commits to an entry, in its place. */
export interface Committed {
  leafIndex: number;
  leaf: Uint8Array;
  head: SignedHead;
}

/** An append-only log whose states are signed and provable (src/domain/trust/tlog). Entries never move. */
export interface TransparencyLog {
  /** The log's name: its public address without a scheme. */
  readonly origin: string;
  /** Its public key, in note format. */
  readonly key: string;
  /**
   * Appends an entry and waits until a signed head covers it. Idempotent by `id` within two minutes.
   * @param entry at most 65,535 bytes
   */
  append(topic: LogTopic, id: string, entry: Uint8Array): Promise<{ leafIndex: number; head: SignedHead }>;
  /**
   * The same for an entry that can be erased: the leaf commits to it (src/domain/trust/tlog/committed-leaf.ts).
   * @throws StorageFull where a change would take the room of others
   */
  commit(topic: LogTopic, id: string, entry: Uint8Array): Promise<Committed>;
  head(): Promise<SignedHead>;
  /** Proof that a leaf is in the tree of `size`, nearest sibling first. `size` is at most that of a head. */
  inclusionProof(leafIndex: number, size: number): Promise<Uint8Array[]>;
  /** Proof that the tree of `size` extends that of `oldSize`. */
  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]>;
  /** Bytes of a tile or bundle (C2SP tlog-tiles), blocked entries included; undefined beyond the log's size. */
  tile(name: { level: number | "entries"; index: number; width: number }): Promise<Uint8Array | undefined>;
  /** Entries of one topic after a leaf (-1: from the start), oldest first; undefined where they were erased or blocked. */
  entries(
    topic: LogTopic,
    afterLeaf: number,
    limit: number,
  ): Promise<{ leafIndex: number; entry: Uint8Array | undefined }[]>;
  /** One leaf; what took its entry away; undefined beyond the log's size. */
  leaf(leafIndex: number): Promise<Leaf | Erasure | undefined>;
  /** What was erased or blocked, by leaf. */
  erasures(): Promise<ReadonlyMap<number, Erasure>>;
  /**
   * Erases what a leaf commits to, for ever; blocks an entry that is its own leaf. All proofs stay valid.
   * @returns undefined beyond the log's size
   * @throws StorageFull when the list of erasures is full
   */
  erase(leafIndex: number, why: string): Promise<Erasure | undefined>;
}

/** The stored log contradicts a signed head: entries are missing or changed. The log stops signing. */
export class LogBroken extends Error {
  override name = "LogBroken";
}
