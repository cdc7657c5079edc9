/** Flattened JWS (RFC 7515 section 7.2.2) with Ed25519 (RFC 9864, RFC 8037) and keys known to the verifier. */
import type { KeyObject } from "node:crypto";
import { FlattenedJws } from "../../../schemas/manifest.ts";
import { decodeBase64Url, encodeBase64Url } from "../protocols/base64url.ts";
import { parseStrictJson } from "../protocols/strict-json.ts";
import { decodePublicKey, type PublicKey, sign, verifyStrict } from "./ed25519.ts";

/** The most keys tried if the header names none. */
const MAX_KEYS_TRIED = 4;

/**
 * Members that would let signed content name its own key, or change what is signed. Rejected although RFC 7515 allows
 * ignoring most of them: a sender expects them to be used.
 */
const REFUSED_HEADERS = ["jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit", "b64"] as const;

export type JwsReason =
  | "malformed"
  | "refused_header"
  | "unsupported_algorithm"
  | "unknown_key"
  | "signature_wrong";

export type JwsVerification =
  | { ok: true; payload: Uint8Array; kid: string }
  /** `triedKids`: thumbprints of the keys that were tried. */
  | { ok: false; reason: JwsReason; detail: string; triedKids: string[] };

type Header =
  | { ok: true; kid: string | undefined }
  | { ok: false; reason: "malformed" | "refused_header" | "unsupported_algorithm"; detail: string };

/** Signs the UTF-8 bytes of `payloadText`. `kid` is the thumbprint of the key's public half (ed25519.ts). */
export function signJws(payloadText: string, privateKey: string | KeyObject, kid: string): FlattenedJws {
  const header = encodeBase64Url(JSON.stringify({ alg: "Ed25519", kid }));
  const payload = encodeBase64Url(payloadText);
  const signature = sign(privateKey, signingInput(header, payload));
  return { payload, protected: header, signature: encodeBase64Url(signature) };
}

/** RFC 7515 section 5.1: the two encoded parts as received, without encoding them again. */
const signingInput = (header: string, payload: string): Uint8Array =>
  Buffer.from(`${header}.${payload}`, "ascii");

/**
 * The payload's bytes if one of `keys` signed them. A `kid` in the header must name one of them, and only that key is
 * tried; without it up to four are. `jws` is untrusted: any member beyond the three of FlattenedJws, such as an
 * unprotected `header`, is malformed.
 */
export function verifyJws(jws: unknown, keys: readonly PublicKey[]): JwsVerification {
  const offered = keys.slice(0, MAX_KEYS_TRIED);
  const refuse = (reason: JwsReason, detail: string, triedKids: string[] = []): JwsVerification => ({
    ok: false,
    reason,
    detail,
    triedKids,
  });
  const shape = FlattenedJws.safeParse(jws);
  if (!shape.success) return refuse("malformed", "not a flattened JWS");
  const payload = decodeBase64Url(shape.data.payload);
  const header = decodeBase64Url(shape.data.protected);
  const signature = decodeBase64Url(shape.data.signature);
  if (!payload || !header || !signature) return refuse("malformed", "not strict base64url");
  const protectedHeader = readHeader(header);
  if (!protectedHeader.ok) return refuse(protectedHeader.reason, protectedHeader.detail);
  const { kid } = protectedHeader;
  const candidates = kid === undefined ? offered : offered.filter((key) => key.kid === kid);
  if (candidates.length === 0) {
    const held = offered.map((key) => key.kid);
    return refuse("unknown_key", `signed by ${kid ?? "no named key"}, held: ${held.join(", ")}`, held);
  }
  const input = signingInput(shape.data.protected, shape.data.payload);
  const signer = candidates.find((key) => {
    const raw = decodePublicKey(key.publicKey);
    return raw !== undefined && verifyStrict(raw, input, signature);
  });
  if (signer) return { ok: true, payload, kid: signer.kid };
  const tried = candidates.map((key) => key.kid);
  return refuse("signature_wrong", `no signature of ${tried.join(", ")}`, tried);
}

function readHeader(bytes: Uint8Array): Header {
  const parsed = parseStrictJson(bytes, { maxBytes: 2_048, maxDepth: 4 });
  if (!parsed.ok) return { ok: false, reason: "malformed", detail: `protected header: ${parsed.reason}` };
  const header = parsed.value;
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    return { ok: false, reason: "malformed", detail: "protected header: not an object" };
  }
  const refused = REFUSED_HEADERS.find((name) => Object.hasOwn(header, name));
  if (refused) return { ok: false, reason: "refused_header", detail: `${refused} in the protected header` };
  const { alg, kid } = header as { alg?: unknown; kid?: unknown };
  // RFC 9864 names the curve; EdDSA is its older, polymorphic name. The key is Ed25519 in any case.
  if (alg !== "Ed25519" && alg !== "EdDSA") {
    return { ok: false, reason: "unsupported_algorithm", detail: "alg is not Ed25519" };
  }
  if (kid !== undefined && (typeof kid !== "string" || !/^[A-Za-z0-9_-]{1,128}$/.test(kid))) {
    return { ok: false, reason: "malformed", detail: "kid is not an RFC 7638 thumbprint" };
  }
  return { ok: true, kid };
}
