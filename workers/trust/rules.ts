/** Registrations with proof: what is signed, and what a registration is worth now. Pure. */
import type { Registration, RegistrationStanding } from "../../schemas/ring4.ts";
import type { Dnssec, SiteRecord } from "../../schemas/site.ts";
import { ringOf, trustOf } from "../../src/domain/listing/listing.ts";
import { decodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import {
  decodePublicKey,
  type PublicKey,
  SIGNATURE_BYTES,
  verifyStrict,
} from "../../src/domain/trust/ed25519.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { CLOCK_SKEW_MS } from "../../src/domain/trust/manifest.ts";
import { trustScore } from "../../src/domain/trust/ring.ts";
import { CREDENTIAL_CALLS_A_MINUTE } from "../../src/rpc/limit-table.ts";
import type { Limit } from "../../src/rpc/limits.ts";

/** What an owner signs of a registration: these members, those that are sent. */
export interface Statement {
  domain: string;
  capabilities?: string[] | undefined;
  constraints?: string[] | undefined;
  project_id?: string | undefined;
  issued_at?: string | undefined;
}

/** RFC 8785 form of a registration's body without its proof. */
export const statementText = ({
  domain,
  capabilities,
  constraints,
  project_id,
  issued_at,
}: Statement): string => {
  const members = { domain, capabilities, constraints, project_id, issued_at };
  return canonicalize(Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
};

/** The key among a domain's that made a signature (base64url) over a text. */
export const signerOf = (
  text: string,
  signature: string,
  keys: readonly PublicKey[],
): PublicKey | undefined => {
  const bytes = decodeBase64Url(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return undefined;
  const message = Buffer.from(text, "utf8");
  return keys.find(({ publicKey }) => {
    const raw = decodePublicKey(publicKey);
    return raw !== undefined && verifyStrict(raw, message, bytes);
  });
};

/** A proof, by what makes it another than those before. */
export interface ProofId {
  kid: string;
  /** SHA-256 of the statement that it signs. */
  digest: string;
  issuedAt: string | undefined;
}

const MAX_HISTORY = 20;
/** A domain that changed its mind so often without saying when must say when from then on. */
export const MAX_SPENT = 64;

const spentName = (kid: string, digest: string): string => `${kid} ${digest}`;

/** Whether an owner's time is one that his clock, set right, cannot show yet. @param now milliseconds */
export const isOfTheFuture = (issuedAt: string, now: number): boolean =>
  !(Date.parse(issuedAt) <= now + CLOCK_SKEW_MS);

/**
 * The time that a later proof must be after. Never later than when the known proof came by our own clock: records from before
 * times of the future were refused would keep their owners out until the year that they name.
 */
const issuedMs = ({ issued_at, registered_at, history }: Registration): number =>
  Math.min(Date.parse(issued_at!), Date.parse(history.at(-1)?.at ?? registered_at) + CLOCK_SKEW_MS);

/**
 * Whether a proof is not newer than the one that the registration rests on: an old one, which everybody can read in the
 * log, must not bring back what it said. Without times, what was said before is known by itself.
 */
export const isOutdated = ({ kid, digest, issuedAt }: ProofId, known: Registration | undefined): boolean => {
  if (!known || (known.kid === kid && known.statement_sha256 === digest)) return false;
  if (known.issued_at) return issuedAt === undefined || !(Date.parse(issuedAt) > issuedMs(known));
  if (issuedAt !== undefined) return false;
  return known.spent.length >= MAX_SPENT || known.spent.includes(spentName(kid, digest));
};

/** What is spent once another proof takes the place of the known one. Times make it needless. */
const spentBy = (known: Registration | undefined, { issued_at }: Statement, now: ProofId): string[] => {
  if (!known || issued_at !== undefined) return [];
  const isSame = known.kid === now.kid && known.statement_sha256 === now.digest;
  return isSame ? known.spent : [...known.spent, spentName(known.kid, known.statement_sha256)];
};

/** A domain's registration after a proof by `kid`. */
export const registered = (
  known: Registration | undefined,
  statement: Statement,
  proof: { kid: string; leafIndex: number; at: string; digest: string },
): Registration => {
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
};

/** Entries that one project may log: each is kept for ever. */
export const limitOfProject = (projectId: string): Limit => ({
  name: "log",
  window: "minute",
  key: `ring4-log.${projectId}`,
  quota: CREDENTIAL_CALLS_A_MINUTE.project,
});

/**
 * What a registration is worth now.
 * @param keys what DNS says now: the keys' ids, "revoked", or undefined where it did not answer
 */
export const standingOf = (
  registration: Registration,
  site: SiteRecord | undefined,
  keys: readonly string[] | "revoked" | undefined,
  now: number,
): RegistrationStanding => {
  if (keys === "revoked" || (keys === undefined && site?.reason === "key_revoked")) return "revoked";
  if (keys && !keys.includes(registration.kid)) return "key_replaced";
  if (site?.expires_at && Date.parse(site.expires_at) <= now) return "expired";
  if (site && ringOf(site) === 4) return "registered";
  // Seen since, and found to be less than ring 3.
  if (site && site.ring < 3 && site.verified_at !== null) return "lapsed";
  return "pending";
};

/** The trust score of a domain at a ring, also of one that no visit has seen yet. @param now milliseconds */
export const scoreOf = (
  seen: { ring: number; dnssec: Dnssec; site: SiteRecord | undefined },
  now: number,
): number => {
  const { ring, dnssec, site } = seen;
  if (site) return trustOf({ ...site, dnssec }, now, ring).score;
  const unseen = { verifiedSince: null, visits: 0, visitsOk: 0, findings: 0 };
  return trustScore({ ring: ring as 0 | 1 | 2 | 3 | 4, dnssec, ...unseen }, now).score;
};
