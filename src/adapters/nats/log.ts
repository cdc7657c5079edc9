/**
 * The transparency log on JetStream. The stream is the log: the broker numbers its messages without a gap and deletes
 * none, so the sequence of an entry is its place, whoever appends it, and tiles, roots and checkpoints are functions of
 * the stream that every process computes alike. Nothing has to lead, and nothing is lost when a process is killed.
 */
import { randomBytes } from "node:crypto";
import { errors } from "@nats-io/nats-core";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import {
  commitmentOf,
  committedLeaf,
  readCommitment,
  SALT_BYTES,
} from "../../domain/trust/tlog/committed-leaf.ts";
import {
  consistencyRanges,
  EMPTY_ROOT,
  inclusionRanges,
  isSameHash,
  leafHash,
  proofOf,
  rangeHash,
} from "../../domain/trust/tlog/merkle.ts";
import {
  formatCheckpoint,
  formatNoteKey,
  LOG_PATH,
  noteKeyOf,
  signNote,
} from "../../domain/trust/tlog/note.ts";
import {
  decodeHashes,
  encodeBundle,
  encodeHashes,
  type FullTile,
  nodesOfTiles,
  TILE_WIDTH,
  TreeEdge,
} from "../../domain/trust/tlog/tiles.ts";
import type { Bucket } from "../../ports/buckets.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  type Committed,
  type Erasure,
  type Leaf,
  LogBroken,
  type LogTopic,
  type SignedHead,
  type TransparencyLog,
} from "../../ports/log.ts";
import { iso } from "../../ports/time.ts";
import type { Identity } from "../../stores/identity.ts";
import { type LogEntries, openLogEntries } from "../../stores/log-entries.ts";
import { HEAD, openLogHeads } from "../../stores/log-heads.ts";
import { openRecords } from "../../stores/records.ts";
import { type Fill, StorageFull, watchFill } from "./fill.ts";
import { type NatsBroker, readStream, type StoredMessage } from "./nats-broker.ts";
import { diskOf } from "./on-disk.ts";
import { bucketName, streamConfigs } from "./topology.ts";

/** Entries read in one request of the broker. */
const BATCH = 1_024;
/** A replica that answers reads may be this far behind an append that was acknowledged. */
const CATCH_UP_MS = 3_000;
const CATCH_UP_PAUSE_MS = 10;
/** Full tiles of 8 KiB kept in memory. */
const MAX_TILES = 512;
/** From this part of its bounds on the log takes no changes of sites: strangers could fill it with them. */
const CHANGES_HOLD_AT = 0.5;

const Origin = z.looseObject({ v: z.literal(1), origin: z.string() });
const Edge = z.looseObject({ v: z.literal(1), size: z.int().min(0), levels: z.array(z.string()) });

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const tileKey = (level: number, index: number): string => `tile.${level}.${index}`;

const readLog = (
  broker: NatsBroker,
  request: { seq: number; batch: number; next_by_subj?: string },
): Promise<StoredMessage[]> => readStream(broker, streamConfigs(broker.prefix).log.name, request);

/** The tree as this process has computed it so far. */
class Tree {
  edge = new TreeEdge();
  readonly #broker: NatsBroker;
  readonly #bucket: Bucket;
  readonly #tiles = new LRUCache<string, Uint8Array>({ max: MAX_TILES });
  /** Completed, but not known to be stored: kept until they are. */
  readonly #unsaved = new Map<string, Uint8Array>();
  /** The edge when the last of them was completed: with the tiles it is the whole tree, so that a start need not read it all. */
  #resume: TreeEdge | undefined;

  constructor(broker: NatsBroker) {
    this.#broker = broker;
    this.#bucket = broker.buckets.log;
  }

