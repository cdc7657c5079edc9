/**
 * Keys: one record under each key's hash, one list in each account, and one way to issue, rotate and revoke. A key is shown once; only
 * its hash is stored. The list decides: a key that an account does not list is not in force, so that a rotation or a
 * revocation is one write. Keys of the module gateway, which need no account, have their state in their records.
 */
import type { AccountRecord } from "../../schemas/account.ts";
import { type KeyKind, KeyRecord, MOST_KEYS, type OwnedKey } from "../../schemas/key.ts";
import { type ErrorCode, Failure, fail } from "../rpc/errors.ts";
import { type AccountStore, activeAccount, changeAccount, type GoneOrBusy, hasEnded } from "./accounts.ts";
import { hashOfKey, isKeyForm, makeKey } from "./api-keys.ts";

/** Prefixes of the keys that accounts list; those of the gateway say its plan (workers/keys/rules.ts). */
export const ACCOUNT_KEY_PREFIXES = {
  license: "bridge_lic_",
  project: "bridge_prj_",
  agent: "bridge_agent_",
  operator: "bridge_operator_",
} as const;
export type AccountKeyKind = keyof typeof ACCOUNT_KEY_PREFIXES;

/** Characters of a key's own that its hint shows. */
const HINT_CHARACTERS = 4;

type KeyOf<K extends KeyKind> = Extract<OwnedKey, { kind: K }>;

export interface IssuedOwnedKey<O> {
  /** The key itself, which cannot be retrieved again. */
  key: string;
  owned: O;
  /** The account that lists it, as it was written. */
  account: AccountRecord;
}

/** What a new key is, before it has a text. (`Omit` forgets the names of loose objects.) */
type NewKey<O extends OwnedKey> = {
  [K in keyof O as K extends "keyHash" | "keyHint" ? never : K]: O[K];
};

export interface IssueOptions<C extends ErrorCode> {
  /** Final check of the account; a failure prevents the issue. */
  allows?: (account: AccountRecord) => Failure<C> | undefined;
  /** That the key follows from: one that an earlier attempt issued is found, and given again, unless it ended since. */
  seed?: string | undefined;
}

/** The same for a key itself; undefined for one that is malformed, unknown, revoked, rotated or ended. */
export const findKey = async <K extends AccountKeyKind>(
  store: Pick<AccountStore, "account" | "keys">,
  kind: K,
  key: string,
): Promise<{ key: KeyOf<K>; account: AccountRecord } | undefined> =>
  isKeyForm(ACCOUNT_KEY_PREFIXES[kind], key) ? activeKey(store, kind, hashOfKey(key)) : undefined;

/**
 * The key with this hash, if it is in force: a valid account lists it. Sessions check again before every command.
 * @param accountId whose it must be; default: whose its record says that it is
 */
export async function activeKey<K extends AccountKeyKind>(
  store: Pick<AccountStore, "account" | "keys">,
  kind: K,
  keyHash: string,
  accountId?: string,
): Promise<{ key: KeyOf<K>; account: AccountRecord } | undefined> {
  const owner = accountId ?? (await store.keys.get(keyHash))?.value.accountId;
  const account = owner ? await activeAccount(store, owner, "machine") : undefined;
  const key = account?.keys.find((each) => each.keyHash === keyHash);
  if (!account || key?.kind !== kind) return undefined;
  // A new password and a suspension end what a person holds.
  if ("generation" in key && key.generation !== account.generation) return undefined;
  return { key: key as KeyOf<K>, account };
}

/** Issues a key of an account. */
export async function issueKey<
  O extends Extract<OwnedKey, { kind: AccountKeyKind }>,
  C extends ErrorCode = never,
>(
  store: AccountStore,
  accountId: string,
  wanted: NewKey<O>,
  { allows, seed }: IssueOptions<C> = {},
): Promise<IssuedOwnedKey<O> | Failure<C | "plan_limit" | "idempotency_conflict" | GoneOrBusy>> {
  const key = makeKey(ACCOUNT_KEY_PREFIXES[wanted.kind], seed);
  const keyHash = hashOfKey(key);
  const account = seed === undefined ? undefined : (await store.account(accountId))?.value;
  const issued = account?.keys.find((each) => each.keyHash === keyHash);
  if (issued) return { key, owned: issued as O, account: account! };
  const owned = { ...wanted, keyHash, keyHint: hintOf(key) } as unknown as O;
  await store.keys.put(keyHash, recordOf(owned, accountId));
  const listed = await listKey<O, C>(store, accountId, owned, allows);
  if (!(listed instanceof Failure)) return { key, ...listed };
  await store.keys.remove(keyHash);
  return listed;
}

export const hintOf = (key: string): string => key.slice(0, key.lastIndexOf("_") + 1 + HINT_CHARACTERS);

const recordOf = ({ kind, id, createdAt }: OwnedKey, accountId: string): KeyRecord =>
  KeyRecord.parse({ v: 1, kind, id, accountId, createdAt });

