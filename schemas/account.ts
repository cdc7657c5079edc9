/** Accounts and what they own, as records and as payloads. */
import { z } from "zod";
import { Host, Sha256, Timestamp } from "./common.ts";
import { SiteConfiguration, Tier } from "./licence.ts";

/** A licence or project of an account: in force because it is in the account's list. */
const OwnedKey = z.looseObject({
  id: z.string(),
  keyHash: Sha256,
  /** First characters of the key, so that its owner knows which it is. */
  keyHint: z.string(),
  createdAt: Timestamp,
  name: z.string(),
});

export const OwnedLicence = OwnedKey.extend({ siteId: Host, expiresAt: Timestamp.nullable() });
export type OwnedLicence = z.infer<typeof OwnedLicence>;
export const OwnedProject = OwnedKey;
export type OwnedProject = z.infer<typeof OwnedProject>;

/** An account with all that it owns in one record: limits and rotations are one compare-and-set. */
export const AccountRecord = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  /** As given, in Unicode normal form C. */
  email: z.string(),
  name: z.string(),
  /** argon2id in PHC string format. */
  passwordHash: z.string(),
  tier: Tier,
  /** Log-in tokens of an earlier generation have ended. */
  generation: z.int(),
  suspended: z.boolean(),
  createdAt: Timestamp,
  /** HMACs of the networks that it was last used from; what others do to its name does not lock it out there. */
  knownNetworks: z.array(z.string()),
  sites: z.array(Host),
  licences: z.array(OwnedLicence),
  projects: z.array(OwnedProject),
});
export type AccountRecord = z.infer<typeof AccountRecord>;

/** Which account an e-mail address belongs to; created once, so that of two registrations one wins. */
export const EmailRecord = z.looseObject({ v: z.literal(1), accountId: z.string() });

/** A site that an account proved to own. Of two accounts the last to prove it has it. */
export const AccountSiteRecord = z.looseObject({
  v: z.literal(1),
  siteId: Host,
  accountId: z.string(),
  provedAt: Timestamp,
  configuration: SiteConfiguration,
});
export type AccountSiteRecord = z.infer<typeof AccountSiteRecord>;

/** A project's key as it is stored, under its hash. In force when the account lists it. */
export const ProjectKeyRecord = z.looseObject({
  v: z.literal(1),
  projectId: z.string(),
  keyHash: Sha256,
  accountId: z.string(),
  createdAt: Timestamp,
});
