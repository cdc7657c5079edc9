/**
 * The signed manifest in a discovery document: a site's owner makes it, and every visit verifies it. The signature
 * covers the exact bytes of the manifest's RFC 8785 form, and through document_sha256 the whole document.
 */

import { createHash } from "node:crypto";
import { MAX_MANIFEST_LIFE_DAYS, VERSIONS } from "../../../schemas/common.ts";
import { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { type FlattenedJws, ManifestPayload, type TrustProfile } from "../../../schemas/manifest.ts";
import type { VisitReason } from "../../../schemas/site.ts";
import { DAY_MS } from "../../ports/time.ts";
import { parseHost } from "../names/domain-name.ts";
import { parseStrictJson } from "../protocols/strict-json.ts";
import { documentFault } from "./document-fault.ts";
import type { KeyPair, PublicKey } from "./ed25519.ts";
import { canonicalize } from "./jcs.ts";
import { signJws, verifyJws } from "./jws.ts";

export const MAX_DOCUMENT_BYTES = 65_536;
/** Maximum clock skew of a signer, for manifests and registrations (docs/trust.md). */
export const CLOCK_SKEW_MS = 60_000;
const MAX_MANIFEST_LIFE_MS = MAX_MANIFEST_LIFE_DAYS * DAY_MS;
/** The limit of SiteRecord.detail. */
const MAX_DETAIL_LENGTH = 500;

// ---------------------------------------------------------------- signing
export interface ManifestOptions {
  /** The TXT record's endpoint: an https address, compared by origin. */
  endpoint: string;
  /** RFC 3339 in UTC; at most MAX_MANIFEST_LIFE_DAYS apart. */
  issuedAt: string;
  expiresAt: string;
  /** Must not decrease from one manifest of the domain to the next. */
  serial: number;
  trustProfile: TrustProfile;
  /** SHA-256 of the invariants that the site knows, in lower-case hexadecimal. */
  invariantsSha256?: string;
}

// ---------------------------------------------------------------- verifying
export interface VerifyContext {
  /** The host that was visited, canonical. */
  domain: string;
  /** The result of selectRecords, or null without a usable record. */
  txt: { endpoint: URL; keys: readonly PublicKey[] } | null;
  nowMs: number;
  /** Serial of the last verified manifest, null if there is none. */
  previousSerial: number | null;
}

type RefusalReason = Extract<
  VisitReason,
  | "document_invalid"
  | "signature_invalid"
  | "manifest_invalid"
  | "manifest_expired"
  | "manifest_not_yet_valid"
  | "serial_lowered"
  | "domain_mismatch"
  | "document_mismatch"
>;

/** `detail` is at most 500 characters and may quote the site: escape it for display. */
type Refusal = { ok: false; reason: RefusalReason; detail: string };

type Verified = { ok: true; document: DiscoveryDocument } & (
  | { ring: 3; reason: "verified"; manifest: ManifestPayload; kid: string }
  | { ring: 2; reason: "unsigned"; manifest: null; kid: null }
  | { ring: 1; reason: "no_txt"; manifest: null; kid: null }
);

export type DocumentVerification = Verified | Refusal;

/** A document with a valid schema that names its own domain. `published` is the parsed value, which the hash covers. */
export type DocumentReading = { ok: true; document: DiscoveryDocument; published: object } | Refusal;

/** A verified signature, with the signed bytes, not parsed yet. */
export type SignatureCheck = { ok: true; payload: Uint8Array; kid: string } | Refusal;

export interface ManifestContext extends Omit<VerifyContext, "txt"> {
  /** The TXT record's. */
  endpoint: URL;
}

/** `document` with trust_profile, expires_at and its signed manifest, ready to publish. Replaces an old manifest. */
export function signDocument(
  document: DiscoveryDocument,
  key: Pick<KeyPair, "privateKey" | "kid">,
  options: ManifestOptions,
): DiscoveryDocument {
  const manifest = signManifest(buildManifest(document, options), key);
  return { ...withRepeats(document, options), manifest };
}

/** Signs the manifest as a flattened JWS. */
export const signManifest = (
  manifest: ManifestPayload,
  key: Pick<KeyPair, "privateKey" | "kid">,
): FlattenedJws => signJws(canonicalize(manifest), key.privateKey, key.kid);

/**
 * The manifest of `document` as published, with trust_profile and expires_at repeated outside. Throws a ZodError on
 * options that no verifier accepts.
 */
export function buildManifest(document: DiscoveryDocument, options: ManifestOptions): ManifestPayload {
  return ManifestPayload.parse({
    domain: hostOf(document.provider.domain),
    endpoint: options.endpoint,
    handshake: VERSIONS.handshake,
    issued_at: options.issuedAt,
    expires_at: options.expiresAt,
    serial: options.serial,
    trust_profile: options.trustProfile,
    ...(options.invariantsSha256 === undefined ? {} : { invariants_sha256: options.invariantsSha256 }),
    document_sha256: documentSha256(withRepeats(document, options)),
  });
}

/** Canonical host of a domain in any spelling. A name that is not a public host (a registry on 127.0.0.1) stays as is. */
function hostOf(written: string): string {
  const parsed = parseHost(written);
  return parsed.ok ? parsed.host : written;
}

/** SHA-256, lower-case hexadecimal, of the RFC 8785 form of a document without its member `manifest`. */
export function documentSha256(document: object): string {
  const { manifest: _, ...signed } = document as { manifest?: unknown };
  return createHash("sha256").update(canonicalize(signed)).digest("hex");
}

const withRepeats = (document: DiscoveryDocument, options: ManifestOptions): DiscoveryDocument => ({
  ...document,
  trust_profile: options.trustProfile,
  expires_at: options.expiresAt,
});

/**
 * The lowest serial that the next manifest may have. It binds while its signing key is in DNS: otherwise the highest
 * serial, signed with a stolen key, would lock the owner out for ever. A manifest of a removed key cannot be replayed,
 * because no key in DNS verifies it.
 */
export function boundSerial(
  last: { serial: number | null; kid: string | null } | undefined,
  keys: readonly PublicKey[],
): number | null {
  if (!last) return null;
  return last.kid === null || keys.some(({ kid }) => kid === last.kid) ? last.serial : null;
}

/**
 * Verifies that the bytes of a discovery document are valid, belong to the domain, and are signed by a key of its TXT
 * record. The result is a ring: 1 without TXT (a manifest then proves nothing: keys come only from DNS), 2 with TXT but
 * unsigned, 3 with a valid manifest. An invalid manifest is a refusal, not a lower ring: the document may have been
 * tampered with.
 */
export function verifyDocument(bytes: Uint8Array, context: VerifyContext): DocumentVerification {
  const read = readDocument(bytes, context.domain);
  if (!read.ok) return read;
  const { document, published } = read;
  if (context.txt === null)
    return { ok: true, ring: 1, reason: "no_txt", document, manifest: null, kid: null };
  if (document.manifest === undefined) {
    return { ok: true, ring: 2, reason: "unsigned", document, manifest: null, kid: null };
  }
  const { endpoint, keys } = context.txt;
  const signature = verifySignature(document.manifest, keys);
  if (!signature.ok) return signature;
  const manifest = verifyManifest(signature.payload, published, { ...context, endpoint });
  if (!manifest.ok) return manifest;
  return { ok: true, ring: 3, reason: "verified", document, manifest: manifest.payload, kid: signature.kid };
}

/** Parses a discovery document. @param domain the host that was visited, canonical */
export function readDocument(bytes: Uint8Array, domain: string): DocumentReading {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_DOCUMENT_BYTES });
  if (!parsed.ok) return refuse("document_invalid", documentFault(bytes, parsed.reason, parsed.offset));
  const shape = DiscoveryDocument.safeParse(parsed.value);
  if (!shape.success) {
    const issue = shape.error.issues[0]!;
    const reason = issue.path[0] === "manifest" ? "manifest_invalid" : "document_invalid";
    return refuse(reason, atPath(issue.path, issue.message));
  }
  const document = shape.data;
  if (hostOf(document.provider.domain) !== domain) {
    return refuse("domain_mismatch", `provider.domain is ${document.provider.domain}, not ${domain}`);
  }
  return { ok: true, document, published: parsed.value as object };
}