/** Lists a key whose record is stored. @returns why it is not listed: its record means nothing then, and is to be removed */
export const listKey = <O extends OwnedKey, C extends ErrorCode = never>(
  store: AccountStore,
  accountId: string,
  fresh: O,
  allows: IssueOptions<C>["allows"] = () => undefined,
): Promise<
  { owned: O; account: AccountRecord } | Failure<C | "plan_limit" | "idempotency_conflict" | GoneOrBusy>
> =>
  listBy<O, C | "plan_limit" | "idempotency_conflict">(store, accountId, fresh, (account) => {
    const { kind, keyHash }: { kind: KeyKind; keyHash: string } = fresh;
    const refused = allows(account);
    if (refused) return refused;
    if (hasEnded(account, keyHash)) return endedSince(kind);
    return accountKeys(account, kind).length < MOST_KEYS[kind]
      ? [...account.keys, listedIn(fresh, account)]
      : fail("plan_limit", `An account has at most ${MOST_KEYS[kind]} ${kind} keys: revoke one first.`);
  });

/** Changes an account's keys. @returns the key as it is listed then */
async function listBy<O extends OwnedKey, C extends ErrorCode>(
  store: AccountStore,
  accountId: string,
  owned: O,
  edit: (account: AccountRecord) => OwnedKey[] | Failure<C>,
): Promise<{ owned: O; account: AccountRecord } | Failure<C | GoneOrBusy>> {
  const changed = await changeAccount<C>(store, accountId, (account) => {
    const keys = edit(account);
    return keys instanceof Failure ? keys : { ...account, keys };
  });
  if (changed instanceof Failure) return changed;
  const listed = changed.keys.find(({ keyHash }) => keyHash === owned.keyHash) as O | undefined;
  return { owned: listed ?? owned, account: changed };
}

export const endedSince = (kind: KeyKind): Failure<"idempotency_conflict"> =>
  fail(
    "idempotency_conflict",
    `This Idempotency-Key made a ${kind} key that was revoked or replaced since. Take a new Idempotency-Key.`,
  );

/** The account's keys of one kind. */
export const accountKeys = <K extends KeyKind>({ keys }: Pick<AccountRecord, "keys">, kind: K): KeyOf<K>[] =>
  keys.filter((key): key is KeyOf<K> => key.kind === kind);

/** A key as an account lists it now: a token is of the generation that its account has as it is written. */
const listedIn = <O extends OwnedKey>(owned: O, { generation }: AccountRecord): O =>
  "generation" in owned ? { ...owned, generation } : owned;

/** A key that an account lists, by its id. */
export const ownedKey = async (
  store: Pick<AccountStore, "account">,
  accountId: string,
  id: string,
): Promise<OwnedKey | Failure<"not_found">> =>
  (await store.account(accountId))?.value.keys.find((each) => each.id === id) ?? notListed();

export const notListed = (): Failure<"not_found"> =>
  fail("not_found", "Your account lists no key in force with this id.");

/** Replaces a key atomically: the old one ends in the same write. */
export async function rotateKey(
  store: AccountStore,
  accountId: string,
  old: Extract<OwnedKey, { kind: AccountKeyKind }>,
): Promise<IssuedOwnedKey<OwnedKey> | Failure<"not_found" | GoneOrBusy>> {
  const key = makeKey(ACCOUNT_KEY_PREFIXES[old.kind]);
  const fresh = { ...old, keyHash: hashOfKey(key), keyHint: hintOf(key) };
  let replaced = old.keyHash;
  await store.keys.put(fresh.keyHash, recordOf(fresh, accountId));
  const listed = await listBy<OwnedKey, "not_found">(store, accountId, fresh, (account) => {
    const at = account.keys.findIndex(({ id }) => id === old.id);
    if (at < 0) return notListed();
    // After a concurrent rotation, its key is the one to replace.
    replaced = account.keys[at]!.keyHash;
    return account.keys.with(at, listedIn(fresh, account));
  });
  await store.keys.remove(listed instanceof Failure ? fresh.keyHash : replaced);
  return listed instanceof Failure ? listed : { key, ...listed };
}

/** Revokes a key by removing it from the account. */
export async function revokeKey(
  store: AccountStore,
  accountId: string,
  id: string,
): Promise<OwnedKey | Failure<"not_found" | GoneOrBusy>> {
  const ended = await unlistKeys(store, accountId, (key) => key.id === id);
  if (ended instanceof Failure) return ended;
  const [revoked] = ended;
  if (!revoked) return notListed();
  await store.keys.remove(revoked.keyHash);
  return revoked;
}

/** Ends the keys of an account that match, in one write. @returns those that it listed */
export async function unlistKeys(
  store: AccountStore,
  accountId: string,
  ends: (key: OwnedKey) => boolean,
): Promise<OwnedKey[] | Failure<GoneOrBusy>> {
  let ended: OwnedKey[] = [];
  const changed = await changeAccount(store, accountId, (account) => {
    ended = account.keys.filter(ends);
    return ended.length === 0
      ? account
      : { ...account, keys: account.keys.filter((key) => !ended.includes(key)) };
  });
  return changed instanceof Failure ? changed : ended;
}
