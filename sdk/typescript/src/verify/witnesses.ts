/**
 * Checkpoints that witnesses cosigned (C2SP tlog-cosignature, the Ed25519 form), judged by a policy file (C2SP tlog-policy):
 * a log that shows two histories needs a quorum of witnesses that lie with it.
 */
import { VerificationError } from "../errors.ts";
import { type Bytes, concat, fromBase64, hex, sha256, utf8 } from "./bytes.ts";
import { isUsableKey, verifyEd25519 } from "./ed25519.ts";
import { type LogState, openCheckpoint } from "./log.ts";

/** A checkpoint's state, and who vouches for it. */
export interface WitnessedState extends LogState {
  /** The policy's name of a witness → when it cosigned, in seconds since 1970. */
  witnesses: Record<string, number>;
}

interface Witness {
  /** Of its key: what stands before the signature. */
  keyName: string;
  id: string;
  key: Bytes;
}

interface Group {
  /** How many of the members must vouch. */
  needed: number;
  members: string[];
}

interface Policy {
  /** In note format. */
  logs: Map<string, string>;
  witnesses: Map<string, Witness>;
  groups: Map<string, Group>;
  quorum: string;
}

/** The types of keys in note format (C2SP signed-note). */
const LOG_KEY = 1;
const WITNESS_KEY = 4;
const MAX_POLICY = 65_536;
const MAX_LINES = 1_024;
/** A name that policies predefine: nobody. */
const NONE = "none";

/**
 * The state that a checkpoint shows, signed by a log of the policy and cosigned by its quorum.
 * @param note the checkpoint with its cosignatures
 * @param policy the text of a policy file, which you keep from elsewhere than this registry
 * @param now milliseconds since 1970: cosignatures of a later time do not count
 * @throws VerificationError of the step `policy` where the policy is wrong, `log` where no log of it signed, and
 * `witnesses` where the quorum is not reached
 */
export async function verifyCheckpoint(
  note: string,
  policy: string,
  now: () => number = Date.now,
): Promise<WitnessedState> {
  const { logs, witnesses, groups, quorum } = await readPolicy(policy);
  const logKey = logs.get(note.split("\n", 1)[0]!);
  if (!logKey) throw new VerificationError("log", "the checkpoint is of no log of the policy");
  const state = await openCheckpoint(note, logKey);
  const found = await cosignersOf(note, witnesses, Math.floor(now() / 1_000));
  const vouches = (name: string): boolean => {
    const group = groups.get(name);
    return group ? group.members.filter(vouches).length >= group.needed : found.has(name);
  };
  if (quorum !== NONE && !vouches(quorum))
    throw new VerificationError(
      "witnesses",
      `too few witnesses cosigned the checkpoint for ${quorum}: ${[...found.keys()].join(", ") || "none"}`,
    );
  return { ...state, witnesses: Object.fromEntries(found) };
}

