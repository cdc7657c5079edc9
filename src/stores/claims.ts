/**
 * What third parties say of hosts (docs/decisions/0199): a record a host, which a visit reads at once; one for each entry of a
 * source, by which a second import knows it again; and how far each source has been read.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import { Claim, IMPORT_OUTCOMES, OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { allRecords, openRecords, type Records } from "./records.ts";

/** Of one host: a platform's host may be named by thousands of entries. */
const MAX_CLAIMS = 50;
/** Characters of a host's claims as JSON; the bucket takes 64 KiB, and a character has up to three bytes in it. */
const MAX_CLAIM_CHARS = 20_000;
/** The same of one source other than the official registry: it leaves the others their room. */
const MAX_CLAIMS_OF_SOURCE = 10;
const MAX_CHARS_OF_SOURCE = 5_000;

const HostClaims = z.looseObject({ v: z.literal(1), host: Host, claims: z.array(Claim).max(MAX_CLAIMS) });
type HostClaims = z.infer<typeof HostClaims>;

/** An entry as it was taken; its claims are with its hosts. */
const ImportedEntry = z.looseObject({
  v: z.literal(1),
  source: z.string(),
  id: z.string(),
  /** Of what its claims say. */
  sha256: z.string(),
  hosts: z.array(Host),
  updated_at: Timestamp.nullable(),
  /** The pass that took it, and what it said of it: the same if the page is read again after an end in the middle. */
  pass: Timestamp,
  outcome: z.enum(IMPORT_OUTCOMES),
});
type ImportedEntry = z.infer<typeof ImportedEntry>;

/** What is wrong with the log of a source. */
export const LOG_FAULTS = {
  unreadable: "its log or the proof that it grew cannot be read, or not in time",
  other_key: "its checkpoint is not signed by the key of its log that was seen first",
  smaller: "its log has fewer entries than it had",
  fork: "its log is not the one that was seen before: two histories were signed, or its tiles are false",
} as const;
export type LogFault = keyof typeof LOG_FAULTS;

/** The transparency log of a source, as it was seen. */
const SeenLog = z.looseObject({
  /** In note format; checkpoints of another are none of this log. */
  key: z.string().max(500),
  /** The newest checkpoint that extends all that were seen before it, its leaves, and when it was seen; null: none yet. */
  note: z.string().nullable(),
  size: z.int().min(0),
  seen_at: Timestamp.nullable(),
  /** What the last look found, since when, and of a fork the other checkpoint. null: all is well. */
  fault: z
    .looseObject({
      kind: z.enum(Object.keys(LOG_FAULTS) as [LogFault, ...LogFault[]]),
      since: Timestamp,
      note: z.string().nullable(),
    })
    .nullable(),
});
export type SeenLog = z.infer<typeof SeenLog>;

/** How far a source was read, and what came of it. A pass reads it from its first page to its last. */
const ImportState = z.looseObject({
  v: z.literal(1),
  source: z.string(),
  /** Address of the registry, or `sha256:` of a file. */
  from: z.string(),
  /** Where the pass goes on; null: it is over. */
  cursor: z.string().nullable(),
  pages: z.int().min(0),
  /** The pass asks for what changed since then; null: for everything. */
  since: Timestamp.nullable(),
  begun_at: Timestamp,
  ended_at: Timestamp.nullable(),
  /** Last page, or begin of a run. */
  attempted_at: Timestamp,
  /** Since when whatever was left for the caps has to be asked for again, and on which day (UTC, yyyymmdd) it was left. */
  left: z.looseObject({ since: Timestamp.nullable(), day: z.string() }).nullable(),
  /** New and changed entries of a day. */
  taken: z.looseObject({ day: z.string(), entries: z.int().min(0) }),
  /** Of the pass: entries by outcome, and the refused ones by reason. */
  outcomes: z.partialRecord(z.enum(IMPORT_OUTCOMES), z.int().min(0)),
  refused: z.record(z.string(), z.int().min(0)),
  /** Entries of it that are kept. */
  held: z.int().min(0).optional(),
  log: SeenLog.optional(),
  /** Why it does not go on, for a person. */
  trouble: z.string().max(500).nullable(),
});
export type ImportState = z.infer<typeof ImportState>;

