/**
 * Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint): lines of text with a log's size and root,
 * followed by a signature of the log's key.
 */
import { createHash } from "node:crypto";
import { decodeBase64 } from "../../protocols/base64url.ts";
import { decodePublicKey, sign, verifyStrict } from "../ed25519.ts";

export interface Checkpoint {
  /** The log's name: its address without a scheme. */
  origin: string;
  /** Leaves. */
  size: number;
  root: Uint8Array;
}

/** A verifier key: `<name>+<id>+<base64 of 1 and the key>` in note format. */
export interface NoteKey {
  name: string;
  id: Uint8Array;
  /** 32 bytes. */
  publicKey: Uint8Array;
}

/** The signature type of Ed25519. */
const ED25519 = 1;
const MAX_NOTE_BYTES = 16_384;
const MAX_SIGNATURES = 16;

export type OpenedNote =
  | { ok: true; text: string }
  | { ok: false; reason: "malformed" | "unknown_key" | "signature_wrong" };

export const formatNoteKey = ({ name, id, publicKey }: NoteKey): string =>
  `${name}+${Buffer.from(id).toString("hex")}+${Buffer.concat([Uint8Array.of(ED25519), publicKey]).toString("base64")}`;

export function parseNoteKey(text: string): NoteKey | undefined {
  const match = /^([^\s+]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const key = match && decodeBase64(match[3]!);
  if (!match || key?.length !== 33 || key[0] !== ED25519) return undefined;
  const publicKey = key.subarray(1);
  const id = keyId(match[1]!, publicKey);
  return Buffer.from(id).toString("hex") === match[2] ? { name: match[1]!, id, publicKey } : undefined;
}

const keyId = (name: string, publicKey: Uint8Array): Uint8Array =>
  createHash("sha256")
    .update(`${name}\n`)
    .update(Uint8Array.of(ED25519))
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
export function noteKeyOf(name: string, publicKey: string): NoteKey {
  const raw = decodePublicKey(publicKey);
  if (!raw || !isKeyName(name)) throw new TypeError(`${name} is not a valid name for a note key`);
  return { name, id: keyId(name, raw), publicKey: raw };
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
    const match = /^— ([^\s+]{1,255}) ([A-Za-z0-9+/]+={0,2})$/.exec(line);
    const bytes = match && decodeBase64(match[2]!);
    if (!bytes || bytes.length < 5) return { ok: false, reason: "malformed" };
    if (match[1] === key.name && Buffer.from(key.id).equals(bytes.subarray(0, 4)))
      ours.push(bytes.subarray(4));
  }
  if (ours.length === 0) return { ok: false, reason: "unknown_key" };
  const message = Buffer.from(text, "utf8");
  const good = ours.every((signature) => verifyStrict(key.publicKey, message, signature));
  return good ? { ok: true, text } : { ok: false, reason: "signature_wrong" };
}