  async load(): Promise<void> {
    const stored = await openRecords(this.#bucket, Edge).get("edge");
    if (!stored) return;
    const levels = stored.value.levels.map((text) => decodeHashes(Buffer.from(text, "base64")));
    this.edge = TreeEdge.of(stored.value.size, levels);
  }

  /** Takes in one batch of what the stream holds beyond the tree. @returns how many entries there were */
  async grow(): Promise<number> {
    const entries = await readLog(this.#broker, { seq: this.edge.size + 1, batch: BATCH });
    for (const { seq, data } of entries) {
      if (seq !== this.edge.size + 1)
        throw new LogBroken(`The log's stream goes from message ${this.edge.size} to ${seq}.`);
      const full = this.edge.append(leafHash(data));
      for (const tile of full) this.#complete(tile);
      if (full.length > 0) this.#resume = this.edge.copy();
    }
    await this.save();
    return entries.length;
  }

  #complete({ level, index, hashes }: FullTile): void {
    const bytes = encodeHashes(hashes);
    this.#tiles.set(tileKey(level, index), bytes);
    this.#unsaved.set(tileKey(level, index), bytes);
  }

  /** Stores completed tiles, then the edge that goes with them. Every process stores the same, so one that is there is as good. */
  async save(): Promise<void> {
    await Promise.all(
      [...this.#unsaved].map(async ([key, bytes]) => {
        await this.#create(key, bytes);
        this.#unsaved.delete(key);
      }),
    );
    if (!this.#resume) return;
    const { size, levels } = this.#resume;
    this.#resume = undefined;
    const edges = openRecords(this.#bucket, Edge);
    const stored = await edges.get("edge");
    if (stored && stored.value.size >= size) return;
    const encoded = levels.map((hashes) => base64(encodeHashes(hashes)));
    // When another process is first, its edge will do: it is only where a start begins to read.
    await edges.compareAndSet("edge", { v: 1, size, levels: encoded }, stored?.revision ?? 0);
  }

  async #create(key: string, bytes: Uint8Array): Promise<void> {
    if ((await this.#bucket.compareAndSet(key, bytes, 0)) !== undefined) return;
    const entry = await this.#bucket.get(key);
    if (!entry || !isSameHash(entry.value, bytes))
      throw new LogBroken(`The stored ${key} is not what the log's entries make it.`);
  }

  async fullTile(level: number, index: number): Promise<Uint8Array | undefined> {
    const key = tileKey(level, index);
    const known = this.#tiles.get(key) ?? this.#unsaved.get(key);
    if (known) return known;
    const entry = await this.#bucket.get(key);
    if (!entry) return undefined;
    this.#tiles.set(key, entry.value);
    return entry.value;
  }

  readonly nodes = (level: number, index: number): Promise<Uint8Array | undefined> =>
    nodesOfTiles(this.edge, async (tileLevel, tileIndex) => {
      const bytes = await this.fullTile(tileLevel, tileIndex);
      return bytes && decodeHashes(bytes);
    })(level, index);
}

class JetStreamLog implements TransparencyLog {
  readonly origin: string;
  readonly key: string;
  readonly #broker: NatsBroker;
  readonly #identity: Identity;
  readonly #clock: Clock;
  readonly #tree: Tree;
  readonly #onDisk: () => Promise<void>;
  readonly #heads;
  readonly #entries: LogEntries;
  readonly #fills: readonly Fill[];
  /** The greatest stored head that was found to be under this tree, and what was signed last. */
  #agreed = 0;
  #signed: SignedHead | undefined;
  #round: Promise<void> | undefined;

  constructor(
    broker: NatsBroker,
    identity: Identity,
    clock: Clock,
    origin: string,
    tree: Tree,
    onDisk: () => Promise<void>,
  ) {
    this.#broker = broker;
    this.#onDisk = onDisk;
    this.#identity = identity;
    this.#clock = clock;
    this.#tree = tree;
    this.#heads = openLogHeads(broker.buckets.log);
    this.#entries = openLogEntries(broker.buckets, () => clock.monotonicMs());
    this.#fills = logStreams(broker.prefix).map((stream) =>
      watchFill(broker.jsm, stream, () => clock.monotonicMs(), CHANGES_HOLD_AT),
    );
    this.origin = origin;
    this.key = formatNoteKey(noteKeyOf(origin, identity.publicKey));
  }

  async append(
    topic: LogTopic,
    id: string,
    entry: Uint8Array,
  ): Promise<{ leafIndex: number; head: SignedHead }> {
    const { js, prefix } = this.#broker;
    const { seq } = await js.publish(subjectOf(prefix, topic), entry, { msgID: id });
    return { leafIndex: seq - 1, head: await this.#reach(seq) };
  }

  async commit(topic: LogTopic, id: string, entry: Uint8Array): Promise<Committed> {
    const { js, prefix } = this.#broker;
    if (
      topic.kind === "change" &&
      (await Promise.all(this.#fills.map((fill) => fill.isHeld()))).includes(true)
    )
      throw new StorageFull("the log has no more room for changes of sites");
    const salt = randomBytes(SALT_BYTES);
    const commitment = commitmentOf(salt, entry);
    // First: a leaf whose entry nobody has would look erased.
    await this.#entries.keep(commitment, { salt: base64(salt), entry: Buffer.from(entry).toString("utf8") });
    const leaf = committedLeaf(commitment);
    const sent = await js.publish(subjectOf(prefix, topic), leaf, { msgID: id });
    // Another commitment to this entry is in the log.
    if (sent.duplicate) await this.#entries.forget(commitment);
    const head = await this.#reach(sent.seq);
    const leafIndex = sent.seq - 1;
    return { leafIndex, leaf: sent.duplicate ? (await this.#leafBytes(leafIndex))! : leaf, head };
  }

  async head(): Promise<SignedHead> {
    // Only a round that begins after this was asked for is sure to see all that was there before.
    if (this.#round) await this.#round;
    await this.#advance();
    return this.#signed!;
  }

  inclusionProof(leafIndex: number, size: number): Promise<Uint8Array[]> {
    return proofOf(inclusionRanges(leafIndex, size), this.#tree.nodes);
  }

  consistencyProof(oldSize: number, size: number): Promise<Uint8Array[]> {
    return proofOf(consistencyRanges(oldSize, size), this.#tree.nodes);
  }

  async tile({ level, index, width }: { level: number | "entries"; index: number; width: number }) {
    if (level === "entries") {
      const seq = index * TILE_WIDTH + 1;
      const found = await readLog(this.#broker, { seq, batch: width });
      return found.length === width && found[0]!.seq === seq
        ? encodeBundle(found.map(({ data }) => data))
        : undefined;
    }
    const count = Math.floor(this.#tree.edge.size / TILE_WIDTH ** level) - index * TILE_WIDTH;
    if (count < width) await this.head();
    const partial = this.#tree.edge.partial(level, index);
    const bytes = partial ? encodeHashes(partial) : await this.#tree.fullTile(level, index);
    return bytes && bytes.length >= width * 32 ? bytes.subarray(0, width * 32) : undefined;
  }

  async entries(topic: LogTopic, afterLeaf: number, limit: number) {
    const next_by_subj = subjectOf(this.#broker.prefix, topic);
    const found = await readLog(this.#broker, { seq: afterLeaf + 2, batch: limit, next_by_subj });
    const erasures = await this.erasures();
    return Promise.all(
      found.map(async ({ seq, data }) => {
        const opened = erasures.has(seq - 1) ? undefined : await this.#open(data);
        return { leafIndex: seq - 1, entry: opened && (opened.opening?.entry ?? opened.leaf) };
      }),
    );
  }

  /** @returns undefined where the entry that the leaf commits to is gone */
  async #open(leaf: Uint8Array): Promise<Leaf | undefined> {
    const commitment = readCommitment(leaf);
    if (commitment === undefined) return { leaf, opening: undefined };
    const stored = await this.#entries.opening(commitment);
    if (!stored) return undefined;
    return { leaf, opening: { salt: Buffer.from(stored.salt, "base64"), entry: Buffer.from(stored.entry) } };
  }

  async #leafBytes(leafIndex: number): Promise<Uint8Array | undefined> {
    const [message] = await readLog(this.#broker, { seq: leafIndex + 1, batch: 1 });
    return message?.seq === leafIndex + 1 ? message.data : undefined;
  }

  async leaf(leafIndex: number): Promise<Leaf | Erasure | undefined> {
    const erasure = (await this.erasures()).get(leafIndex);
    if (erasure) return erasure;
    const data = await this.#leafBytes(leafIndex);
    if (!data) return undefined;
    const opened = await this.#open(data);
    if (opened) return opened;
    // Erased a moment ago; or by a store that lost it.
    const unexplained = {
      at: iso(this.#broker.now()),
      form: "erased",
      why: "it is not in the store",
    } as const;
    return (await this.#entries.erasures(true)).get(leafIndex) ?? { leaf_index: leafIndex, ...unexplained };
  }

  erasures(): Promise<ReadonlyMap<number, Erasure>> {
    return this.#entries.erasures();
  }

  async erase(leafIndex: number, why: string): Promise<Erasure | undefined> {
    const data = await this.#leafBytes(leafIndex);
    if (!data) return undefined;
    const commitment = readCommitment(data);
    const form = commitment === undefined ? "blocked" : "erased";
    const erasure: Erasure = { leaf_index: leafIndex, at: iso(this.#broker.now()), form, why };
    if (!(await this.#entries.note(erasure))) throw new StorageFull("the list of erased entries is full");
    if (commitment !== undefined) await this.#entries.forget(commitment);
    return erasure;
  }

  /** A signed head that covers `size` entries. */
  async #reach(size: number): Promise<SignedHead> {
    const giveUpAt = this.#clock.monotonicMs() + CATCH_UP_MS;
    for (;;) {
      if (this.#signed && this.#signed.size >= size) return this.#signed;
      await this.#advance();
      if (this.#signed!.size >= size) return this.#signed!;
      if (this.#clock.monotonicMs() > giveUpAt) throw new errors.TimeoutError();
      await this.#clock.sleep(CATCH_UP_PAUSE_MS);
    }
  }

  /** One round at a time: what is appended while one is under way is taken in by the next, all of it at once. */
  #advance(): Promise<void> {
    this.#round ??= this.#read().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Takes in all that the stream holds, and signs it. What is signed never goes back, whichever process signs. */
  async #read(): Promise<void> {
    const giveUpAt = this.#clock.monotonicMs() + CATCH_UP_MS;
    for (;;) {
      while ((await this.#tree.grow()) === BATCH);
      const { size } = this.#tree.edge;
      if (this.#signed?.size === size) return;
      const root = size === 0 ? EMPTY_ROOT : this.#tree.edge.root();
      await this.#onDisk();
      if (await this.#note(size, root)) return this.#sign(size, root);
      if (this.#clock.monotonicMs() > giveUpAt) throw new errors.TimeoutError();
      await this.#clock.sleep(CATCH_UP_PAUSE_MS);
    }
  }

  #sign(size: number, root: Uint8Array): void {
    const { origin } = this;
    const note = signNote(formatCheckpoint({ origin, size, root }), origin, this.#identity);
    this.#signed = { size, root, note };
  }

  /**
   * Notes a head before it is signed, having made sure that it contradicts none noted before: a store that lost entries
   * must not sign another history.
   * @returns false when another process has noted a greater one, which this tree has still to reach
   */
  async #note(size: number, root: Uint8Array): Promise<boolean> {
    for (;;) {
      const stored = await this.#heads.get(HEAD);
      if (stored && stored.value.size > size) {
        await this.#mustHold(stored.value.size);
        return false;
      }
      if (stored && stored.value.size > this.#agreed) {
        const known = await rangeHash({ start: 0, end: stored.value.size }, this.#tree.nodes);
        if (base64(known) !== stored.value.root)
          throw new LogBroken(`The log's first ${stored.value.size} entries are not those that were signed.`);
        this.#agreed = stored.value.size;
      }
      if (stored?.value.size === size) return true;
      const fresh = { v: 1 as const, size, root: base64(root) };
      if (await this.#heads.compareAndSet(HEAD, fresh, stored?.revision ?? 0)) {
        this.#agreed = size;
        return true;
      }
    }
  }

  async #mustHold(size: number): Promise<void> {
    const { state } = await this.#broker.jsm.streams.info(streamConfigs(this.#broker.prefix).log.name);
    if (state.last_seq < size)
      throw new LogBroken(
        `The log has ${state.last_seq} entries, but ${size} were signed: its store lost some.`,
      );
  }
}

/**
 * Opens the log, making it at the very first start.
 * @param folder of the embedded broker, where there is one: what is signed is on its disk then. Another broker's `sync_interval` says
 * what is on its disk
 */
export async function openLog(
  broker: NatsBroker,
  identity: Identity,
  publicUrl: string,
  clock: Clock,
  folder?: string,
): Promise<TransparencyLog> {
  const origin = await openOrigin(broker.buckets.log, publicUrl);
  const tree = new Tree(broker);
  await tree.load();
  const onDisk = folder === undefined ? undefined : diskOf(folder, logStreams(broker.prefix));
  return new JetStreamLog(broker, identity, clock, origin, tree, onDisk ?? (async () => undefined));
}

/** What holds the leaves, and the entries that they commit to. */
const logStreams = (prefix: string): string[] => [
  streamConfigs(prefix).log.name,
  `KV_${bucketName(prefix, "log_entries")}`,
];

/** Makes the log's name at the very first start; it stays when the public address changes. */
async function openOrigin(bucket: Bucket, publicUrl: string): Promise<string> {
  const records = openRecords(bucket, Origin);
  const fresh = { v: 1 as const, origin: new URL(publicUrl).host + LOG_PATH };
  const stored = await records.get("origin");
  if (stored) return stored.value.origin;
  if (await records.compareAndSet("origin", fresh, 0)) return fresh.origin;
  return (await records.get("origin"))!.value.origin;
}

function subjectOf(prefix: string, topic: LogTopic): string {
  if (topic.kind === "interaction") return `${prefix}.log.interaction.${topic.project}`;
  // Not the host: what stands in a subject cannot be erased, and nobody reads registrations by it.
  return topic.kind === "registration" ? `${prefix}.log.registration.site` : `${prefix}.log.${topic.kind}`;
}
