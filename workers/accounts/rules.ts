/** Pure rules of accounts: bounds, public views, configuration, ownership proofs and origins. */
import type { AccountRecord, AccountSite, AccountSiteRecord, User } from "../../schemas/account.ts";
import {
  type ConfigurationChange,
  type SiteConfiguration,
  SitePermissions,
  SiteRestrictions,
} from "../../schemas/license.ts";
import { keyed } from "../../src/domain/keyed.ts";
import { customerGroup, networkGroup } from "../../src/domain/names/address.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";

/** Bounds of an account's record. */
const MOST_ORIGINS = 8;

// ---------------------------------------------------------------- public views

export function emailStateOf({ email, provedEmail, emailRefusedAt }: AccountRecord): User["email_state"] {
  if (emailRefusedAt !== undefined) return "refused";
  return provedEmail === email ? "proved" : "unproved";
}

export const shownUser = (account: AccountRecord): User => ({
  id: account.accountId,
  email: account.email,
  name: account.name,
  tier: account.tier,
  created_at: account.createdAt,
  email_state: emailStateOf(account),
});

export const shownSite = ({ siteId, provedAt, configuration }: AccountSiteRecord): AccountSite => ({
  siteId,
  proved_at: provedAt,
  configuration,
});

// ---------------------------------------------------------------- configuration

export const changedConfiguration = (
  current: SiteConfiguration,
  change: ConfigurationChange,
): SiteConfiguration => ({
  permissions: SitePermissions.parse({ ...current.permissions, ...change.permissions }),
  restrictions: SiteRestrictions.parse({ ...current.restrictions, ...change.restrictions }),
  logging: change.logging ?? current.logging,
  features: change.features ?? current.features,
  access: change.access ?? current.access,
});

// ---------------------------------------------------------------- proof of a domain

/** Whoever has just published a record looks again: what DNS said longer ago is asked anew, whatever the TTL of its absence. */
export const FRESH_DNS_MS = 3_000;

export const OWNER_TAG = "bridge-owner=";

/**
 * The value that an account publishes to prove a domain: one per account and registrable domain. It is derived from the
 * secret, so that nothing is stored before the proof.
 */
export const ownerValue = (secret: string, accountId: string, host: string): string =>
  OWNER_TAG + keyed(secret, "owner", accountId, registrableDomain(host)).toString("base64url");

/** The names that may carry the value: the host, or its registrable domain for every host below it. */
export const ownerNames = (host: string): string[] => [
  ...new Set([`_bridge-owner.${host}`, `_bridge-owner.${registrableDomain(host)}`]),
];

/** The records of a proof, of which one is enough. */
export const proofRecords = (host: string, value: string) =>
  ownerNames(host).map((name) => ({ host: name, type: "TXT" as const, value, ttl: 300 }));

export const ownerRecords = (secret: string, accountId: string, host: string) =>
  proofRecords(host, ownerValue(secret, accountId, host));

// ---------------------------------------------------------------- origins

/** The network of a request: what a log-in shows, and whose share of the hash queue it uses. */
export const networkOf = (clientAddress: string): string => networkGroup(clientAddress) ?? "inside";

/** The origin of a request as accounts store it: a keyed hash of its IPv4 address or IPv6 /64. */
export const clientOrigin = (secret: string, clientAddress: string): string =>
  keyed(secret, "origin", customerGroup(clientAddress) ?? "inside")
    .toString("base64url")
    .slice(0, 22);

/** Adds an origin to an account's known origins, newest first. */
export const withOrigin = (known: string[], origin: string): string[] =>
  [origin, ...known.filter((each) => each !== origin)].slice(0, MOST_ORIGINS);
