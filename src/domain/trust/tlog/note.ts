/**
 * Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint): lines of text with a log's size and root,
 * followed by a signature of the log's key.
 */
import { createHash } from "node:crypto";
import { decodeBase64 } from "../../protocols/base64url.ts";
import { decodePublicKey, SIGNATURE_BYTES, sign, verifyStrict } from "../ed25519.ts";

export interface Checkpoint {
  /** The log's name: its address without a scheme. */
  origin: string;
  /** Leaves. */
  size: number;
  root: Uint8Array;
}

/** A verifier key: `<name>+<id>+<base64 of the type and the key>` in note format. */
export interface NoteKey {
  name: string;
  id: Uint8Array;
  /** 32 bytes. */
  publicKey: Uint8Array;
}

/** Where a registry serves its log, below its address. */
export const LOG_PATH = "/.well-known/bridge-log";

/** Signature types: Ed25519 of a log, and of a witness (C2SP tlog-cosignature). */
const ED25519 = 1;
export const COSIGNATURE = 4;
type KeyType = typeof ED25519 | typeof COSIGNATURE;
/** Of a cosignature, before its signature. */
const TIME_BYTES = 8;
const MAX_NOTE_BYTES = 16_384;
/** A log's, and those of its witnesses. */
const MAX_SIGNATURES = 64;

export type OpenedNote =
  | { ok: true; text: string }
  | { ok: false; reason: "malformed" | "unknown_key" | "signature_wrong" };

export const formatNoteKey = ({ name, id, publicKey }: NoteKey, type: KeyType = ED25519): string =>
  `${name}+${Buffer.from(id).toString("hex")}+${Buffer.concat([Uint8Array.of(type), publicKey]).toString("base64")}`;

export function parseNoteKey(text: string, type: KeyType = ED25519): NoteKey | undefined {
  const match = /^([^\s+]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const key = match && decodeBase64(match[3]!);
  if (!match || key?.length !== 33 || key[0] !== type) return undefined;
  const publicKey = key.subarray(1);
  const id = keyId(match[1]!, publicKey, type);
  return Buffer.from(id).toString("hex") === match[2] ? { name: match[1]!, id, publicKey } : undefined;
}

const keyId = (name: string, publicKey: Uint8Array, type: KeyType): Uint8Array =>
  createHash("sha256")
    .update(`${name}\n`)
    .update(Uint8Array.of(type))
    .update(publicKey)
    .digest()
    .subarray(0, 4);

export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;

/** Parses a note's text. Lines after the third are extensions, which are signed but ignored here. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, sizeText, rootText] = text.split("\n");
  const root = decodeBase64(rootText ?? "");
  const size = Number(sizeText);
  if (!origin || !text.endsWith("\n") || !/^(?:0|[1-9]\d{0,15})$/.test(sizeText ?? "")) return undefined;
  return root?.length === 32 && Number.isSafeInteger(size) ? { origin, size, root } : undefined;
}

/** The note: its text, an empty line, one signature line. Deterministic. */
export function signNote(text: string, name: string, key: { privateKey: string; publicKey: string }): string {
  const { id } = noteKeyOf(name, key.publicKey);
  const signature = sign(key.privateKey, Buffer.from(text, "utf8"));
  return `${text}\n— ${name} ${Buffer.concat([id, signature]).toString("base64")}\n`;
}

/** @param publicKey 43 characters of base64url, as in DNS */
export function noteKeyOf(name: string, publicKey: string, type: KeyType = ED25519): NoteKey {
  const raw = decodePublicKey(publicKey);
  if (!raw || !isKeyName(name)) throw new TypeError(`${name} is not a valid name for a note key`);
  return { name, id: keyId(name, raw, type), publicKey: raw };
}

/** Key names contain neither white space nor "+" (C2SP signed-note). */
const isKeyName = (name: string): boolean => /^[^\s+]{1,255}$/u.test(name);

/** The text of a note that `key` signed. Ignores signatures of other keys (witnesses). Never throws. */
export function openNote(note: string, key: NoteKey): OpenedNote {
  const at = note.lastIndexOf("\n\n");
  if (at < 0 || !note.endsWith("\n") || note.length > MAX_NOTE_BYTES)
    return { ok: false, reason: "malformed" };
  const text = note.slice(0, at + 1);
  const lines = note.slice(at + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return { ok: false, reason: "malformed" };
  const ours: Uint8Array[] = [];
  for (const line of lines) {
    const signed = readSignature(line);
    if (!signed) return { ok: false, reason: "malformed" };
    if (isOf(signed, key)) ours.push(signed.signature);
  }
  if (ours.length === 0) return { ok: false, reason: "unknown_key" };
  const message = Buffer.from(text, "utf8");
  const good = ours.every((signature) => verifyStrict(key.publicKey, message, signature));
  return good ? { ok: true, text } : { ok: false, reason: "signature_wrong" };
}

interface NoteSignature {
  name: string;
  id: Uint8Array;
  signature: Uint8Array;
}

function readSignature(line: string): NoteSignature | undefined {
  const match = /^— ([^\s+]{1,255}) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
  const bytes = match && decodeBase64(match[2]!);
  if (!bytes || bytes.length < 5) return undefined;
  return { name: match[1]!, id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

const isOf = ({ name, id }: NoteSignature, key: NoteKey): boolean =>
  name === key.name && Buffer.from(key.id).equals(id);

/**
 * When a witness cosigned a checkpoint, in seconds since 1970: the Ed25519 form of C2SP tlog-cosignature, time ∥ signature.
 * @param text of the checkpoint, without its signatures
 * @param line one signature line, without its end
 * @returns undefined where the line is not of `key`, or does not verify. Never throws.
 */
export function cosignedAt(text: string, line: string, key: NoteKey): number | undefined {
  const signed = readSignature(line);
  if (!signed || !isOf(signed, key) || signed.signature.length !== TIME_BYTES + SIGNATURE_BYTES)
    return undefined;
  const time = Buffer.from(signed.signature).readBigUInt64BE();
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`, "utf8");
  return verifyStrict(key.publicKey, message, signed.signature.subarray(TIME_BYTES))
    ? Number(time)
    : undefined;
}
