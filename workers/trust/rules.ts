/** Rules of ring 4 registrations: the signed statement, replay protection and status. Pure. */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { ManifestPayload } from "../../schemas/manifest.ts";
import type { Registration, RegistrationStatus } from "../../schemas/ring4.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { siteVerdict, type VerdictFacts } from "../../src/crawl/verdict.ts";
import { ringOf } from "../../src/domain/listing/listing.ts";
import { decodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import {
  decodePublicKey,
  type PublicKey,
  SIGNATURE_BYTES,
  verifyStrict,
} from "../../src/domain/trust/ed25519.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { CLOCK_SKEW_MS } from "../../src/domain/trust/manifest.ts";
import { CREDENTIAL_CALLS_A_MINUTE } from "../../src/rpc/limit-rows/row.ts";
import type { Limit } from "../../src/rpc/limits.ts";

/** The statement that an owner signs: those of these members that are present. */
export interface OwnerStatement {
  domain: string;
  capabilities?: string[] | undefined;
  constraints?: string[] | undefined;
  project_id?: string | undefined;
  issued_at?: string | undefined;
}

/** The identity of a proof. */
export interface ProofId {
  kid: string;
  /** SHA-256 of the statement that it signs. */
  digest: string;
  issuedAt: string | undefined;
}

const MAX_HISTORY = 20;
/** Maximum proofs without a time per domain; further proofs need `issued_at`. */
export const MAX_SPENT = 64;

/** RFC 8785 form of a registration's body without its proof. */
export function statementText({
  domain,
  capabilities,
  constraints,
  project_id,
  issued_at,
}: OwnerStatement): string {
  const members = { domain, capabilities, constraints, project_id, issued_at };
  return canonicalize(Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
}

/** The key of a domain that made a signature (base64url) over a text. */
export function signingKey(
  text: string,
  signature: string,
  keys: readonly PublicKey[],
): PublicKey | undefined {
  const bytes = decodeBase64Url(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return undefined;
  const message = Buffer.from(text, "utf8");
  return keys.find(({ publicKey }) => {
    const raw = decodePublicKey(publicKey);
    return raw !== undefined && verifyStrict(raw, message, bytes);
  });
}

/** Whether a signer's time is further in the future than clock skew allows. @param now milliseconds */
export const isOfTheFuture = (issuedAt: string, now: number): boolean =>
  !(Date.parse(issuedAt) <= now + CLOCK_SKEW_MS);

/**
 * Whether a proof is not newer than the stored one: an old proof, which is public in the log, must not be replayed.
 * Proofs without a time are compared with the list of used ones.
 */
export function isReplay({ kid, digest, issuedAt }: ProofId, known: Registration | undefined): boolean {
  if (!known || (known.kid === kid && known.statement_sha256 === digest)) return false;
  if (known.issued_at) return issuedAt === undefined || !(Date.parse(issuedAt) > Date.parse(known.issued_at));
  if (issuedAt !== undefined) return false;
  return known.spent.length >= MAX_SPENT || known.spent.includes(spentName(kid, digest));
}

const spentName = (kid: string, digest: string): string => `${kid} ${digest}`;

/** A domain's registration after a proof by `kid`. */
export function registered(
  known: Registration | undefined,
  statement: OwnerStatement,
  proof: { kid: string; leafIndex: number; at: string; digest: string },
): Registration {
  const { kid, leafIndex, at, digest } = proof;
  const event = {
    at,
    event: known ? ("renewed" as const) : ("registered" as const),
    kid,
    leaf_index: leafIndex,
  };
  return {
    ...known,
    v: 1,
    domain: statement.domain,
    kid,
    capabilities: statement.capabilities ?? [],
    constraints: statement.constraints ?? [],
    project_id: statement.project_id ?? null,
    issued_at: statement.issued_at ?? null,
    statement_sha256: digest,
    spent: spentBy(known, statement, { kid, digest, issuedAt: statement.issued_at }),
    registered_at: known?.registered_at ?? at,
    leaf_index: leafIndex,
    history: [...(known?.history ?? []), event].slice(-MAX_HISTORY),
  };
}

/** The used proofs after another proof replaces the stored one. Proofs with a time need no list. */
function spentBy(known: Registration | undefined, { issued_at }: OwnerStatement, now: ProofId): string[] {
  if (!known || issued_at !== undefined) return [];
  const isSame = known.kid === now.kid && known.statement_sha256 === now.digest;
  return isSame ? known.spent : [...known.spent, spentName(known.kid, known.statement_sha256)];
}

/** Log entries per project; entries are never deleted. */
export const limitOfProject = (projectId: string): Limit => ({
  name: "log",
  window: "minute",
  key: `ring4-log.${projectId}`,
  quota: CREDENTIAL_CALLS_A_MINUTE.project,
});

/**
 * The life of a site's trust profile, seconds, by the manifest that its key signed; the copy beside it is optional, and unsigned.
 * @param document as the crawl verified it
 */
export function signedTtlOf(document: string): number | undefined {
  const { manifest } = JSON.parse(document) as Pick<DiscoveryDocument, "manifest">;
  if (!manifest) return undefined;
  const payload = JSON.parse(Buffer.from(manifest.payload, "base64url").toString("utf8")) as ManifestPayload;
  return payload.trust_profile.ttl_seconds;
}

/** A registration as every operation shows it: ring and score are the verdict's. @param now milliseconds */
export function registrationView(
  registration: Registration,
  known: VerdictFacts,
  keys: Parameters<typeof registrationStatus>[2],
  now: number,
) {
  const { trust, expires_at } = siteVerdict(known, now);
  return {
    trust_ring: trust.ring,
    trust_score: trust.score,
    status: registrationStatus(registration, known.record, keys, now),
    expires_at,
  };
}

/**
 * The current status of a registration.
 * @param keys from DNS now: the keys' ids, "revoked", or undefined if the look-up failed
 */
export function registrationStatus(
  registration: Registration,
  site: SiteRecord | undefined,
  keys: readonly string[] | "revoked" | undefined,
  now: number,
): RegistrationStatus {
  if (keys === "revoked" || (keys === undefined && site?.reason === "key_revoked")) return "revoked";
  if (keys && !keys.includes(registration.kid)) return "key_replaced";
  if (site?.expires_at && Date.parse(site.expires_at) <= now) return "expired";
  if (site && ringOf(site) === 4) return "registered";
  // A visit since then found less than ring 3.
  if (site && site.ring < 3 && site.verified_at !== null) return "lapsed";
  return "pending";
}
