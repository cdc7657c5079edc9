/** Accounts and what they own, as records and as payloads. */
import { z } from "zod";
import { Host, Sha256, Timestamp } from "./common.ts";
import { SiteConfiguration, Tier } from "./license.ts";

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
  /** HMACs of the addresses that it was last used from; what others do to its name does not lock it out there. */
  knownOrigins: z.array(z.string()),
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

export const User = z
  .object({
    id: z.uuid().meta({ description: "The account's id" }),
    email: z.string().meta({ example: "ada@shop.example" }),
    name: z.string().meta({ example: "Ada Lovelace" }),
    tier: Tier,
    created_at: Timestamp,
  })
  .meta({ id: "User", description: "An account, as its holder sees it" });
export type User = z.infer<typeof User>;

export const LoggedIn = z
  .object({
    token: z.string().meta({ description: "JWT; send it as `Authorization: Bearer`" }),
    expires_in: z.int().meta({ description: "Seconds", example: 86_400 }),
    user: User,
  })
  .meta({ id: "LoggedIn" });

/** A record to publish in DNS. */
export const OwnerRecord = z
  .object({
    host: z.string().meta({ example: "_bridge-owner.shop.example" }),
    type: z.literal("TXT"),
    value: z.string().meta({ example: "bridge-owner=Zk3xq0…" }),
    ttl: z.int().meta({ description: "Seconds", example: 300 }),
  })
  .meta({ id: "OwnerRecord", description: "The TXT record that proves a domain to be an account's" });

export const AccountSite = z
  .object({
    siteId: Host,
    proved_at: Timestamp,
    configuration: SiteConfiguration,
  })
  .meta({ id: "AccountSite", description: "A site that the account proved to own" });
export type AccountSite = z.infer<typeof AccountSite>;

export const License = z
  .object({
    license_id: z.uuid(),
    siteId: Host,
    name: z.string().meta({ example: "booking assistant" }),
    key_hint: z.string().meta({ description: "How the key begins", example: "bridge_lic_5kT9" }),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    state: z.enum(["active", "expired"]),
  })
  .meta({ id: "License" });
export type License = z.infer<typeof License>;

export const IssuedLicense = License.extend({
  license_key: z.string().meta({ description: "Shown this once" }),
}).meta({ id: "IssuedLicense" });

export const Project = z
  .object({
    project_id: z.uuid(),
    name: z.string().meta({ example: "travel agent" }),
    key_hint: z.string().meta({ description: "How the key begins", example: "bridge_prj_5kT9" }),
    created_at: Timestamp,
  })
  .meta({ id: "Project", description: "A writer of the Ring 4 log" });
export type Project = z.infer<typeof Project>;

export const IssuedProject = Project.extend({
  project_key: z.string().meta({ description: "Shown this once" }),
}).meta({ id: "IssuedProject" });

/** From the least: a key without an account; an account that is new or proved nothing; one that is established. */
export const STANDINGS = ["anonymous", "new", "established"] as const;
export type Standing = (typeof STANDINGS)[number];

/** Longest password, in bytes of UTF-8 as it was sent. */
export const MAX_PASSWORD_BYTES = 1_024;
/** Shortest password, in characters (code points). */
export const MIN_PASSWORD_CHARACTERS = 8;
