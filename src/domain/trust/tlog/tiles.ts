/**
 * Tiles of a transparency log (C2SP tlog-tiles): the hashes of every eighth level of the tree, 256 to a tile, and the
 * entries themselves, 256 to a bundle. A full tile never changes; a partial one is named with its width.
 */
import { type NodeReader, nodeHash } from "./merkle.ts";

export const TILE_WIDTH = 256;
const TILE_LEVELS = 8;
const MAX_LEVEL = 63;
/** A bundle stores each entry's length in two bytes. */
export const MAX_ENTRY_BYTES = 65_535;

/** `width` is 256 for a full tile. `level` "entries" is a bundle. */
export interface TileName {
  level: number | "entries";
  index: number;
  width: number;
}

export interface FullTile {
  level: number;
  index: number;
  hashes: Uint8Array[];
}

/**
 * The right edge of a growing tree: the partial tile of each level, at most 255 hashes per level. Together with the
 * immutable full tiles it is the whole tree.
 */
export class TreeEdge {
  size = 0;
  /** The hashes of each level's partial tile. */
  readonly levels: Uint8Array[][] = [];

  /** Appends a leaf. @returns the tiles that it completed */
  append(leaf: Uint8Array): FullTile[] {
    const full: FullTile[] = [];
    this.size++;
    for (let level = 0, node = leaf; ; level++) {
      const hashes = this.#level(level);
      hashes.push(node);
      if (hashes.length < TILE_WIDTH) return full;
      const index = this.size / TILE_WIDTH ** (level + 1) - 1;
      full.push({ level, index, hashes });
      this.levels[level] = [];
      node = treeHash(hashes);
    }
  }

  /** Root of the tree. Throws RangeError for the empty tree. */
  root(): Uint8Array {
    let reached: Uint8Array | undefined;
    for (const hashes of this.levels) {
      const nodes = reached ? [...hashes, reached] : hashes;
      if (nodes.length > 0) reached = treeHash(nodes);
    }
    if (!reached) throw new RangeError("An empty tree has no edge");
    return reached;
  }

  /** The hashes of a tile if it is the edge's partial tile of that level. */
  partial(level: number, index: number): readonly Uint8Array[] | undefined {
    return Math.floor(this.size / TILE_WIDTH ** (level + 1)) === index ? this.levels[level] : undefined;
  }

  /** A snapshot of the edge, for a reader that must not see it grow. */
  copy(): TreeEdge {
    return TreeEdge.of(this.size, this.levels);
  }

  static of(size: number, levels: readonly (readonly Uint8Array[])[]): TreeEdge {
    const edge = new TreeEdge();
    edge.size = size;
    edge.levels.push(...levels.map((hashes) => [...hashes]));
    return edge;
  }

  #level(level: number): Uint8Array[] {
    const hashes = this.levels[level] ?? [];
    this.levels[level] = hashes;
    return hashes;
  }
}

/** The hashes of a full tile, or undefined if it is unavailable. */
export type TileReader = (level: number, index: number) => Promise<readonly Uint8Array[] | undefined>;

/** The tile that a path names, or undefined if the path is not canonical. */
export function parseTilePath(path: string): TileName | undefined {
  const match = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path);
  if (!match) return undefined;
  const level = match[1] === "entries" ? "entries" : Number(match[1]);
  const index = Number(match[2]!.replaceAll(/[x/]/g, ""));
  const name: TileName = { level, index, width: match[3] === undefined ? TILE_WIDTH : Number(match[3]) };
  if (name.width < 1 || (level !== "entries" && level > MAX_LEVEL)) return undefined;
  return Number.isSafeInteger(index) && tilePath(name) === path ? name : undefined;
}

/** The path of a tile below the log's address: `tile/0/x001/x234/067`, with `.p/<width>` if it is partial. */
export function tilePath({ level, index, width }: TileName): string {
  const groups: string[] = [];
  for (let rest = index; ; rest = Math.floor(rest / 1_000)) {
    groups.unshift(String(rest % 1_000).padStart(3, "0"));
    if (rest < 1_000) break;
  }
  const name = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join("/");
  return `tile/${level}/${name}${width < TILE_WIDTH ? `.p/${width}` : ""}`;
}

/** Every tile of the tree of `size` leaves, leaf level first, a partial tile last in its level. Excludes bundles. */
export function* tilesOf(size: number): Generator<TileName & { level: number }> {
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    for (let index = 0; index * TILE_WIDTH < count; index++)
      yield { level, index, width: Math.min(TILE_WIDTH, count - index * TILE_WIDTH) };
  }
}

/** Encodes entries as a bundle: for each its length in two bytes, big-endian, then the entry. */
export const encodeBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`An entry has ${entry.length} bytes`);
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );

/** The entries of a bundle, or undefined if it does not contain exactly `count`. */
export function decodeBundle(bundle: Uint8Array, count: number): Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bundle.length && entries.length < count) {
    const length = bundle[at]! * 256 + bundle[at + 1]!;
    entries.push(bundle.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return at === bundle.length && entries.length === count ? entries : undefined;
}

/** Reads subtree hashes from tiles. */
export const nodesOfTiles =
  (edge: TreeEdge, readTile: TileReader): NodeReader =>
  async (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level % TILE_LEVELS);
    const first = index * count;
    const tileIndex = Math.floor(first / TILE_WIDTH);
    const hashes = edge.partial(tileLevel, tileIndex) ?? (await readTile(tileLevel, tileIndex));
    const nodes = hashes?.slice(first % TILE_WIDTH, (first % TILE_WIDTH) + count);
    return nodes?.length === count ? treeHash(nodes) : undefined;
  };

/** Hash of a tree of these nodes, all of one height except perhaps the last, which is lower (RFC 6962 section 2.1). */
export function treeHash(nodes: readonly Uint8Array[]): Uint8Array {
  if (nodes.length === 1) return nodes[0]!;
  let split = 1;
  while (split * 2 < nodes.length) split *= 2;
  return nodeHash(treeHash(nodes.slice(0, split)), treeHash(nodes.slice(split)));
}

/** Concatenates hashes of 32 bytes: the format in which a tile is served and stored. */
export const encodeHashes = (hashes: readonly Uint8Array[]): Uint8Array => Buffer.concat(hashes);

export const decodeHashes = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.floor(bytes.length / 32) }, (_, i) => bytes.subarray(i * 32, i * 32 + 32));
