/**
 * Trust headers: a request signed by the `_bridge` key of the domain that sends it (docs/trust.md). The signature
 * covers the method, the service, the address, the body and a nonce, so that it is valid for one request at one
 * service, once.
 */
import { createHash, type KeyObject, randomBytes } from "node:crypto";
import { VERSIONS } from "../../../schemas/common.ts";
import { parseHost } from "../names/domain-name.ts";
import { decodeBase64Url, encodeBase64Url } from "../protocols/base64url.ts";
import { decodePublicKey, type PublicKey, SIGNATURE_BYTES, sign, verifyStrict } from "./ed25519.ts";

export const TRUST_HEADERS = {
  domain: "x-bridge-trust-domain",
  signature: "x-bridge-signature",
  nonce: "x-bridge-trust-nonce",
} as const;

/** Maximum difference between a nonce's time and the verifier's clock. */
export const TRUST_WINDOW_MS = 60_000;

/** Seconds since the epoch, a dot, 16 random bytes in base64url. */
const NONCE = /^(\d{10})\.([A-Za-z0-9_-]{22})$/;

/** The request that is signed. */
export interface SignedRequest {
  method: string;
  /** Host of the service, lower-case, with its port unless that is the scheme's own. */
  authority: string;
  /** Path and query as in the request line. */
  target: string;
  /** Empty if there is none. */
  body: Uint8Array;
}

export interface TrustClaim {
  /** Canonical host. */
  domain: string;
  nonce: string;
  /** Creation time of the nonce, milliseconds. */
  madeAtMs: number;
  signature: Uint8Array;
}

/** The three header fields of a request. @param nowMs wall clock @param random 16 random bytes, unique to the request */
export function trustHeaders(
  request: SignedRequest,
  signer: { domain: string; privateKey: string | KeyObject },
  nowMs: number,
  random: Uint8Array = randomBytes(16),
): Record<string, string> {
  const nonce = `${Math.floor(nowMs / 1_000)}.${encodeBase64Url(random)}`;
  const signature = sign(signer.privateKey, textOf(request, signer.domain, nonce));
  return {
    [TRUST_HEADERS.domain]: signer.domain,
    [TRUST_HEADERS.nonce]: nonce,
    [TRUST_HEADERS.signature]: encodeBase64Url(signature),
  };
}

function textOf(
  { method, authority, target, body }: SignedRequest,
  domain: string,
  nonce: string,
): Uint8Array {
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const lines = [VERSIONS.handshake, method.toUpperCase(), authority, target, bodyHash, domain, nonce];
  return Buffer.from(lines.join("\n"), "utf8");
}

/** Parses the header fields. @returns undefined if none is present, "malformed" unless all three are valid */
export function readTrustHeaders(
  headers: Record<string, string | string[] | undefined>,
): TrustClaim | "malformed" | undefined {
  const given = Object.values(TRUST_HEADERS).map((name) => headers[name]);
  if (given.every((value) => value === undefined)) return undefined;
  const [domain, signatureText, nonce] = given;
  if (typeof domain !== "string" || typeof signatureText !== "string" || typeof nonce !== "string")
    return "malformed";
  const host = parseHost(domain);
  const signature = decodeBase64Url(signatureText);
  const made = NONCE.exec(nonce);
  // Canonical encodings only: another spelling of a nonce must not evade replay protection.
  if (!host.ok || host.host !== domain || signature?.length !== SIGNATURE_BYTES) return "malformed";
  if (!made || !decodeBase64Url(made[2]!)) return "malformed";
  return { domain, nonce, madeAtMs: Number(made[1]) * 1_000, signature };
}

/** Whether one of the domain's keys signed this request. @param keys from its TXT records */
export function isSignedBy(claim: TrustClaim, request: SignedRequest, keys: readonly PublicKey[]): boolean {
  const text = textOf(request, claim.domain, claim.nonce);
  return keys.some(({ publicKey }) => {
    const raw = decodePublicKey(publicKey);
    return raw !== undefined && verifyStrict(raw, text, claim.signature);
  });
}