/** Cutting the site's text may split a surrogate pair. */
const refuse = (reason: RefusalReason, detail: string): Refusal => ({
  ok: false,
  reason,
  detail: detail.slice(0, MAX_DETAIL_LENGTH).toWellFormed(),
});

const atPath = (path: PropertyKey[], message: string): string => `/${path.map(String).join("/")}: ${message}`;

/** Verifies the manifest's signature with the keys of the domain's TXT record. */
export function verifySignature(manifest: FlattenedJws, keys: readonly PublicKey[]): SignatureCheck {
  const signature = verifyJws(manifest, keys);
  return signature.ok ? signature : refuse("signature_invalid", signature.detail);
}

/** Verifies that a signed manifest belongs to the domain, is valid now, and covers the document. */
export function verifyManifest(
  payload: Uint8Array,
  published: object,
  { domain, endpoint, nowMs, previousSerial }: ManifestContext,
): { ok: true; payload: ManifestPayload } | Refusal {
  const manifest = readManifest(payload);
  if (!manifest.ok) return manifest;
  const refusal =
    checkPlace(manifest.payload, domain, endpoint) ??
    checkTimes(manifest.payload, nowMs) ??
    checkSerial(manifest.payload, previousSerial) ??
    // The parsed value, not the schema's copy: the hash covers what was published.
    checkOuter(manifest.payload, published as DiscoveryDocument);
  return refusal ?? manifest;
}

