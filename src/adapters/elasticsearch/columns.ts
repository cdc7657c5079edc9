/**
 * What candidates are ranked by, in columns of bytes (binary doc values): the engine gives hundreds of them without
 * unpacking a row. A document's counts of terms are spread over pieces by the terms' hashes, so that a query asks for
 * the pieces of its own words alone.
 */
import { GRAVITIES, type Gravity, INDEX_FIELDS, type IndexDocument } from "../../ports/index.ts";
import { hashesOf } from "../index/term-vectors.ts";

const FIELDS = INDEX_FIELDS.length;
/** Pieces of a document's counts: more make replies smaller and writing dearer. */
const PIECES = 16;
/** An entry of a piece: u32 hash, one u8 count a field. */
const ENTRY_BYTES = 4 + FIELDS;
/** u8 ring, u8 place in GRAVITIES, f64 fairness boost, u32 length of each field; little-endian. Behind them names in UTF-8. */
const LENGTHS_AT = 1 + 1 + 8;
const CARD_BYTES = LENGTHS_AT + 4 * FIELDS;
/** Between names, which hold no line end: a host, a domain, and a name of single spaces. */
const BETWEEN = "\n";

export const CARD = "card";
/** The bytes of the vector, which the engine gives of no dense_vector. */
export const DIRECTION = "direction";
const pieceName = (piece: number): string => `counts${piece}`;
export const PIECE_NAMES: string[] = Array.from({ length: PIECES }, (_, piece) => pieceName(piece));

/** Everything that ranking needs of a site and that no query changes. */
export interface Card {
  siteId: string;
  owner: string;
  exactName: string;
  ring: number;
  gravity: Gravity;
  fairnessBoost: number;
  lengths: number[];
}

/** Columns that hold the counts of these terms. */
export const piecesOf = (hashes: number[]): string[] => [...new Set(hashes.map(pieceOf))];
const pieceOf = (hash: number): string => pieceName(hash % PIECES);

export const base64 = (bytes: Uint8Array | Int8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

export function encodeCard(document: IndexDocument, lengths: number[]): string {
  const names = [document.siteId, document.registrableDomain, document.exactName].join(BETWEEN);
  const bytes = Buffer.alloc(CARD_BYTES + Buffer.byteLength(names));
  bytes.writeUInt8(document.ring, 0);
  bytes.writeUInt8(GRAVITIES.indexOf(document.gravity), 1);
  bytes.writeDoubleLE(document.listing.fairness_boost, 2);
  lengths.forEach((length, column) => {
    bytes.writeUInt32LE(length, LENGTHS_AT + 4 * column);
  });
  bytes.write(names, CARD_BYTES);
  return bytes.toString("base64");
}

export function decodeCard(text: string): Card {
  const bytes = Buffer.from(text, "base64");
  const [siteId, owner, ...exactName] = bytes.toString("utf8", CARD_BYTES).split(BETWEEN);
  return {
    siteId: siteId!,
    owner: owner!,
    exactName: exactName.join(BETWEEN),
    ring: bytes.readUInt8(0),
    gravity: GRAVITIES[bytes.readUInt8(1)]!,
    fairnessBoost: bytes.readDoubleLE(2),
    lengths: INDEX_FIELDS.map((_, column) => bytes.readUInt32LE(LENGTHS_AT + 4 * column)),
  };
}

/** The pieces of a document's counts by their names; pieces without a term are left out. */
export function encodePieces(blob: Uint8Array): Record<string, string> {
  const hashes = hashesOf(blob);
  const countsAt = blob.length - FIELDS * hashes.length;
  const sizes = new Uint32Array(PIECES);
  for (const hash of hashes) sizes[hash % PIECES]!++;
  const pieces = Array.from(sizes, (size) => Buffer.alloc(size * ENTRY_BYTES));
  const ends = new Uint32Array(PIECES);
  hashes.forEach((hash, i) => {
    const bytes = pieces[hash % PIECES]!;
    const at = ends[hash % PIECES]!;
    bytes.writeUInt32LE(hash, at);
    for (let column = 0; column < FIELDS; column++)
      bytes[at + 4 + column] = blob[countsAt + column * hashes.length + i]!;
    ends[hash % PIECES] = at + ENTRY_BYTES;
  });
  const written: Record<string, string> = {};
  for (let piece = 0; piece < PIECES; piece++)
    if (sizes[piece]! > 0) written[pieceName(piece)] = pieces[piece]!.toString("base64");
  return written;
}

/** counts[column][term] of the terms hashed as `hashes`, from the columns of a hit. */
export function decodeCounts(columns: Partial<Record<string, unknown[]>>, hashes: number[]): number[][] {
  const counts = INDEX_FIELDS.map(() => new Array<number>(hashes.length).fill(0));
  const pieces = new Map<string, Buffer>();
  hashes.forEach((hash, term) => {
    const name = pieceOf(hash);
    const text = columns[name]?.[0];
    if (typeof text !== "string") return;
    const bytes = pieces.get(name) ?? Buffer.from(text, "base64");
    pieces.set(name, bytes);
    for (let at = 0; at < bytes.length; at += ENTRY_BYTES)
      if (bytes.readUInt32LE(at) === hash)
        for (let column = 0; column < FIELDS; column++) counts[column]![term] = bytes[at + 4 + column]!;
  });
  return counts;
}
