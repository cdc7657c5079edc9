/** History of a site's verdict or of one of its services: leaves of the log, each of which names the one before it. */
import { VerificationError } from "../errors.ts";
import { concat, hex, sha256, utf8 } from "./bytes.ts";
import { canonicalize } from "./json.ts";
import { type LogState, openNewer, type ProvedLeaf, verifyLeaf } from "./log.ts";

/** A place in a history: the entry that comes next, further back. */
export interface EarlierEntry {
  index: number;
  leaf_sha256: string;
}

export interface ObservationsOptions {
  /** The log's key in note format, from elsewhere than this registry. */
  logKey: string;
  /** Whose history, as `subjects` of the answer names it. Default: the verdict on the site. */
  service?: { protocol: string; endpoint: string };
  /** `next` of the page before. Default: the history begins with its newest entry. */
  follows?: EarlierEntry;
  /** What the log showed last: it must have kept all of it. */
  seen?: LogState | null;
  /** false: the key is this registry's own word. */
  pinned?: boolean;
}

export interface ObservedHistory {
  /** The newest first. */
  entries: { leafIndex: number; entry: Record<string, unknown> }[];
  /** What the next page begins with; null: this was the first entry, or `erased`. */
  next: EarlierEntry | null;
  /** Index of an entry that was erased, which the history cannot be followed beyond; null: none. */
  erased: number | null;
  log: LogState;
}

interface Answer {
  log: { checkpoint: string; consistency_proof: string[] | null };
  subjects: { subject: string; leaf_index: number | null }[];
  subject: string | null;
  entries: ProvedLeaf[];
  next_cursor: string | null;
  erased: number | null;
}

/**
 * Checks a page of `GET /api/registry/sites/{domain}/observations`: each entry is in the log, is about the subject, and none is left
 * out between the newest and the last one. That no newer one is kept from you, nobody can prove: see `confirmed_at`.
 * @param domain canonical: lower case, A-labels
 * @throws VerificationError of the step `bundle`, `log` or `freshness`
 */
export async function verifyObservations(
  answer: unknown,
  domain: string,
  { logKey, service, follows, seen = null, pinned = true }: ObservationsOptions,
): Promise<ObservedHistory> {
  const { log, subjects, subject, entries, next_cursor, erased } = readAnswer(answer, domain);
  const state = await openNewer(log.checkpoint, log.consistency_proof, { logKey, seen, pinned });
  const own = await subjectSha256(domain, service);
  const newest = subjects.find((each) => each.subject === own)?.leaf_index ?? null;
  const first = entries[0]?.leaf_index ?? erased;
  if (subject !== null && subject !== own) return refuse("this is the history of another subject");
  if (follows === undefined && first !== newest)
    return refuse("the history does not begin with its newest entry");
  let expected: EarlierEntry | null | undefined = follows;
  const found: ObservedHistory["entries"] = [];
  for (const proved of entries) {
    const entry = await verifyLeaf(proved, state);
    const kind = service ? "observation" : "verdict";
    if (entry.kind !== kind || entry.subject !== own) return refuse("an entry is about something else");
    const leaf_sha256 = hex(await sha256(concat(Uint8Array.of(0), utf8(proved.leaf))));
    const isNext = expected === undefined || isSame(expected, { index: proved.leaf_index, leaf_sha256 });
    if (!isNext) return refuse("an entry was left out before this one");
    expected = readPrevious(entry.previous, proved.leaf_index);
    found.push({ leafIndex: proved.leaf_index, entry });
  }
  const named = expected?.index ?? null;
  const isEnd = erased === null && next_cursor === (named === null ? null : String(named));
  const isErased = erased !== null && next_cursor === null && (expected === undefined || named === erased);
  if (!isEnd && !isErased) return refuse("the history does not end with its first entry");
  return { entries: found, next: (erased === null && expected) || null, erased, log: state };
}

/** What the log calls a site, or a service of it. @internal */
export async function subjectSha256(host: string, service: ObservationsOptions["service"]): Promise<string> {
  const named = service && { protocol: service.protocol, endpoint: service.endpoint };
  return hex(await sha256(utf8(canonicalize({ host, ...named }))));
}

const isSame = (a: EarlierEntry | null, b: EarlierEntry): boolean =>
  a?.index === b.index && a.leaf_sha256 === b.leaf_sha256;

function readPrevious(previous: unknown, index: number): EarlierEntry | null {
  if (previous === null) return null;
  const { index: earlier, leaf_sha256 } = (previous ?? {}) as Partial<EarlierEntry>;
  const isEarlier = Number.isSafeInteger(earlier) && earlier! >= 0 && earlier! < index;
  if (!isEarlier || typeof leaf_sha256 !== "string") return refuse("an entry names none before it");
  return { index: earlier!, leaf_sha256 };
}

/** The answer, of the form that is documented. */
function readAnswer(answer: unknown, domain: string): Answer {
  if (!isObject(answer) || answer.domain !== domain) return fail(`this is no history of ${domain}`);
  const { log, subjects, subject, entries, next_cursor, erased } = answer;
  const isRight =
    isObject(log) &&
    typeof log.checkpoint === "string" &&
    (log.consistency_proof === null || isTexts(log.consistency_proof)) &&
    isList(subjects, 100, (each) => typeof each.subject === "string" && isIndex(each.leaf_index)) &&
    (subject === null || typeof subject === "string") &&
    isList(
      entries,
      100,
      ({ leaf, leaf_index, salt, entry, inclusion_proof }) =>
        [leaf, salt, entry].every((each) => typeof each === "string") &&
        typeof leaf_index === "number" &&
        isTexts(inclusion_proof),
    ) &&
    (next_cursor === null || typeof next_cursor === "string") &&
    isIndex(erased);
  return isRight ? (answer as unknown as Answer) : fail("members are missing or of another type");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isIndex = (value: unknown): boolean => value === null || typeof value === "number";
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 64 && value.every((each) => typeof each === "string");
const isList = (value: unknown, most: number, isOne: (each: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(value) && value.length <= most && value.every((each) => isObject(each) && isOne(each));

function refuse(message: string): never {
  throw new VerificationError("log", message);
}
function fail(message: string): never {
  throw new VerificationError("bundle", message);
}
