/** Accounts and what they own, as records and as payloads. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";
import { OwnedKey } from "./key.ts";
import { PermissionList, SiteConfiguration, Tier } from "./license.ts";

/** What an account as an owner of sites does not hear from: the agents of another account. */
const AgentBlock = z.looseObject({
  /** The agent that was named; the block is of its account. */
  agentId: z.string(),
  accountId: z.string(),
  name: z.string(),
  kind: z.enum(["block", "mute"]),
  at: Timestamp,
});
export type AgentBlock = z.infer<typeof AgentBlock>;

/** An account and everything it owns, in one record: a limit check or a rotation is one compare-and-set. */
/** Log-ins that an account lists, the newest. */
export const MOST_LOG_INS = 20;
/** Log-ins that may be ended one by one while their tokens would be good, which is a day. */
export const MOST_ENDED_LOG_INS = 100;

/** A log-in whose token may still be good. `from`: the network that it came from, never the address. */
const LogIn = z.looseObject({ id: z.string(), at: Timestamp, from: z.string() });

/** Passkeys that an account may have. */
/** Of an account, whatever its plan: its record has a bound. */
export const MOST_SITES = 500;
export const MOST_PASSKEYS = 10;

/** A key in a device of the holder (WebAuthn): its public half. Bytes in base64url. */
const OwnedPasskey = z.looseObject({
  id: z.string(),
  name: z.string(),
  createdAt: Timestamp,
  usedAt: Timestamp.optional(),
  credentialId: z.string(),
  /** COSE. */
  publicKey: z.string(),
  /** Of signatures, as the device last said; 0 where it counts none. */
  counter: z.int(),
  transports: z.array(z.string()),
});
export type OwnedPasskey = z.infer<typeof OwnedPasskey>;

export const AccountRecord = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  /** As given, in Unicode normal form C. */
  email: z.string(),
  name: z.string(),
  /** argon2id in PHC string format. */
  passwordHash: z.string(),
  tier: Tier,
  /** Log-in tokens of an earlier generation are invalid. */
  generation: z.int(),
  suspended: z.boolean(),
  createdAt: Timestamp,
  /** HMACs of the addresses that last used the account. Failed log-ins from elsewhere do not lock it out at these. */
  knownOrigins: z.array(z.string()),
  /** The address whose holder followed a link in a mail to it. */
  provedEmail: z.string().optional(),
  /** When the mail server last said that there is no such address. */
  emailRefusedAt: Timestamp.optional(),
  /** Its holder wants no mail about sites. */
  noticesOff: z.boolean().optional(),
  /** What it pays for; absent where it never did. */
  sites: z.array(Host),
  keys: z.array(OwnedKey),
  agentBlocks: z.array(AgentBlock).optional(),
  passkeys: z.array(OwnedPasskey).optional(),
  /** Challenges that a passkey logged in with, by SHA-256, until they end: each does so once. */
  usedChallenges: z.array(z.looseObject({ digest: z.string(), until: Timestamp })).optional(),
  /** Newest first. */
  logIns: z.array(LogIn).optional(),
  /** Log-ins that were ended before their tokens ran out, by id, until those do. */
  endedLogIns: z.array(z.looseObject({ id: z.string(), until: Timestamp })).optional(),
  /** Keys that it lists no more, by the first characters of their hashes, the newest first: none of them is made again. */
  endedKeys: z.array(z.string()).optional(),
});
export type AccountRecord = z.infer<typeof AccountRecord>;

/** Maps an e-mail address to its account. Created, never overwritten: of two concurrent registrations, one wins. */
export const EmailRecord = z.looseObject({ v: z.literal(1), accountId: z.string() });

