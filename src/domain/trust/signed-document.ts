/** A site's document, signed for the days to come, and checked as every registry checks it before it leaves. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { DAY_MS, iso } from "../../ports/time.ts";
import type { KeyPair } from "./ed25519.ts";
import { INVARIANTS_NOW } from "./invariants.ts";
import { signDocument, verifyDocument } from "./manifest.ts";

export interface SigningOptions {
  /** Origin of the TXT record. */
  endpoint: URL;
  days: number;
  /** Of the trust profile, where the document has none: how long a handshake holds. */
  ttlSeconds: number;
}

export type SignedDocument =
  | { ok: true; document: DiscoveryDocument; text: string }
  /** `detail` quotes the document. */
  | { ok: false; reason: string; detail: string };

/**
 * Signs a document anew: an earlier manifest is replaced, its trust profile kept.
 * @param host canonical, as `provider.domain` names it
 * @param now milliseconds; also the serial
 */
export function signAnew(
  document: DiscoveryDocument,
  host: string,
  key: KeyPair,
  { endpoint, days, ttlSeconds }: SigningOptions,
  now: number,
): SignedDocument {
  const { manifest: _, trust_profile: profile, ...bare } = document;
  const signed = signDocument(bare as DiscoveryDocument, key, {
    endpoint: endpoint.origin,
    issuedAt: iso(now),
    expiresAt: iso(now + days * DAY_MS),
    serial: Math.floor(now),
    invariantsSha256: INVARIANTS_NOW.sha256,
    trustProfile: profile ?? {
      capabilities: document.capabilities.commands,
      constraints: [],
      ttl_seconds: ttlSeconds,
    },
  });
  const text = JSON.stringify(signed);
  const checked = verifyDocument(new TextEncoder().encode(text), {
    domain: host,
    txt: { endpoint, keys: [{ publicKey: key.publicKey, kid: key.kid }] },
    nowMs: now,
    previousSerial: null,
  });
  return checked.ok ? { ok: true, document: signed, text } : checked;
}
