/** The transparency log: signed checkpoints (C2SP signed-note, tlog-checkpoint), inclusion and consistency (RFC 9162). */
import { VerificationError } from "../errors.ts";
import { type Bytes, concat, fromBase64, hex, isSame, sha256, utf8 } from "./bytes.ts";
import { isUsableKey, verifyEd25519 } from "./ed25519.ts";
import { parseCanonical } from "./json.ts";

/** A state of the log that a checkpoint showed. */
export interface LogState {
  origin: string;
  size: number;
  /** Base64. */
  root: string;
}

const HASH = 32;
/** More than 2^53 leaves have. */
const MAX_PROOF = 64;
/** A log's signature and those of 64 witnesses. */
const MAX_NOTE = 16_384;

interface NoteKey {
  name: string;
  id: string;
  key: Bytes;
}

const COMMITMENT = /^\{"commitment":"([A-Za-z0-9+/]{43}=)","v":2\}$/;

/** The state that a checkpoint shows. @throws VerificationError where the key did not sign it */
export async function openCheckpoint(note: string, logKey: string): Promise<LogState> {
  const { name, id, key } = await readKey(logKey);
  const end = note.indexOf("\n\n");
  if (note.length > MAX_NOTE || end < 0) return refuse("the checkpoint is no signed note");
  const body = note.slice(0, end + 1);
  const lines = note.slice(end + 2).split("\n");
  const own = lines.find((line) => line.startsWith(`— ${name} `));
  const signature = fromBase64(own?.slice(name.length + 3));
  const isOurs = signature?.length === 68 && hex(signature.subarray(0, 4)) === id;
  if (!isOurs || !(await verifyEd25519(key, utf8(body), signature.slice(4))))
    return refuse("the log's key did not sign this checkpoint");
  const [origin, size, root] = body.split("\n");
  if (origin !== name) return refuse("the checkpoint is another log's");
  if (!/^(?:0|[1-9]\d{0,15})$/.test(size ?? "") || fromBase64(root)?.length !== HASH)
    return refuse("the checkpoint is damaged");
  return { origin, size: Number(size), root: root! };
}

/** `<name>+<key id>+<base64 of 0x01 ‖ key>` */
async function readKey(text: string): Promise<NoteKey> {
  const parts = text.trim().split("+");
  const [name, id] = parts;
  // Base64 has plus signs too.
  const typed = fromBase64(parts.slice(2).join("+"));
  if (!name || !id || typed?.[0] !== 1) return refuse("the log's key is not in note format");
  const key = typed.slice(1);
  const own = hex(await sha256(concat(utf8(`${name}\n`), typed))).slice(0, 8);
  return own === id && isUsableKey(key) ? { name, id, key } : refuse("the log's key is not what its id says");
}

function refuse(message: string): never {
  throw new VerificationError("log", message);
}

/** RFC 9162 section 2.1.3.2. */
async function verifyInclusion(
  leaf: string,
  index: number,
  proof: readonly string[],
  { size, root }: LogState,
): Promise<void> {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    return refuse("the entry is beyond the checkpoint");
  let [first, last] = [index, size - 1];
  let hash = await sha256(concat(Uint8Array.of(0), utf8(leaf)));
  for (const sibling of readProof(proof)) {
    if (last === 0) return refuse("the proof is too long");
    if (first % 2 === 1 || first === last) {
      hash = await nodeHash(sibling, hash);
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)];
    } else hash = await nodeHash(hash, sibling);
    [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
  }
  if (last !== 0 || !isSame(hash, fromBase64(root)!)) return refuse("the entry is not in the log's tree");
}

function readProof(proof: readonly string[]): Bytes[] {
  const hashes = proof.map(fromBase64);
  const isProof = hashes.length <= MAX_PROOF && hashes.every((hash) => hash?.length === HASH);
  return isProof ? (hashes as Bytes[]) : refuse("the proof is damaged");
}

const nodeHash = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(concat(Uint8Array.of(1), left, right));

/**
 * RFC 9162 section 2.1.4.2: `later` has all of `earlier` in its place.
 * @throws VerificationError of the step `log` where it has not: both checkpoints together prove that the log shows two histories
 */
