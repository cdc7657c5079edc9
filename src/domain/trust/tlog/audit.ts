/** Audits a whole copy of a transparency log: every entry, every tile, the checkpoint, and an earlier checkpoint. */
import { consistencyRanges, EMPTY_ROOT, isSameHash, leafHash, proofOf, verifyConsistency } from "./merkle.ts";
import {
  type Checkpoint,
  formatNoteKey,
  type NoteKey,
  openNote,
  parseCheckpoint,
  parseNoteKey,
} from "./note.ts";
import {
  decodeBundle,
  decodeHashes,
  nodesOfTiles,
  TILE_WIDTH,
  type TileName,
  TreeEdge,
  tilePath,
} from "./tiles.ts";

/**
 * Reads one file of a copy by its path below the log's address; undefined where there is none, "withheld" where the log says that
 * it does not show it.
 */
export type CopyReader = (path: string) => Promise<Uint8Array | "withheld" | undefined>;

export interface LogAudit {
  checkpoint: Checkpoint | undefined;
  /** The key that verified the signature, in note format. */
  key: string | undefined;
  /** False if the key came with the copy: the audit then proves only the copy's internal consistency. */
  keyIsPinned: boolean;
  entries: number;
  /** Entries whose text the log does not show: their hashes are those that were signed. */
  withheld: number;
  tiles: number;
  /** One sentence per fault, at most 20; empty if there is none. */
  faults: string[];
}

const MAX_FAULTS = 20;

class Auditor {
  readonly report: LogAudit = {
    checkpoint: undefined,
    key: undefined,
    keyIsPinned: false,
    entries: 0,
    withheld: 0,
    tiles: 0,
    faults: [],
  };
  readonly #read: CopyReader;
  readonly #full = new Map<string, readonly Uint8Array[]>();

  constructor(read: CopyReader) {
    this.#read = read;
  }

  fault(sentence: string): undefined {
    if (this.report.faults.length < MAX_FAULTS) this.report.faults.push(sentence);
  }

  /** The signed checkpoint in a file, verified with `key`. */
  openCheckpoint(bytes: Uint8Array, key: NoteKey, what: string): Checkpoint | undefined {
    const note = openNote(Buffer.from(bytes).toString("utf8"), key);
    if (!note.ok) return this.fault(`${what}: ${NOTE_FAULTS[note.reason]}`);
    const checkpoint = parseCheckpoint(note.text);
    if (!checkpoint) return this.fault(`${what}: its text is not a checkpoint.`);
    if (checkpoint.origin !== key.name)
      return this.fault(`${what}: it belongs to the log ${checkpoint.origin}, not ${key.name}.`);
    return checkpoint;
  }

  async keyOfCopy(): Promise<NoteKey | undefined> {
    const text = await this.#read("key");
    const key = text && text !== "withheld" && parseNoteKey(Buffer.from(text).toString("utf8").trim());
    return key || this.fault("key: the copy has no readable key; give the log's key.");
  }

  /** Rebuilds the tree from the entries, and compares every tile with it. */
  async rebuild(size: number): Promise<TreeEdge> {
    const edge = new TreeEdge();
    for (let index = 0; index * TILE_WIDTH < size; index++) {
      const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
      const name: TileName = { level: "entries", index, width };
      const bundle = await this.#read(tilePath(name));
      const isWithheld = bundle === "withheld";
      const hashes = isWithheld
        ? await this.#hashesOf({ level: 0, index, width })
        : bundle && decodeBundle(bundle, width)?.map(leafHash);
      if (!hashes) {
        this.fault(
          `${tilePath(name)}: ${isWithheld ? "is withheld, and so are its hashes" : bundle ? `does not contain exactly ${width} entries` : "is missing"}.`,
        );
        return edge;
      }
      for (const hash of hashes)
        for (const tile of edge.append(hash)) {
          this.#full.set(`${tile.level}/${tile.index}`, tile.hashes);
          await this.#compare({ ...tile, width: TILE_WIDTH }, tile.hashes);
        }
      if (isWithheld) this.report.withheld += width;
      else this.report.entries += width;
    }
    for (const [level, hashes] of edge.levels.entries()) {
      const index = Math.floor(edge.size / TILE_WIDTH ** (level + 1));
      if (hashes.length > 0) await this.#compare({ level, index, width: hashes.length }, hashes);
    }
    return edge;
  }

