/** What the crawl saw of sites and services, as the transparency log has it: a leaf for each change (docs/trust.md). */
import { z } from "zod";
import { AgentService, OBSERVED_CLASSES, Protocol } from "./agent-web.ts";
import { Host, Sha256, Timestamp, TrustRing } from "./common.ts";
import { SiteState, VerdictReason } from "./verdict.ts";

/** Chains of one host: its verdict, its services, and those that are gone and have no last leaf yet. */
export const MAX_CHAINS = 100;
/** Entries of one page of a history. */
export const MAX_LOGGED_ENTRIES = 20;

const EarlierLeaf = z
  .object({
    index: z.int().min(0).meta({ description: "Of its leaf" }),
    leaf_sha256: Sha256.meta({ description: "SHA-256 of 0x00 ‖ leaf: its hash in the tree" }),
  })
  .nullable()
  .meta({ description: "The entry before it of the same subject; null: the first one" });
export type EarlierLeaf = z.infer<typeof EarlierLeaf>;

const head = {
  v: z.literal(1),
  id: z.string().max(64),
  at: Timestamp,
  /** SHA-256 of the RFC 8785 form of {host, protocol, endpoint}; of {host} where it is a site's verdict. */
  subject: Sha256,
  previous: EarlierLeaf,
};

/** What was seen of a service: closed words and digests, nothing of what it says itself. */
export const ObservedState = z.object({
  kind: z.literal("observation"),
  class: z.enum([...OBSERVED_CLASSES, "withdrawn"]),
  auth: AgentService.shape.auth,
  /** SHA-256 of the RFC 8785 form of {name, revision}; null: it said neither. */
  identity_sha256: Sha256.nullable(),
  tools_sha256: z.string().max(64).nullable(),
});

/** What a site's verdict was. */
export const JudgedState = z.object({
  kind: z.literal("verdict"),
  state: SiteState,
  reason: VerdictReason,
  ring: TrustRing,
});

export type LoggedState = z.infer<typeof ObservedState> | z.infer<typeof JudgedState>;

export const ChangeEntry = z.discriminatedUnion("kind", [
  z.object({ ...head, ...ObservedState.shape }),
  z.object({ ...head, ...JudgedState.shape }),
]);
export type ChangeEntry = z.infer<typeof ChangeEntry>;

/** A service by what identifies it; null: the site itself. */
export const ServiceName = z.object({ protocol: Protocol, endpoint: z.string().max(2_048) }).nullable();
export type ServiceName = z.infer<typeof ServiceName>;

/** What the log has of one subject. */
export const LoggedChain = z.looseObject({
  service: ServiceName,
  /** The newest leaf, with a digest of the state that it says. */
  newest: z.object({ index: z.int().min(0), leaf_sha256: Sha256, state_sha256: Sha256 }).nullable(),
  /** An entry that is on its way into the log: written down first, so that who repeats it appends the very same. */
  pending: z.string().optional(),
});
export type LoggedChain = z.infer<typeof LoggedChain>;

/** Where the log has a host's verdict and services. Written by the crawler alone, and forgotten with the host. */
export const LoggedHost = z.looseObject({ v: z.literal(1), host: Host, chains: z.array(LoggedChain) });
export type LoggedHost = z.infer<typeof LoggedHost>;

const Subject = z.object({
  subject: Sha256,
  service: ServiceName.meta({ description: "null: the verdict on the site" }),
  leaf_index: z.int().min(0).nullable().meta({ description: "Of its newest leaf; null: none yet" }),
  waits: z.boolean().meta({
    description:
      "It is otherwise by now, and the log will say so: a host has at most ten leaves a day (limit logged_changes)",
  }),
  confirmed_at: Timestamp.nullable().meta({
    description:
      "When it was last seen as its newest leaf says, on the registry's word: what stays the same has no leaf. null: not known",
  }),
});

const LoggedEntry = z
  .object({
    leaf_index: z.int().min(0),
    leaf: z.string().meta({ description: "What the tree hashes, byte for byte" }),
    salt: z.string().meta({ description: "Base64 of the salt that the leaf commits with" }),
    entry: z.string().meta({ description: "The entry, byte for byte: RFC 8785 JSON" }),
    inclusion_proof: z.array(z.string()).meta({ description: "Nearest sibling first, in base64" }),
  })
  .meta({ id: "ProvedEntry" });

export const SiteObservations = z
  .object({
    domain: z.string(),
    log: z.object({
      checkpoint: z.string().meta({ description: "Signed note that all proofs are for" }),
      consistency_proof: z
        .array(z.string())
        .nullable()
        .meta({ description: "From the log of `log_size` entries" }),
    }),
    subjects: z.array(Subject).max(MAX_CHAINS),
    subject: Sha256.nullable().meta({ description: "Whose entries these are; null: the log has none yet" }),
    entries: z
      .array(LoggedEntry)
      .max(MAX_LOGGED_ENTRIES)
      .meta({ description: "The newest first; each names the one before it" }),
    next_cursor: z.string().nullable().meta({ description: "Index of the next entry; null: that was all" }),
    erased: z
      .int()
      .nullable()
      .meta({ description: "Index of an entry that was erased: the history cannot be followed beyond it" }),
  })
  .meta({ id: "SiteObservations" });
export type SiteObservations = z.infer<typeof SiteObservations>;