export async function verifyConsistency(
  earlier: LogState,
  later: LogState,
  proof: readonly string[],
): Promise<void> {
  if (earlier.origin !== later.origin) return refuse("these are states of two logs");
  if (earlier.size > later.size) return refuse("the earlier state is the larger one");
  const [oldRoot, newRoot] = [fromBase64(earlier.root)!, fromBase64(later.root)!];
  if (earlier.size === later.size)
    return isSame(oldRoot, newRoot)
      ? undefined
      : refuse("two trees of one size: the log shows others other entries");
  if (earlier.size === 0) return;
  const hashes = readProof(proof);
  let [first, last] = [earlier.size - 1, later.size - 1];
  while (first % 2 === 1) [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
  // A power of two: the old root is a node of the new tree.
  const path = first === 0 ? [oldRoot, ...hashes] : hashes;
  const [begin, ...rest] = path;
  if (!begin) return refuse("the proof is too short");
  let [old, whole] = [begin, begin];
  for (const hash of rest) {
    if (last === 0) return refuse("the proof is too long");
    if (first % 2 === 1 || first === last) {
      [old, whole] = [await nodeHash(hash, old), await nodeHash(hash, whole)];
      while (first % 2 === 0 && first !== 0) [first, last] = [first / 2, Math.floor(last / 2)];
    } else whole = await nodeHash(whole, hash);
    [first, last] = [Math.floor(first / 2), Math.floor(last / 2)];
  }
  if (last !== 0 || !isSame(old, oldRoot) || !isSame(whole, newRoot))
    return refuse("the log forgot or changed what it showed before");
}

/**
 * The state that a checkpoint shows, which has all that was seen before.
 * @param proof of consistency with what was seen
 * @throws VerificationError of the step `freshness` where the log is smaller, `log` where it is another one
 */
export async function openNewer(
  note: string,
  proof: readonly string[] | null,
  { logKey, seen, pinned }: { logKey: string; seen: LogState | null; pinned: boolean },
): Promise<LogState> {
  const state = await openCheckpoint(note, logKey);
  if (!seen) return state;
  if (seen.origin !== state.origin) {
    if (pinned) return state;
    // On the registry's own word, another log would have what was seen forgotten.
    return refuse(
      `the log is ${state.origin}'s, and ${seen.origin}'s was seen before: pass the key of the one to believe as logKey`,
    );
  }
  if (state.size < seen.size)
    throw new VerificationError("freshness", `the log had ${seen.size} entries, and now ${state.size}`);
  await verifyConsistency(seen, state, proof ?? []);
  return state;
}

/** A leaf of the log as the registry shows it, whatever it is about. */
export interface ProvedLeaf {
  /** What the tree hashes. */
  leaf: string;
  leaf_index: number;
  /** Base64, nearest sibling first. */
  inclusion_proof: readonly string[];
  /** What a leaf commits to: base64 of the salt, and the entry. Absent where the leaf is its entry. */
  salt?: string;
  entry?: string;
}

/**
 * Checks any leaf of the log: it is in the tree, and its entry is the one that is shown.
 * @param state of a checkpoint that was verified
 * @returns the entry
 */
export async function verifyLeaf(proved: ProvedLeaf, state: LogState): Promise<Record<string, unknown>> {
  await verifyInclusion(proved.leaf, proved.leaf_index, proved.inclusion_proof, state);
  return parseCanonical(await entryOfLeaf(proved)) ?? refuse("the entry is not in RFC 8785 form");
}

/** The entry of a leaf: the leaf itself, or what it commits to, SHA-256(salt ∥ entry). */
async function entryOfLeaf({ leaf, salt, entry }: ProvedLeaf): Promise<string> {
  const commitment = COMMITMENT.exec(leaf)?.[1];
  if (commitment === undefined) return leaf;
  const salted = fromBase64(salt);
  if (!salted || salted.length !== HASH || entry === undefined)
    return refuse("the leaf's entry is not shown");
  const hash = await sha256(concat(salted, utf8(entry)));
  return isSame(hash, fromBase64(commitment)!) ? entry : refuse("the entry is not what the leaf commits to");
}
