/**
 * The transparency log of a registry that is read (C2SP tlog-checkpoint, tlog-tiles): each checkpoint is held to the one that was seen
 * before it, by the key that was seen first (docs/decisions/0240). The registry is a stranger: files, bytes and time are bounded.
 */
import { consistencyRanges, isSameHash, rangeHash, verifyConsistency } from "../domain/trust/tlog/merkle.ts";
import {
  type Checkpoint,
  LOG_PATH,
  type NoteKey,
  openNote,
  parseCheckpoint,
  parseNoteKey,
} from "../domain/trust/tlog/note.ts";
import {
  decodeHashes,
  nodesOfTiles,
  TILE_WIDTH,
  type TileReader,
  TreeEdge,
  tilePath,
} from "../domain/trust/tlog/tiles.ts";
import type { Fetcher } from "../ports/http.ts";
import { iso } from "../ports/time.ts";
import type { LogFault, SeenLog } from "../stores/claims.ts";

const TIMEOUT_MS = 10_000;
/** Of one look: a key, a checkpoint, and the tiles of one proof. */
const LOOK_WITHIN_MS = 60_000;
/** Bytes of a checkpoint, and of a tile of 256 hashes. */
const MAX_FILE_BYTES = 16_384;
/** A proof between trees of any size reads fewer. */
const MAX_TILES = 64;

/** A file of the log by its path; undefined where it cannot be had. */
type FileReader = (path: string) => Promise<Uint8Array | undefined>;

/** A log of which nothing but its key is known. @param key in note format */
export const logOfKey = (key: string): SeenLog => ({ key, note: null, size: 0, seen_at: null, fault: null });

/**
 * Looks at a registry's log.
 * @param registry its address
 * @param now milliseconds
 * @returns what is known of the log now; undefined: the registry never showed one
 */
export async function lookAtLog(
  fetcher: Pick<Fetcher, "fetch">,
  registry: URL,
  known: SeenLog | undefined,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<SeenLog | undefined> {
  // Two signed histories stay to be seen: nothing that is shown later makes them one.
  if (known?.fault?.kind === "fork") return known;
  const read = filesOf(fetcher, registry, AbortSignal.any([signal, AbortSignal.timeout(LOOK_WITHIN_MS)]));
  const before = known ?? (await firstSeen(read));
  const key = before && parseNoteKey(before.key);
  if (!before || !key) return known;
  const bytes = await read("checkpoint");
  if (signal.aborted) return known;
  const note = bytes && Buffer.from(bytes).toString("utf8");
  const head = note === undefined ? undefined : headOf(note, key);
  const fault =
    note === undefined ? "unreadable" : head ? await faultOf(read, before, key, head) : "other_key";
  if (signal.aborted) return known;
  if (fault === undefined)
    return { ...before, note: note!, size: head!.size, seen_at: iso(now), fault: null };
  const since = before.fault?.kind === fault ? before.fault.since : iso(now);
  return { ...before, fault: { kind: fault, since, note: fault === "fork" ? note! : null } };
}

async function firstSeen(read: FileReader): Promise<SeenLog | undefined> {
  const bytes = await read("key");
  const key = bytes && parseNoteKey(Buffer.from(bytes).toString("utf8").trim());
  return key && logOfKey(Buffer.from(bytes!).toString("utf8").trim());
}

function filesOf(fetcher: Pick<Fetcher, "fetch">, registry: URL, signal: AbortSignal): FileReader {
  const base = `${registry.origin}${registry.pathname.replace(/\/$/, "")}${LOG_PATH}`;
  return async (path) => {
    const result = await fetcher.fetch(`${base}/${path}`, {
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_FILE_BYTES,
      signal,
    });
    return result.ok && result.status === 200 ? result.body : undefined;
  };
}

function headOf(note: string, key: NoteKey): Checkpoint | undefined {
  const opened = openNote(note, key);
  const head = opened.ok ? parseCheckpoint(opened.text) : undefined;
  return head?.origin === key.name ? head : undefined;
}

/** What is wrong with a checkpoint after the one that was seen before; undefined: it extends it. */
async function faultOf(
  read: FileReader,
  before: SeenLog,
  key: NoteKey,
  head: Checkpoint,
): Promise<LogFault | undefined> {
  const seen = before.note === null ? undefined : headOf(before.note, key);
  if (!seen) return undefined;
  if (head.size === seen.size) return isSameHash(head.root, seen.root) ? undefined : "fork";
  const isSmaller = head.size < seen.size;
  const [old, grown] = isSmaller ? [head, seen] : [seen, head];
  // Any log begins with the empty one.
  if (old.size === 0) return isSmaller ? "smaller" : undefined;
  const tiles = await readTiles(read, old.size, grown.size);
  // Tiles of another tree, or a broken one, are no second history: that has to be proved.
  if (!tiles || !isSameHash(tiles.root, grown.root)) return isSmaller ? "smaller" : "unreadable";
  if (!verifyConsistency(old.size, grown.size, tiles.proof, old.root, grown.root)) return "fork";
  return isSmaller ? "smaller" : undefined;
}

/**
 * What the registry's own tiles say: the root of the larger tree, and the proof that it begins with the smaller one.
 * @returns undefined where one cannot be had
 */
async function readTiles(
  read: FileReader,
  oldSize: number,
  size: number,
): Promise<{ root: Uint8Array; proof: Uint8Array[] } | undefined> {
  const nodes = nodesOfTiles(TreeEdge.of(size, []), tilesOf(read, size));
  const proof: Uint8Array[] = [];
  try {
    for (const range of consistencyRanges(oldSize, size)) proof.push(await rangeHash(range, nodes));
    return { root: await rangeHash({ start: 0, end: size }, nodes), proof };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Tiles of a tree, each read once; a partial one that is gone is the beginning of the full one (C2SP tlog-tiles). */
function tilesOf(read: FileReader, size: number): TileReader {
  const known = new Map<string, Promise<readonly Uint8Array[] | undefined>>();
  const fetchTile = async (level: number, index: number) => {
    const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH);
    const partial = await read(tilePath({ level, index, width }));
    const bytes =
      partial ?? (width < TILE_WIDTH ? await read(tilePath({ level, index, width: TILE_WIDTH })) : undefined);
    return bytes && bytes.length >= width * 32 ? decodeHashes(bytes.subarray(0, width * 32)) : undefined;
  };
  return async (level, index) => {
    const name = `${level}/${index}`;
    if (!known.has(name) && known.size < MAX_TILES) known.set(name, fetchTile(level, index));
    return known.get(name);
  };
}