/** Parses the payload, only after its signature is verified. */
function readManifest(payload: Uint8Array): { ok: true; payload: ManifestPayload } | Refusal {
  const parsed = parseStrictJson(payload, { maxBytes: MAX_DOCUMENT_BYTES });
  if (!parsed.ok) return refuse("manifest_invalid", atOffset(parsed.reason, parsed.offset));
  const shape = ManifestPayload.safeParse(parsed.value);
  if (!shape.success) {
    const issue = shape.error.issues[0]!;
    return refuse("manifest_invalid", atPath(issue.path, issue.message));
  }
  // A manifest has one encoding, so that its bytes identify it in logs and caches.
  if (!Buffer.from(canonicalize(parsed.value), "utf8").equals(payload)) {
    return refuse("manifest_invalid", "the payload is not in RFC 8785 form");
  }
  if (shape.data.handshake !== VERSIONS.handshake) {
    return refuse("manifest_invalid", `handshake is ${shape.data.handshake}, not ${VERSIONS.handshake}`);
  }
  return { ok: true, payload: shape.data };
}

const atOffset = (reason: string, offset: number | undefined): string =>
  offset === undefined ? reason : `${reason} at character ${offset}`;

function checkPlace(manifest: ManifestPayload, domain: string, endpoint: URL): Refusal | undefined {
  if (manifest.domain !== domain) {
    return refuse("domain_mismatch", `the manifest is ${manifest.domain}'s, not ${domain}'s`);
  }
  if (URL.parse(manifest.endpoint)?.origin !== endpoint.origin) {
    return refuse(
      "domain_mismatch",
      `the manifest's endpoint is ${manifest.endpoint}, DNS says ${endpoint.origin}`,
    );
  }
  return undefined;
}

function checkTimes(manifest: ManifestPayload, nowMs: number): Refusal | undefined {
  const issuedMs = Date.parse(manifest.issued_at);
  const expiresMs = Date.parse(manifest.expires_at);
  const lifeMs = expiresMs - issuedMs;
  if (!(lifeMs > 0 && lifeMs <= MAX_MANIFEST_LIFE_MS)) {
    return refuse(
      "manifest_invalid",
      `valid from ${manifest.issued_at} to ${manifest.expires_at}: at most ${MAX_MANIFEST_LIFE_DAYS} days`,
    );
  }
  if (issuedMs > nowMs + CLOCK_SKEW_MS)
    return refuse("manifest_not_yet_valid", `issued at ${manifest.issued_at}`);
  if (expiresMs <= nowMs - CLOCK_SKEW_MS)
    return refuse("manifest_expired", `expired at ${manifest.expires_at}`);
  return undefined;
}

function checkSerial(manifest: ManifestPayload, previous: number | null): Refusal | undefined {
  if (previous === null || manifest.serial >= previous) return undefined;
  return refuse("serial_lowered", `serial ${manifest.serial} after ${previous}`);
}

/**
 * Members outside the signature must equal the signed ones. The repeated members come first: their faults say more than
 * a hash mismatch.
 */
function checkOuter(manifest: ManifestPayload, outer: DiscoveryDocument): Refusal | undefined {
  if (outer.expires_at !== undefined && outer.expires_at !== manifest.expires_at) {
    return refuse("document_mismatch", `expires_at is ${outer.expires_at}, signed ${manifest.expires_at}`);
  }
  if (
    outer.trust_profile !== undefined &&
    canonicalize(outer.trust_profile) !== canonicalize(manifest.trust_profile)
  ) {
    return refuse("document_mismatch", "trust_profile is not the signed one");
  }
  if (documentSha256(outer) !== manifest.document_sha256) {
    return refuse("document_mismatch", "the document is not the one whose SHA-256 was signed");
  }
  return undefined;
}
