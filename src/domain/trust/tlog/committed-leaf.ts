/**
 * Leaves that commit to an entry, so that the entry can be erased and the tree cannot tell: the leaf is the RFC 8785 form of
 * `{"commitment": base64 of SHA-256(salt ∥ entry), "v": 2}`. Without the salt of 32 random bytes, nobody can guess the entry.
 */
import { hash } from "node:crypto";
import { canonicalize } from "../jcs.ts";

export const SALT_BYTES = 32;

/** The bytes of a leaf. */
export const committedLeaf = (commitment: string): Uint8Array =>
  Buffer.from(canonicalize({ commitment, v: 2 }));

const LEAF = /^\{"commitment":"([A-Za-z0-9+/]{43}=)","v":2\}$/;
/** Bytes of every such leaf. */
const LEAF_BYTES = committedLeaf("x".repeat(44)).length;

/** Base64 of SHA-256(salt ∥ entry). */
export const commitmentOf = (salt: Uint8Array, entry: Uint8Array): string =>
  hash("sha256", Buffer.concat([salt, entry]), "base64");

/** What a leaf commits to; undefined for one that is its entry itself. */
export const readCommitment = (leaf: Uint8Array): string | undefined =>
  leaf.length === LEAF_BYTES ? LEAF.exec(Buffer.from(leaf).toString("latin1"))?.[1] : undefined;