  /** The hashes of a tile, where it has exactly so many. */
  async #hashesOf(name: TileName & { level: number }): Promise<readonly Uint8Array[] | undefined> {
    const bytes = await this.#read(tilePath(name));
    return bytes && bytes !== "withheld" && bytes.length === name.width * 32
      ? decodeHashes(bytes)
      : undefined;
  }

  async #compare(name: TileName & { level: number }, wanted: readonly Uint8Array[]): Promise<void> {
    const path = tilePath(name);
    const bytes = await this.#read(path);
    if (!bytes || bytes === "withheld") return this.fault(`${path}: is missing.`);
    const hashes = decodeHashes(bytes);
    if (bytes.length !== wanted.length * 32)
      return this.fault(`${path}: has ${bytes.length} bytes, not ${wanted.length * 32}.`);
    const wrong = wanted.findIndex((hash, i) => !isSameHash(hash, hashes[i]!));
    this.report.tiles++;
    if (wrong < 0) return;
    const first = (name.index * TILE_WIDTH + wrong) * TILE_WIDTH ** name.level;
    const of =
      name.level === 0 ? `entry ${first}` : `entries ${first} to ${first + TILE_WIDTH ** name.level - 1}`;
    this.fault(`${path}: hash ${wrong} is not that of ${of} in this copy.`);
  }

  /** Checks that the log of `earlier` is a prefix of this one. */
  async extends(earlier: Checkpoint, edge: TreeEdge): Promise<void> {
    if (earlier.size > edge.size)
      return this.fault(
        `The earlier checkpoint has ${earlier.size} entries, this copy only ${edge.size}: entries were removed.`,
      );
    if (earlier.size === 0) return;
    const nodes = nodesOfTiles(edge, async (level, index) => this.#full.get(`${level}/${index}`));
    const proof = await proofOf(consistencyRanges(earlier.size, edge.size), nodes);
    if (!verifyConsistency(earlier.size, edge.size, proof, earlier.root, edge.root()))
      this.fault(
        `The first ${earlier.size} entries are not those of the earlier checkpoint: the log was rewritten.`,
      );
  }
}

const NOTE_FAULTS = {
  malformed: "is not a signed note.",
  unknown_key: "is not signed by this log's key.",
  signature_wrong: "its signature is wrong.",
} as const;

/**
 * Audits a copy offline.
 * @param options.key the log's key as the reader holds it; without it the audit uses the copy's own `key`, which proves
 * less
 * @param options.earlier a checkpoint of the same log, taken before
 */
export async function auditCopy(
  read: CopyReader,
  options: { key?: NoteKey; earlier?: Uint8Array } = {},
): Promise<LogAudit> {
  const auditor = new Auditor(read);
  const { report } = auditor;
  const key = options.key ?? (await auditor.keyOfCopy());
  const signed = await read("checkpoint");
  if (!signed || signed === "withheld") auditor.fault("checkpoint: is missing.");
  if (!key || !signed || signed === "withheld") return report;
  report.key = formatNoteKey(key);
  report.keyIsPinned = options.key !== undefined;
  const checkpoint = auditor.openCheckpoint(signed, key, "checkpoint");
  if (!checkpoint) return report;
  report.checkpoint = checkpoint;
  const edge = await auditor.rebuild(checkpoint.size);
  if (edge.size !== checkpoint.size) return report;
  const root = edge.size === 0 ? EMPTY_ROOT : edge.root();
  if (!isSameHash(root, checkpoint.root))
    auditor.fault("checkpoint: its root is not that of the entries in this copy.");
  const earlier = options.earlier && auditor.openCheckpoint(options.earlier, key, "The earlier checkpoint");
  if (earlier) await auditor.extends(earlier, edge);
  return report;
}
