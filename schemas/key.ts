/** Keys: what stands under the hash of each, whatever it opens, and what its account lists. */
import { z } from "zod";
import { GatewayPlan } from "./api-key.ts";
import { Host, Sha256, Timestamp } from "./common.ts";
import { PermissionList } from "./license.ts";

export const KeyKind = z.enum(["license", "project", "agent", "gateway", "operator"]).meta({
  description:
    "license: opens a site to agents; project: writes to the Ring 4 log; agent: acts for the account; gateway: calls the module gateway; operator: opens the operators' API, issued on the registry's machine alone",
});
export type KeyKind = z.infer<typeof KeyKind>;

/** Keys in force of each kind that an account may have, whatever its plan: its record has a bound. */
export const MOST_KEYS: Record<KeyKind, number> = {
  license: 500,
  project: 100,
  agent: 100,
  gateway: 50,
  operator: 1,
};

/** What is stored under every key's hash. */
const StoredKey = z.looseObject({ v: z.literal(1), id: z.string(), createdAt: Timestamp });

/** A key that an account lists. That list says whether it is in force. */
const AccountKeyRecord = StoredKey.extend({
  kind: z.enum(["license", "project", "agent", "operator"]),
  accountId: z.string(),
});

/** A key of the module gateway, which needs no account: the record itself says whether it is in force. */
export const GatewayKeyRecord = StoredKey.extend({
  kind: z.literal("gateway"),
  accountId: z.string().nullable(),
  /** Counters use this id. A rotated key keeps it, so that a rotation does not renew the quota. */
  usageId: z.uuid(),
  plan: GatewayPlan,
  owner: z.string(),
  email: z.string(),
  validatedAt: Timestamp.nullable(),
  /** The key is refused from this time on. A rotation with a grace period sets a future time. */
  revokedAt: Timestamp.nullable(),
  /** The last day of use that was noted; calls of the days since may not be in it yet. */
  usedOn: z.iso.date().optional(),
  /** Of a key without an account: the day on which its use was last looked up. */
  checkedOn: z.iso.date().optional(),
});
export type GatewayKeyRecord = z.infer<typeof GatewayKeyRecord>;

export const KeyRecord = z.discriminatedUnion("kind", [AccountKeyRecord, GatewayKeyRecord]);
export type KeyRecord = z.infer<typeof KeyRecord>;

const ListedKey = z.looseObject({
  id: z.string(),
  keyHash: Sha256,
  /** First characters of the key, so that its owner recognizes it. */
  keyHint: z.string(),
  createdAt: Timestamp,
  name: z.string(),
});

/** The agent that a license was issued to, and the account that runs it. */
export const LicensedAgent = z.looseObject({ agentId: z.string(), accountId: z.string(), name: z.string() });
export type LicensedAgent = z.infer<typeof LicensedAgent>;

/** A key as its account lists it. */
export const OwnedKey = z.discriminatedUnion("kind", [
  ListedKey.extend({
    kind: z.literal("license"),
    siteId: Host,
    expiresAt: Timestamp.nullable(),
    /** What it grants of the site's permissions; absent: all of them. */
    permissions: PermissionList.optional(),
    /** Issued on this agent's request. */
    agent: LicensedAgent.optional(),
  }),
  ListedKey.extend({ kind: z.literal("project") }),
  /** `generation`: of the account when the token was issued; a new password or a suspension ends it. */
  ListedKey.extend({ kind: z.literal("agent"), generation: z.int() }),
  ListedKey.extend({ kind: z.literal("gateway") }),
  /** Opens nothing by itself: the account's grant names the key that it is good for (schemas/operator.ts). */
  ListedKey.extend({ kind: z.literal("operator"), generation: z.int() }),
]);
export type OwnedKey = z.infer<typeof OwnedKey>;
export type OwnedLicense = Extract<OwnedKey, { kind: "license" }>;
export type OwnedProject = Extract<OwnedKey, { kind: "project" }>;
export type OwnedAgent = Extract<OwnedKey, { kind: "agent" }>;
export type OwnedOperatorKey = Extract<OwnedKey, { kind: "operator" }>;
export type OwnedGatewayKey = Extract<OwnedKey, { kind: "gateway" }>;