/** Who cosigned: name in the policy → seconds. Lines of others are ignored, and so are wrong ones and later ones. */
async function cosignersOf(
  note: string,
  witnesses: ReadonlyMap<string, Witness>,
  nowSeconds: number,
): Promise<Map<string, number>> {
  const end = note.indexOf("\n\n");
  const body = note.slice(0, end + 1);
  const byKey = new Map([...witnesses].map(([name, { keyName, id }]) => [`${keyName} ${id}`, name]));
  const found = new Map<string, number>();
  for (const line of note.slice(end + 2).split("\n")) {
    const [, keyName, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    // Key id, time, signature.
    if (bytes?.length !== 4 + 8 + 64) continue;
    const name = byKey.get(`${keyName} ${hex(bytes.slice(0, 4))}`);
    const time = new DataView(bytes.buffer).getBigUint64(4);
    if (name === undefined || time > BigInt(nowSeconds)) continue;
    const message = utf8(`cosignature/v1\ntime ${time}\n${body}`);
    if (await verifyEd25519(witnesses.get(name)!.key, message, bytes.slice(12)))
      found.set(name, Number(time));
  }
  return found;
}

/** A policy file: lines of log, witness, group and quorum, each name defined before it is used. */
export async function readPolicy(text: string): Promise<Policy> {
  const lines = text.split("\n").map((line) => line.split(/[ \t]+/).filter((item) => item !== ""));
  if (text.length > MAX_POLICY || lines.length > MAX_LINES) return refuse("it is too long");
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) return refuse("it contains control characters");
  const policy = { logs: new Map(), witnesses: new Map(), groups: new Map(), quorum: "" } as Policy;
  const names = new Set([NONE]);
  const keys = new Set<string>();
  const members = new Set<string>();
  for (const [kind, ...items] of lines) {
    if (kind === undefined || kind.startsWith("#")) continue;
    if (kind === "log") await readLog(items, policy, keys);
    else if (kind === "witness") await readWitness(items, policy, names, keys);
    else if (kind === "group") readGroup(items, policy, names, members);
    else if (kind !== "quorum") refuse(`it has a line that begins with ${kind}`);
    else if (policy.quorum || items.length !== 1) refuse("it needs one quorum line, of one name");
    else if (!names.has(items[0]!)) refuse(`its quorum ${items[0]} is not defined before`);
    else policy.quorum = items[0]!;
  }
  return policy.quorum ? policy : refuse("it has no quorum line");
}

async function readLog([key, ...rest]: string[], { logs }: Policy, keys: Set<string>): Promise<void> {
  const { keyName } = await readKey(key, LOG_KEY, keys);
  if (rest.length > 1 || logs.has(keyName)) refuse(`its line of the log ${keyName} is wrong`);
  logs.set(keyName, key!);
}

async function readWitness(
  [name, key, ...rest]: string[],
  { witnesses }: Policy,
  names: Set<string>,
  keys: Set<string>,
): Promise<void> {
  if (rest.length > 1) refuse(`its line of the witness ${name} is wrong`);
  witnesses.set(newName(name, names), await readKey(key, WITNESS_KEY, keys));
}

function readGroup(
  [name, threshold, ...members]: string[],
  { groups }: Policy,
  names: Set<string>,
  taken: Set<string>,
): void {
  for (const member of members) {
    if (member === NONE || !names.has(member)) refuse(`${member} of the group ${name} is not defined before`);
    // Else one witness would count twice.
    if (taken.has(member)) refuse(`${member} is a member twice`);
    taken.add(member);
  }
  const words: Record<string, number> = { all: members.length, any: 1 };
  const isWord = threshold === "all" || threshold === "any";
  const isNumber = /^[1-9]\d{0,3}$/.test(threshold ?? "");
  const needed = isWord ? words[threshold]! : isNumber ? Number(threshold) : 0;
  if (needed < 1 || needed > members.length) refuse(`the group ${name} needs 1 to all of its members`);
  groups.set(newName(name, names), { needed, members });
}

function newName(name: string | undefined, names: Set<string>): string {
  if (name === undefined || names.has(name)) return refuse(`it defines ${name} twice`);
  names.add(name);
  return name;
}

/** `<name>+<key id>+<base64 of type ‖ key>` (C2SP signed-note) */
async function readKey(text: string | undefined, type: number, known: Set<string>): Promise<Witness> {
  const [, keyName, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text ?? "") ?? [];
  const typed = fromBase64(encoded);
  if (!keyName || !id || typed?.[0] !== type) return refuse(`${text} is no Ed25519 key of its kind`);
  const key = typed.slice(1);
  const own = hex(await sha256(concat(utf8(`${keyName}\n`), typed))).slice(0, 8);
  const identity = `${type} ${hex(key)}`;
  if (own !== id || !isUsableKey(key) || known.has(identity))
    return refuse(`${text} is wrong or there twice`);
  known.add(identity);
  return { keyName, id, key };
}

function refuse(message: string): never {
  throw new VerificationError("policy", `the policy cannot be used: ${message}`);
}
