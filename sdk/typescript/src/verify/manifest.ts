/** The signed manifest and the document that it signs (docs/trust.md). */
import { VerificationError, type VerificationStep } from "../errors.ts";
import { fromBase64Url, hex, sha256, textOf, utf8 } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { canonicalize, parseCanonical } from "./json.ts";
import type { DomainKey, TxtKeys } from "./txt.ts";

/** Members of the manifest that are checked here. */
export interface Manifest {
  domain: string;
  endpoint: string;
  issued_at: string;
  expires_at: string;
  serial: number;
  document_sha256: string;
  trust_profile: { ttl_seconds: number; capabilities: string[]; constraints: string[] };
}

const HANDSHAKE = "bridge-trust-handshake/1.1";
const REFUSED = ["jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit", "b64"];
const SKEW_MS = 60_000;
const MAX_LIFE_MS = 398 * 86_400_000;
const MAX_JWS = 131_072;

export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

/** The bytes that a key in DNS signed. @throws VerificationError at step `signature` */
export async function verifyJws(
  jws: Jws,
  keys: readonly DomainKey[],
): Promise<{ payload: string; kid: string }> {
  if (jws.payload.length > MAX_JWS || jws.protected.length > MAX_JWS) return refuse("signature", "too long");
  const signature = fromBase64Url(jws.signature);
  const payload = fromBase64Url(jws.payload);
  if (!signature || !payload) return refuse("signature", "not base64url");
  const signed = utf8(`${jws.protected}.${jws.payload}`);
  for (const { key, kid } of keysFor(jws.protected, keys))
    if (await verifyEd25519(key, signed, signature))
      return { payload: textOf(payload) ?? refuse("manifest", "the payload is not UTF-8"), kid };
  return refuse("signature", "no key in DNS signed this manifest");
}

function refuse(step: VerificationStep, message: string): never {
  throw new VerificationError(step, message);
}

/** The header's key, or all keys where it names none. */
function keysFor(header: string, keys: readonly DomainKey[]): readonly DomainKey[] {
  const bytes = fromBase64Url(header);
  const text = bytes && textOf(bytes);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? "");
  } catch {
    return refuse("signature", "the header is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null) return refuse("signature", "the header is no object");
  const { alg, kid } = parsed as { alg?: unknown; kid?: unknown };
  if (alg !== "Ed25519" && alg !== "EdDSA") return refuse("signature", "alg is not Ed25519");
  const named = REFUSED.find((name) => Object.hasOwn(parsed as object, name));
  if (named) return refuse("signature", `the header names ${named}: keys come from DNS alone`);
  const own = kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  return own.length > 0 ? own : refuse("signature", "the key that signed does not stand in DNS");
}

/** The manifest, of this domain and in force. @throws VerificationError at step `manifest` */
export function readManifest(payload: string, domain: string, { origin }: TxtKeys, nowMs: number): Manifest {
  const value = parseCanonical(payload);
  if (!value || !isManifest(value)) return refuse("manifest", "the payload is no manifest in RFC 8785 form");
  const manifest = value as unknown as Manifest & { handshake: string };
  if (manifest.handshake !== HANDSHAKE) refuse("manifest", `handshake is not ${HANDSHAKE}`);
  if (manifest.domain !== domain) refuse("manifest", `the manifest is ${manifest.domain}'s, not ${domain}'s`);
  if (originOf(manifest.endpoint) !== origin) refuse("manifest", `DNS says that the endpoint is ${origin}`);
  checkTimes(manifest, nowMs);
  return manifest;
}

function isManifest(value: Record<string, unknown>): boolean {
  const profile = value.trust_profile as Record<string, unknown> | undefined;
  const texts = ["domain", "endpoint", "handshake", "issued_at", "expires_at", "document_sha256"];
  return (
    texts.every((name) => typeof value[name] === "string") &&
    Number.isSafeInteger(value.serial) &&
    typeof profile === "object" &&
    profile !== null &&
    Number.isSafeInteger(profile.ttl_seconds)
  );
}

function originOf(address: string): string | undefined {
  try {
    return new URL(address).origin;
  } catch {
    return undefined;
  }
}

function checkTimes({ issued_at, expires_at }: Manifest, nowMs: number): void {
  const [issuedMs, expiresMs] = [Date.parse(issued_at), Date.parse(expires_at)];
  const lifeMs = expiresMs - issuedMs;
  if (!(lifeMs > 0 && lifeMs <= MAX_LIFE_MS))
    refuse("manifest", "valid for more than 398 days, or not at all");
  if (issuedMs > nowMs + SKEW_MS) refuse("manifest", `issued at ${issued_at}, which has not come`);
  if (expiresMs <= nowMs - SKEW_MS) refuse("manifest", `expired at ${expires_at}`);
}

/** The document whose hash is signed. @throws VerificationError at step `document` */
export async function readDocument(text: string, manifest: Manifest): Promise<Record<string, unknown>> {
  if (hex(await sha256(utf8(text))) !== manifest.document_sha256)
    return refuse("document", "this is not the document whose SHA-256 is signed");
  const document = parseCanonical(text);
  if (!document) return refuse("document", "the document is not in RFC 8785 form");
  const { provider, trust_profile, expires_at } = document as Record<
    string,
    { domain?: unknown } | undefined
  >;
  const isOurs = provider?.domain === manifest.domain;
  const isSame =
    trust_profile === undefined || canonicalize(trust_profile) === canonicalize(manifest.trust_profile);
  if (!isOurs || !isSame || (expires_at !== undefined && (expires_at as unknown) !== manifest.expires_at))
    return refuse("document", "the document says otherwise than its manifest");
  return document;
}
