/** The port of the transparency log: what is appended, what is signed, how it is proved (src/domain/tlog). */

/** Where an entry belongs, so that those of one project or domain can be read by themselves. */
export type LogTopic =
  | { kind: "interaction"; project: string }
  | { kind: "registration"; host: string }
  | { kind: "certificate" };

/** What the log signed last: every entry up to `size` is under this root. */
export interface SignedHead {
  size: number;
  root: Uint8Array;
  /** The checkpoint as a signed note (C2SP tlog-checkpoint). */
  note: string;
}

/** An append-only log whose every state is signed and provable (src/domain/tlog). Entries keep their place for ever. */
export interface TransparencyLog {
  /** The log's name: its public address without a scheme. */
  readonly origin: string;
  /** The key that signs it, as readers of notes hold it. */
  readonly key: string;
  /**
   * Appends an entry and waits until a signed head covers it. The same `id` within two minutes is the same entry.
   * @param entry at most 65,535 bytes
   */
  append(topic: LogTopic, id: string, entry: Uint8Array): Promise<{ leafIndex: number; head: SignedHead }>;
  head(): Promise<SignedHead>;
  /** Hashes that prove a leaf to be in the tree of `size`, the nearest first. `size` is at most that of a head. */
  inclusionProof(leafIndex: number, size: number): Promise<Uint8Array[]>;
  /** Hashes that prove the tree of `size` to begin with that of `oldSize`. */
  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]>;
  /** Bytes of a tile or bundle as C2SP tlog-tiles serves it; undefined where the log has not grown so far. */
  tile(name: { level: number | "entries"; index: number; width: number }): Promise<Uint8Array | undefined>;
  /** Entries of one topic after a leaf (-1: from the start), oldest first. */
  entries(
    topic: LogTopic,
    afterLeaf: number,
    limit: number,
  ): Promise<{ leafIndex: number; entry: Uint8Array }[]>;
}

/** The log's store contradicts what was signed: entries are missing or changed. Nothing is signed any more. */
export class LogBroken extends Error {
  override name = "LogBroken";
}
