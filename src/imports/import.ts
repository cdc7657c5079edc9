/**
 * Reads a list of others' entries and keeps what it says of hosts (docs/decisions/0199). Each page is taken whole, and then where to
 * go on is written: after an end at any moment at most one page is read again, whose entries say what they said before.
 */
import { hash } from "node:crypto";
import { setImmediate as nextLoopTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { type ImportOutcome, OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import { countEntries } from "../agent-web/counts.ts";
import { registrableDomain } from "../domain/names/domain-name.ts";
import { periodOf } from "../ports/counters.ts";
import type { Frontier } from "../ports/frontier.ts";
import { HOUR_MS, iso } from "../ports/time.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { hostBlock } from "../stores/block-list.ts";
import {
  type ClaimStore,
  entryKey,
  hasRoomFor,
  type ImportState,
  importKey,
  putClaim,
  removeClaim,
  type SeenLog,
} from "../stores/claims.ts";
import type { Entry, EntryClaim, EntryRefusal, ParsedEntry } from "./entry.ts";
import { logOfKey } from "./seen-log.ts";

/** New hosts of entries a source, registrable domain and day: one owner lists two thousand. */
const MAX_OF_DOMAIN = 50;
/** New and changed entries a day. */
const MAX_OF_DAY = 100_000;
/** Entries that are kept of one source other than the official registry: one that invents them fills no store. */
const MAX_OF_SOURCE = 100_000;
/** Pages of one pass: a registry that never ends is not read for ever. */
const MAX_PAGES = 20_000;
/** What changed in the last hour before a pass is asked for again: the registry's clock is another. */
const OVERLAP_MS = HOUR_MS;
/** Entries that are parsed in one turn of the event loop: of up to 64 KiB each, some milliseconds. */
const ENTRIES_A_TURN = 16;
/** Entries that are taken at once. */
const AT_ONCE = 32;

export type ImportPage =
  | { ok: true; entries: unknown[]; next: string | undefined }
  /** `isLost`: the source knows the cursor no more. */
  | { ok: false; trouble: string; isLost?: boolean };

/** A list that is read page by page. */
export interface ImportSource {
  /** Name in claims. */
  name: string;
  /** Its address, or the digest of its file. */
  from: string;
  /** Whether it can be asked for what changed. */
  hasChanges: boolean;
  parse(value: unknown): ParsedEntry;
  /** @param cursor empty: the first page; otherwise as the page before named it */
  page(cursor: string, since: string | null, signal: AbortSignal): Promise<ImportPage>;
  /** Looks at its transparency log. @returns what is known of it now; undefined: it never showed one */
  log?(known: SeenLog | undefined, signal: AbortSignal): Promise<SeenLog | undefined>;
}

export interface ImportDeps {
  claims: ClaimStore;
  frontier: Pick<Frontier, "add" | "bringForward" | "has">;
  blocks: Pick<Runtime["blocks"], "get">;
  counters: Pick<Runtime["broker"]["counters"], "add">;
  /** Broker milliseconds. */
  now: () => number;
  /** Other caps than the program's own: for tests. */
  caps?: { domain: number; day: number; source?: number };
}

export interface ImportOptions {
  signal: AbortSignal;
  /** Told after every page. */
  onPage?: (state: ImportState) => void;
  /** Begins anew with the source's log, which has this key, in note format. */
  logKey?: string;
}

interface Pass extends ImportDeps {
  source: ImportSource;
  /** When it began: entries remember it. */
  begun: string;
  /** New and changed entries that the day has room for. */
  room: number;
  /** Entries of the source that are kept. */
  held: number;
}

/** What became of one entry. */
interface Taken {
  outcome: ImportOutcome;
  reason?: EntryRefusal;
  /** Something of it was left for a later day. */
  isLeft?: true;
}

/** Thrown inside a page when the day has no more room: the page is read again tomorrow. */
class DayIsFull extends Error {}

/**
 * Goes on with a source, or begins it anew where it was read to its end.
 * @returns its state: `trouble` says why it did not come to the end
 */
export async function runImport(
  deps: ImportDeps,
  source: ImportSource,
  { signal, onPage, logKey }: ImportOptions,
): Promise<ImportState> {
  const key = importKey(source.name);
  const stored = await deps.claims.imports.get(key);
  let state = nextState(stored?.value, source, deps.now());
  let revision = stored?.revision ?? 0;
  const write = async (next: ImportState): Promise<boolean> => {
    const written = await deps.claims.imports.compareAndSet(key, next, revision);
    if (written === undefined) return false;
    revision = written;
    state = next;
    onPage?.(state);
    return true;
  };
  let isOurs = await write(state);
  const log = isOurs && (await source.log?.(logKey === undefined ? state.log : logOfKey(logKey), signal));
  if (log) isOurs = await write({ ...state, log });
  const seen = new Set<string>();
  while (isOurs && state.cursor !== null && !signal.aborted) {
    const next = await pageAfter(deps, source, state, seen, signal);
    if (signal.aborted && next.trouble !== null) break;
    const { outcomes } = state;
    if (!(await write(next))) return { ...state, trouble: "Another process imports this source." };
    await countEntries(deps.counters, outcomes, next.outcomes);
    if (state.trouble !== null) break;
  }
  return isOurs ? state : { ...state, trouble: "Another process imports this source." };
}

/** The state that a run begins with: the stored pass goes on, or a new one begins. */
function nextState(before: ImportState | undefined, source: ImportSource, now: number): ImportState {
  const at = iso(now);
  const day = periodOf("day", now);
  const taken = before?.taken.day === day ? before.taken : { day, entries: 0 };
  const same = before?.from === source.from ? before : undefined;
  if (same && same.cursor !== null) return { ...same, taken, attempted_at: at, trouble: null };
  const isLeftDue = same?.left ? same.left.day !== day : false;
  return {
    v: 1,
    source: source.name,
    from: source.from,
    cursor: "",
    pages: 0,
    since: source.hasChanges && same ? (isLeftDue ? same.left!.since : sinceAfter(same)) : null,
    begun_at: at,
    ended_at: null,
    attempted_at: at,
    left: isLeftDue ? null : (same?.left ?? null),
    taken,
    outcomes: {},
    refused: {},
    held: same?.held ?? 0,
    ...(same?.log && { log: same.log }),
    trouble: null,
  };
}

/** What the pass after one asks for: what changed since that one began, if it came to its end. */
const sinceAfter = ({ since, begun_at, ended_at }: ImportState): string | null =>
  ended_at === null ? since : iso(Date.parse(begun_at) - OVERLAP_MS);

/** The state after one more page. */
async function pageAfter(
  deps: ImportDeps,
  source: ImportSource,
  state: ImportState,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<ImportState> {
  const cursor = state.cursor ?? "";
  if (seen.has(cursor) || state.pages >= MAX_PAGES)
    return { ...state, cursor: null, trouble: "The registry's pages do not end: it is read anew next time." };
  seen.add(cursor);
  const day = periodOf("day", deps.now());
  const most = deps.caps?.day ?? MAX_OF_DAY;
  const before = state.taken.day === day ? state.taken.entries : 0;
  const page = await source.page(cursor, state.since, signal);
  if (!page.ok)
    return { ...state, ...(page.isLost && { cursor: null }), trouble: page.trouble.slice(0, 500) };
  const pass: Pass = { ...deps, source, begun: state.begun_at, room: most - before, held: state.held ?? 0 };
  const all = await takePage(pass, page.entries);
  const taken = { day, entries: most - pass.room };
  if (!all) {
    const full = `The ${most.toLocaleString("en-US")} entries of today are taken: run it again tomorrow.`;
    return { ...state, taken, held: pass.held, trouble: full };
  }
  const isOver = page.next === undefined;
  return {
    ...counted(state, all),
    cursor: page.next ?? null,
    attempted_at: iso(deps.now()),
    pages: state.pages + 1,
    ended_at: isOver ? iso(deps.now()) : null,
    left: all.some(({ isLeft }) => isLeft) ? { since: (state.left ?? state).since, day } : state.left,
    taken,
    held: pass.held,
  };
}

function counted(state: ImportState, all: readonly Taken[]): ImportState {
  const outcomes = { ...state.outcomes };
  const refused = { ...state.refused };
  for (const { outcome, reason } of all) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (reason) refused[reason] = (refused[reason] ?? 0) + 1;
  }
  return { ...state, outcomes, refused };
}

/** Takes the entries of a page, those of one id in their order. @returns undefined where the day has no room for all */
async function takePage(pass: Pass, values: readonly unknown[]): Promise<Taken[] | undefined> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const parsed = await parsedInTurns(pass.source, values);
  const faults = parsed.flatMap((each) => (each.ok ? [] : [refused(each.reason)]));
  const byId = Map.groupBy(
    parsed.flatMap((each) => (each.ok ? [each.entry] : [])),
    ({ id }) => id,
  );
  const takeInOrder = async (entries: readonly Entry[]): Promise<Taken[]> => {
    const taken: Taken[] = [];
    for (const entry of entries) taken.push(await take(pass, entry));
    return taken;
  };
  const done = await Promise.allSettled([...byId.values()].map((each) => queue.add(() => takeInOrder(each))));
  const failed = done.filter((each) => each.status === "rejected").map(({ reason }) => reason as unknown);
  const worse = failed.find((error) => !(error instanceof DayIsFull));
  if (worse !== undefined) throw worse;
  if (failed.length > 0) return undefined;
  return [...faults, ...done.flatMap((each) => (each.status === "fulfilled" ? each.value : []))];
}

async function parsedInTurns({ parse }: ImportSource, values: readonly unknown[]): Promise<ParsedEntry[]> {
  const parsed: ParsedEntry[] = [];
  for (const value of values) {
    if (parsed.length % ENTRIES_A_TURN === 0) await nextLoopTurn();
    parsed.push(parse(value));
  }
  return parsed;
}

const refused = (reason: EntryRefusal): Taken => ({ outcome: "refused", reason });

function take(pass: Pass, entry: Entry): Promise<Taken> {
  const isBare = entry.hosts.length > 0 && entry.hosts.every(({ claim }) => claim === undefined);
  return isBare ? takeHost(pass, entry.hosts[0]!.host) : takeEntry(pass, entry);
}

/** A host of which nothing is claimed: the frontier knows it, or learns it. */
async function takeHost(pass: Pass, host: string): Promise<Taken> {
  if (await hostBlock(pass.blocks, host)) return refused("blocked");
  if (await pass.frontier.has(host)) return { outcome: "known" };
  if (!(await charge(pass, host))) return { ...refused("over_domain_cap"), isLeft: true };
  useRoom(pass);
  return { outcome: (await addHost(pass, host)) ? "new" : "known" };
}

async function takeEntry(pass: Pass, entry: Entry): Promise<Taken> {
  const { claims, source, begun } = pass;
  const { id, updatedAt } = entry;
  if (!entry.isLatest) return { outcome: "older" };
  const key = entryKey(source.name, id);
  const before = (await claims.entries.get(key))?.value;
  if (updatedAt && before?.updated_at && updatedAt < before.updated_at) return { outcome: "older" };
  const of = { source: source.name, id };
  if (entry.isDeleted || entry.refusal) {
    await withdraw(pass, before?.hosts ?? [], of);
    if (before) await forget(pass, key);
    return entry.refusal ? refused(entry.refusal) : { outcome: "deleted" };
  }
  const sha256 = hash("sha256", JSON.stringify(entry.hosts));
  if (before?.sha256 === sha256) return { outcome: before.pass === begun ? before.outcome : "known" };
  if (!before && isFull(pass)) return refused("over_source_cap");
  useRoom(pass);
  if (!before) pass.held++;
  const kept = await claimHosts(pass, entry, before?.hosts ?? []);
  await withdraw(
    pass,
    (before?.hosts ?? []).filter((host) => !kept.hosts.includes(host)),
    of,
  );
  if (kept.hosts.length === 0) {
    pass.room++;
    if (before) await forget(pass, key);
    else pass.held--;
    return { ...refused(kept.reason ?? "blocked"), ...(kept.isLeft && { isLeft: true }) };
  }
  const outcome = before ? "changed" : "new";
  const { hosts, isLeft } = kept;
  // Of what is left for a later day, this is not the digest.
  const digest = isLeft ? "" : sha256;
  await claims.entries.put(key, {
    v: 1,
    ...of,
    sha256: digest,
    hosts,
    updated_at: updatedAt,
    pass: begun,
    outcome,
  });
  return { outcome, ...(isLeft && { isLeft }) };
}

const isFull = ({ source, held, caps }: Pass): boolean =>
  source.name !== OFFICIAL_SOURCE && held >= (caps?.source ?? MAX_OF_SOURCE);

async function forget(pass: Pass, key: string): Promise<void> {
  await pass.claims.entries.remove(key);
  pass.held = Math.max(0, pass.held - 1);
}

/** Puts the entry's claims to its hosts, as far as there is room. @param before hosts that have one of it */
async function claimHosts(
  pass: Pass,
  entry: Entry,
  before: readonly string[],
): Promise<{ hosts: string[]; reason: EntryRefusal | undefined; isLeft: boolean }> {
  const hosts: string[] = [];
  let reason: EntryRefusal | undefined;
  for (const { host, isVisited, claim } of entry.hosts) {
    const fault = await claimHost(pass, host, claim!, before.includes(host));
    reason ??= fault;
    if (fault) continue;
    hosts.push(host);
    if (isVisited) await addHost(pass, host);
  }
  return { hosts, reason, isLeft: reason === "over_domain_cap" };
}

async function claimHost(
  pass: Pass,
  host: string,
  claim: EntryClaim,
  isKnown: boolean,
): Promise<EntryRefusal | undefined> {
  if (await hostBlock(pass.blocks, host)) return "blocked";
  const imported = { ...claim, host, imported_at: iso(pass.now()) };
  // Before the day's cap is asked: what no day has room for is left to none.
  if (!(await hasRoomFor(pass.claims, imported))) return "over_host_cap";
  if (!isKnown && !(await charge(pass, host))) return "over_domain_cap";
  return (await putClaim(pass.claims, imported)) ? undefined : "over_host_cap";
}

/** Takes the claims of an entry away, and has their hosts visited once more. */
async function withdraw(
  { claims, frontier, now }: Pass,
  hosts: readonly string[],
  entry: { source: string; id: string },
): Promise<void> {
  for (const host of hosts) {
    await removeClaim(claims, host, entry);
    await frontier.bringForward(host, Math.floor(now()));
  }
}

/** One more new host of its domain and source today. @returns false if that is more than there may be */
async function charge({ counters, caps, source }: Pass, host: string): Promise<boolean> {
  const of = JSON.stringify([source.name, registrableDomain(host)]);
  const key = `imported.${hash("sha256", of, "hex").slice(0, 32)}`;
  return (await counters.add("day", key)) <= (caps?.domain ?? MAX_OF_DOMAIN);
}

/** @throws DayIsFull */
function useRoom(pass: Pass): void {
  if (pass.room <= 0) throw new DayIsFull();
  pass.room--;
}

function addHost({ frontier, now }: Pass, host: string): Promise<boolean> {
  const at = Math.floor(now());
  return frontier.add(host, at, { source: "import", discoveredAt: at, visited: false });
}
