/**
 * A policy of witnesses (C2SP tlog-policy): lines of `log`, `witness`, `group` and `quorum`, each name defined before it is
 * used. A policy that cannot be read is refused whole, and never taken for a weaker one.
 */
import { COSIGNATURE, formatNoteKey, type NoteKey, parseNoteKey } from "./note.ts";

export interface Witness {
  /** In the policy. */
  name: string;
  key: NoteKey;
  /** Its submission prefix, without a final slash. */
  address: string | undefined;
}

export interface WitnessPolicy {
  /** Keys of the logs that it is for, in note format; none: for any. */
  logs: readonly string[];
  witnesses: readonly Witness[];
  /** Whether witnesses of these names are enough. */
  isReachedBy(names: ReadonlySet<string>): boolean;
}

export type ReadPolicy = { ok: true; policy: WitnessPolicy } | { ok: false; reason: string };

interface Group {
  /** How many of the members must vouch. */
  needed: number;
  members: readonly string[];
}

interface Draft {
  logs: NoteKey[];
  witnesses: Map<string, Witness>;
  groups: Map<string, Group>;
  /** Members of groups: each of one, so that no witness counts twice. */
  members: Set<string>;
  quorum: string | undefined;
}

const MAX_CHARACTERS = 65_536;
const MAX_LINES = 1_024;
/** Each is a line of every checkpoint. C2SP tlog-policy asks for 32. */
const MAX_WITNESSES = 32;
/** A name that every policy has: nobody. */
const NONE = "none";

export function parseWitnessPolicy(text: string): ReadPolicy {
  const lines = text.split("\n");
  if (text.length > MAX_CHARACTERS || lines.length > MAX_LINES)
    return { ok: false, reason: "it is too long" };
  const draft: Draft = {
    logs: [],
    witnesses: new Map(),
    groups: new Map(),
    members: new Set(),
    quorum: undefined,
  };
  for (const [at, line] of lines.entries()) {
    const [kind, ...items] = line.split(/[ \t]+/).filter((item) => item !== "");
    if (kind === undefined || kind.startsWith("#")) continue;
    const reason = hasControls(line) ? "control characters" : readLine(kind, items, draft);
    if (reason !== undefined) return { ok: false, reason: `line ${at + 1}: ${reason}` };
  }
  const { quorum, witnesses, logs } = draft;
  if (quorum === undefined) return { ok: false, reason: "it has no quorum line" };
  const policy: WitnessPolicy = {
    logs: logs.map((key) => formatNoteKey(key)),
    witnesses: [...witnesses.values()],
    isReachedBy: (names) => quorum === NONE || vouches(quorum, draft.groups, names),
  };
  return { ok: true, policy };
}

const hasControls = (line: string): boolean => /[\0-\x08\x0b-\x1f\x7f]/.test(line);

/** Groups are of names above them: there is no circle. */
function vouches(name: string, groups: ReadonlyMap<string, Group>, names: ReadonlySet<string>): boolean {
  const group = groups.get(name);
  if (!group) return names.has(name);
  return group.members.filter((member) => vouches(member, groups, names)).length >= group.needed;
}

/** @returns what is wrong with the line */
function readLine(kind: string, items: readonly string[], draft: Draft): string | undefined {
  if (kind === "log") return readLog(items, draft);
  if (kind === "witness") return readWitness(items, draft);
  if (kind === "group") return readGroup(items, draft);
  if (kind !== "quorum") return `${kind} is not log, witness, group or quorum`;
  const [name] = items;
  if (name === undefined || items.length > 1 || draft.quorum !== undefined)
    return "a policy has one quorum line, of one name";
  if (name !== NONE && !isDefined(name, draft)) return `${name} is not defined above`;
  draft.quorum = name;
  return undefined;
}

const isDefined = (name: string, { witnesses, groups }: Draft): boolean =>
  witnesses.has(name) || groups.has(name);

/** `log <key> [<address>]` */
function readLog(items: readonly string[], { logs }: Draft): string | undefined {
  const key = parseNoteKey(items[0] ?? "");
  if (!key || items.length > 2) return "must be log <key> [<address>], with an Ed25519 key";
  if (logs.some((known) => isSameKey(known, key))) return "this log is there twice";
  logs.push(key);
  return undefined;
}

/** `witness <name> <key> [<address>]` */
function readWitness(items: readonly string[], draft: Draft): string | undefined {
  const [name, keyText, address] = items;
  const key = parseNoteKey(keyText ?? "", COSIGNATURE);
  if (name === undefined || !key || items.length > 3)
    return "must be witness <name> <key> [<address>], with an Ed25519 key for cosignatures";
  if (name === NONE || isDefined(name, draft)) return `${name} is defined twice`;
  const { witnesses } = draft;
  // The cosigned message has no name in it: one key is one witness.
  if ([...witnesses.values()].some((known) => isSameKey(known.key, key))) return "this key is there twice";
  if (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    return `${address} is no web address`;
  if (witnesses.size === MAX_WITNESSES) return `more than ${MAX_WITNESSES} witnesses`;
  witnesses.set(name, { name, key, address: address?.endsWith("/") ? address.slice(0, -1) : address });
  return undefined;
}

const isSameKey = (a: NoteKey, b: NoteKey): boolean => Buffer.compare(a.publicKey, b.publicKey) === 0;

/** `group <name> all|any|<number> <name>…` */
function readGroup(items: readonly string[], draft: Draft): string | undefined {
  const [name, threshold, ...members] = items;
  if (name === undefined || threshold === undefined || members.length === 0)
    return "must be group <name> all|any|<number> <name>…";
  if (name === NONE || isDefined(name, draft)) return `${name} is defined twice`;
  for (const member of members) {
    if (!isDefined(member, draft)) return `${member} is not defined above`;
    if (draft.members.has(member)) return `${member} is a member twice`;
    draft.members.add(member);
  }
  const needed = threshold === "all" ? members.length : threshold === "any" ? 1 : countOf(threshold);
  if (needed < 1 || needed > members.length) return `needs 1 to ${members.length} of its members`;
  draft.groups.set(name, { needed, members });
  return undefined;
}

const countOf = (text: string): number => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0);