/** A site whose ownership an account proved. Of two accounts, the last to prove it owns it. */
export const AccountSiteRecord = z.looseObject({
  v: z.literal(1),
  siteId: Host,
  accountId: z.string(),
  provedAt: Timestamp,
  configuration: SiteConfiguration,
  /** Values of other accounts that stood in DNS when it was proved, or since: none of them takes it over before it was gone once. */
  standing: z.array(z.string()).optional(),
  /** When its owner was last told that another account claims it. */
  contestedAt: Timestamp.optional(),
  /** What its owner was last told of it, or did not need to be; absent until the first look. */
  told: z
    .looseObject({
      state: z.string(),
      kid: z.string().nullable(),
      expires: Timestamp.nullable(),
      /** When this end was first seen. */
      expiresSeen: Timestamp.optional(),
      /** The last warning, in days before the end. */
      warned: z.int().optional(),
      /** The newest request of an agent that its owner was told of. */
      asked: z.string().optional(),
      /** The block that its owner was told of, by its time. */
      blocked: z.string().optional(),
      /** When the newest decision on an appeal was made that its owner was told of. */
      appealed: z.string().optional(),
    })
    .optional(),
});
export type AccountSiteRecord = z.infer<typeof AccountSiteRecord>;

/** What an account keeps for its agents, sealed. */
export const WalletRecord = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  licenses: z.record(z.string(), z.looseObject({ sealed: z.string(), addedAt: Timestamp })),
  /** The API key of the module gateway that its agents are charged to. */
  gatewayKey: z.looseObject({ sealed: z.string(), keyHint: z.string(), addedAt: Timestamp }).optional(),
});
export type WalletRecord = z.infer<typeof WalletRecord>;

export const User = z
  .object({
    id: z.uuid().meta({ description: "The account's id" }),
    email: z.string().meta({ example: "ada@shop.example" }),
    name: z.string().meta({ example: "Ada Lovelace" }),
    tier: Tier,
    created_at: Timestamp,
    email_state: z
      .enum(["unproved", "proved", "refused"])
      .meta({ description: "proved: its holder followed a link in a mail; refused: no mail arrives there" }),
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
  .meta({ id: "OwnerRecord", description: "The TXT record that proves that an account owns a domain" });

export const AccountSite = z
  .object({
    siteId: Host,
    proved_at: Timestamp,
    configuration: SiteConfiguration,
  })
  .meta({ id: "AccountSite", description: "A site whose ownership the account proved" });
export type AccountSite = z.infer<typeof AccountSite>;

export const License = z
  .object({
    license_id: z.uuid(),
    siteId: Host,
    name: z.string().meta({ example: "booking assistant" }),
    key_hint: z.string().meta({ description: "The first characters of the key", example: "bridge_lic_5kT9" }),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    state: z.enum(["active", "expired"]),
    permissions: PermissionList.nullable().meta({
      description: "What it grants of the site's permissions; null: all of them",
    }),
    agent_id: z.uuid().nullable().meta({ description: "The agent on whose request it was issued" }),
  })
  .meta({ id: "License" });
export type License = z.infer<typeof License>;

export const Project = z
  .object({
    project_id: z.uuid(),
    name: z.string().meta({ example: "travel agent" }),
    key_hint: z.string().meta({ description: "The first characters of the key", example: "bridge_prj_5kT9" }),
    created_at: Timestamp,
  })
  .meta({ id: "Project", description: "A writer to the Ring 4 log" });
export type Project = z.infer<typeof Project>;

export const Agent = z
  .object({
    agent_id: z.uuid(),
    name: z.string().meta({ description: "As site owners see it", example: "shopping helper" }),
    key_hint: z
      .string()
      .meta({ description: "The first characters of the token", example: "bridge_agent_5kT9" }),
    created_at: Timestamp,
    state: z
      .enum(["active", "ended"])
      .meta({ description: "ended: a new password or a suspension ended the token; rotate it" }),
  })
  .meta({ id: "Agent", description: "A program that acts for the account with a token of its own" });
export type Agent = z.infer<typeof Agent>;

/** In ascending order: a key without an account; an account that is new or has no proved site; an established account. */
export const STANDINGS = ["anonymous", "new", "established"] as const;
export type AccountStanding = (typeof STANDINGS)[number];

/** Longest life of a license that ends. */
export const MAX_LICENSE_DAYS = 3_650;
/** Longest password, in bytes of UTF-8 as sent. */
export const MAX_PASSWORD_BYTES = 1_024;
/** Shortest password, in characters (code points). */
export const MIN_PASSWORD_CHARACTERS = 8;
