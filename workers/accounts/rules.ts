/** What accounts may have, what is shown of it, and how attempts are counted: pure decisions. */
import { createHmac } from "node:crypto";
import type {
  AccountRecord,
  AccountSite,
  AccountSiteRecord,
  License,
  OwnedLicence,
  OwnedProject,
  Project,
  User,
} from "../../schemas/account.ts";
import {
  type ConfigurationChange,
  type SiteConfiguration,
  SitePermissions,
  SiteRestrictions,
} from "../../schemas/license.ts";
import { customerGroup } from "../../src/domain/names/address.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";

/** Bounds of one account's record, whatever its plan. */
export const MOST_SITES = 500;
export const MOST_LICENCES = 500;
export const MOST_PROJECTS = 100;
const MOST_ORIGINS = 8;

export const PROJECT_PREFIX = "bridge_prj_";
const HINT_LENGTH = 15;
export const hintOf = (key: string): string => key.slice(0, HINT_LENGTH);

// ---------------------------------------------------------------- what is shown

export const shownUser = ({ accountId, email, name, tier, createdAt }: AccountRecord): User => ({
  id: accountId,
  email,
  name,
  tier,
  created_at: createdAt,
});

export const shownSite = ({ siteId, provedAt, configuration }: AccountSiteRecord): AccountSite => ({
  siteId,
  proved_at: provedAt,
  configuration,
});

/** @param now milliseconds */
export const shownLicence = (licence: OwnedLicence, now: number): License => ({
  license_id: licence.id,
  siteId: licence.siteId,
  name: licence.name,
  key_hint: licence.keyHint,
  created_at: licence.createdAt,
  expires_at: licence.expiresAt,
  state: licence.expiresAt !== null && Date.parse(licence.expiresAt) <= now ? "expired" : "active",
});

export const shownProject = ({ id, name, keyHint, createdAt }: OwnedProject): Project => ({
  project_id: id,
  name,
  key_hint: keyHint,
  created_at: createdAt,
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
});

// ---------------------------------------------------------------- proof of a domain

const OWNER_TAG = "bridge-owner=";

/**
 * What an account publishes to prove a domain: one value for everything below a registrable domain, of no use to any
 * other account. Made again from the secret whenever it is needed, so nothing is stored for domains that nobody proves.
 */
export const ownerValue = (secret: string, accountId: string, host: string): string =>
  OWNER_TAG +
  createHmac("sha256", secret)
    .update(`owner\n${accountId}\n${registrableDomain(host)}`)
    .digest("base64url");

/** Where the value may stand: at the host, or at its registrable domain for every host below it. */
export const ownerNames = (host: string): string[] => [
  ...new Set([`_bridge-owner.${host}`, `_bridge-owner.${registrableDomain(host)}`]),
];

export const ownerRecords = (secret: string, accountId: string, host: string) =>
  ownerNames(host).map((name) => ({
    host: name,
    type: "TXT" as const,
    value: ownerValue(secret, accountId, host),
    ttl: 300,
  }));

/** Whether a plan and the record's bound let an account have one more of something. */
export const isFull = (count: number, most: number, bound: number): boolean =>
  count >= (most < 0 ? bound : Math.min(most, bound));

// ---------------------------------------------------------------- origins

/** A name for a counter or a record that does not tell what it stands for. */
const hiddenName = (secret: string, ...parts: string[]): string =>
  createHmac("sha256", secret).update(parts.join("\n")).digest("base64url").slice(0, 22);

/** The customer that a request comes from, an IPv4 address or an IPv6 /64, as accounts remember it. */
export const originOf = (secret: string, clientAddress: string): string =>
  hiddenName(secret, "customer", customerGroup(clientAddress) ?? "inside");

/** Where an account was used from, the newest first. */
export const withOrigin = (known: string[], origin: string): string[] =>
  [origin, ...known.filter((each) => each !== origin)].slice(0, MOST_ORIGINS);
