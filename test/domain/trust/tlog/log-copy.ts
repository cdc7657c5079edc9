/** A transparency log as files in memory, made from its entries alone. */
import type { KeyPair } from "../../../../src/domain/trust/ed25519.ts";
import { EMPTY_ROOT, leafHash } from "../../../../src/domain/trust/tlog/merkle.ts";
import {
  formatCheckpoint,
  formatNoteKey,
  noteKeyOf,
  signNote,
} from "../../../../src/domain/trust/tlog/note.ts";
import {
  encodeBundle,
  encodeHashes,
  type FullTile,
  TILE_WIDTH,
  TreeEdge,
  tilePath,
} from "../../../../src/domain/trust/tlog/tiles.ts";

export const ORIGIN = "log.example/bridge";

export function copyOf(entries: readonly Uint8Array[], key: KeyPair): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const edge = new TreeEdge();
  const put = ({ level, index, hashes }: FullTile) =>
    files.set(tilePath({ level, index, width: hashes.length }), encodeHashes(hashes));
  for (const entry of entries) edge.append(leafHash(entry)).forEach(put);
  for (const [level, hashes] of edge.levels.entries()) {
    const index = Math.floor(edge.size / TILE_WIDTH ** (level + 1));
    if (hashes.length > 0) put({ level, index, hashes });
  }
  for (let index = 0; index * TILE_WIDTH < entries.length; index++) {
    const bundle = entries.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
    files.set(tilePath({ level: "entries", index, width: bundle.length }), encodeBundle(bundle));
  }
  const root = entries.length === 0 ? EMPTY_ROOT : edge.root();
  const text = formatCheckpoint({ origin: ORIGIN, size: entries.length, root });
  files.set("checkpoint", Buffer.from(signNote(text, ORIGIN, key)));
  files.set("key", Buffer.from(formatNoteKey(noteKeyOf(ORIGIN, key.publicKey))));
  return files;
}

export const entriesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`{"n":${i}}`));