export interface ClaimStore {
  /** What third parties say of a host; nothing of this was checked. */
  claimsOf(host: string): Promise<Claim[]>;
  importState: { get(source: string): Promise<ImportState | undefined>; all(): Promise<ImportState[]> };
  hosts: Records<HostClaims>;
  entries: Records<ImportedEntry>;
  imports: Records<ImportState>;
}

export function openClaims({ claims }: Pick<Broker["buckets"], "claims">): ClaimStore {
  const hosts = openRecords(claims, HostClaims);
  const imports = openRecords(claims, ImportState);
  return {
    claimsOf: async (host) => (await hosts.get(hostClaimsKey(host)))?.value.claims ?? [],
    importState: {
      get: async (source) => (await imports.get(importKey(source)))?.value,
      all: () => allRecords({ ...imports, keys: () => imports.keys("import.*") }),
    },
    hosts,
    entries: openRecords(claims, ImportedEntry),
    imports,
  };
}

/** Names may hold what no key may. */
export const entryKey = (source: string, id: string): string =>
  `entry.${hash("sha256", JSON.stringify([source, id]), "base64url")}`;
export const importKey = (source: string): string => `import.${hash("sha256", source, "base64url")}`;
const hostClaimsKey = (host: string): string => `host.${hostKey(host)}`;

/** Whether a host has room for a claim, in the place of the one of the same entry. */
export async function hasRoomFor({ hosts }: Pick<ClaimStore, "hosts">, claim: Claim): Promise<boolean> {
  return withClaim((await hosts.get(hostClaimsKey(claim.host)))?.value, claim) !== undefined;
}

/** Puts a claim in the place of the one of the same entry. @returns false if its host has no room for it */
export async function putClaim({ hosts }: Pick<ClaimStore, "hosts">, claim: Claim): Promise<boolean> {
  const done = await hosts.update(hostClaimsKey(claim.host), (before) => {
    const next = withClaim(before, claim);
    return next ? { next, result: true } : { result: false };
  });
  if (done === undefined) throw new Error("the claims of one host changed under every attempt");
  return done;
}

/** The official registry's claims come first: where only some are heeded, no other source displaces them. */
function withClaim(before: HostClaims | undefined, claim: Claim): HostClaims | undefined {
  const { source } = claim;
  const others = (before?.claims ?? []).filter((each) => !isOfEntry(each, claim));
  const claims = [...others, claim].sort((a, b) => Number(isOfficial(b)) - Number(isOfficial(a)));
  const own = claims.filter((each) => each.source === source);
  const fits =
    isWithin(claims, MAX_CLAIMS, MAX_CLAIM_CHARS) &&
    (isOfficial(claim) || isWithin(own, MAX_CLAIMS_OF_SOURCE, MAX_CHARS_OF_SOURCE));
  return fits ? { v: 1, host: claim.host, claims } : undefined;
}

const isOfficial = ({ source }: Pick<Claim, "source">): boolean => source === OFFICIAL_SOURCE;

const isWithin = (claims: readonly Claim[], most: number, chars: number): boolean =>
  claims.length <= most && JSON.stringify(claims).length <= chars;

/** Takes the claim of an entry away from a host. */
export async function removeClaim(
  { hosts }: Pick<ClaimStore, "hosts">,
  host: string,
  entry: Pick<Claim, "source" | "id">,
): Promise<void> {
  const key = hostClaimsKey(host);
  for (;;) {
    const stored = await hosts.get(key);
    const claims = stored?.value.claims.filter((each) => !isOfEntry(each, entry));
    if (!stored || !claims || claims.length === stored.value.claims.length) return;
    const { revision } = stored;
    const done =
      claims.length === 0
        ? await hosts.removeRevision(key, revision)
        : (await hosts.compareAndSet(key, { ...stored.value, claims }, revision)) !== undefined;
    if (done) return;
  }
}

const isOfEntry = (claim: Claim, { source, id }: Pick<Claim, "source" | "id">): boolean =>
  claim.source === source && claim.id === id;
