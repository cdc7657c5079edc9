/** Keys of the module gateway as they are stored: made, changed, and listed by their accounts. */
import type { AccountRecord } from "../../schemas/account.ts";
import { type GatewayKeyRecord, MOST_KEYS, type OwnedGatewayKey } from "../../schemas/key.ts";
import { iso } from "../../src/ports/time.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { type AccountStore, changeAccount } from "../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import { accountKeys, hintOf, listKey, unlistKeys } from "../../src/stores/keys.ts";
import { isRevoked, KEY_PREFIXES } from "./rules.ts";

export interface GatewayKeyDeps {
  store: AccountStore;
  /** Milliseconds. */
  now: () => number;
}

/** A gateway key with the hash that its record is stored under. */
export interface StoredKey {
  keyHash: string;
  record: GatewayKeyRecord;
}

type Wanted = Pick<GatewayKeyRecord, "plan" | "owner" | "email" | "accountId"> & { usageId?: string };

/** The account's gateway keys that are in force, the newest first. */
export async function keysInForce(deps: GatewayKeyDeps, accountId: string): Promise<StoredKey[]> {
  const account = (await deps.store.account(accountId))?.value;
  const listed = account ? accountKeys(account, "gateway").toReversed() : [];
  const records = await Promise.all(listed.map(({ keyHash }) => gatewayKey(deps, keyHash)));
  return listed.flatMap(({ keyHash }, i) => {
    const record = records[i];
    return record && !isRevoked(record, deps.now()) ? [{ keyHash, record }] : [];
  });
}

/** The record of a gateway key. */
export async function gatewayKey(
  { store }: Pick<GatewayKeyDeps, "store">,
  keyHash: string,
): Promise<GatewayKeyRecord | undefined> {
  const record = (await store.keys.get(keyHash))?.value;
  return record?.kind === "gateway" ? record : undefined;
}

/**
 * Stores a new key, and lists it in its account.
 * @returns the key itself, which cannot be retrieved again; or why the account takes no more
 */
export async function issueGatewayKey(
  deps: GatewayKeyDeps,
  { plan, owner, email, accountId, usageId = uuidv7() }: Wanted,
  key = makeKey(KEY_PREFIXES[plan]),
) {
  const record: GatewayKeyRecord = {
    v: 1,
    kind: "gateway",
    id: uuidv7(),
    createdAt: iso(deps.now()),
    accountId,
    usageId,
    plan,
    owner,
    email,
    validatedAt: null,
    revokedAt: null,
  };
  await deps.store.keys.compareAndSet(hashOfKey(key), record, 0);
  const refused = await list(deps, key, record);
  if (!refused) return { key, record };
  await deps.store.keys.remove(hashOfKey(key));
  return refused;
}

/** Lists a key in its account, if it has one. @returns why the account takes no more */
async function list(deps: GatewayKeyDeps, key: string, record: GatewayKeyRecord) {
  if (record.accountId === null) return undefined;
  await unlistEnded(deps, record.accountId);
  const listed = await listKey(deps.store, record.accountId, ownedOf(key, record));
  return listed instanceof Failure ? listed : undefined;
}

/** Takes keys off their account's list that have ended: after a rotation's grace, or where a process died in between. */
async function unlistEnded(deps: GatewayKeyDeps, accountId: string): Promise<void> {
  const listed = (await deps.store.account(accountId))?.value;
  if (!listed || accountKeys(listed, "gateway").length < MOST_KEYS.gateway) return;
  const inForce = new Set((await keysInForce(deps, accountId)).map(({ keyHash }) => keyHash));
  const ended = new Set(
    accountKeys(listed, "gateway").flatMap(({ keyHash }) => (inForce.has(keyHash) ? [] : [keyHash])),
  );
  await unlistKeys(deps.store, accountId, ({ keyHash }) => ended.has(keyHash));
}

/** A key as its account lists it. */
const ownedOf = (key: string, { id, owner, createdAt }: GatewayKeyRecord): OwnedGatewayKey => ({
  kind: "gateway",
  id,
  name: owner,
  createdAt,
  keyHash: hashOfKey(key),
  keyHint: hintOf(key),
});

/** The key of an attempt that broke off after it had stored it; it may not have listed it. */
export async function issuedBefore(deps: GatewayKeyDeps, key: string): Promise<StoredKey | undefined> {
  const keyHash = hashOfKey(key);
  const record = await gatewayKey(deps, keyHash);
  if (!record) return undefined;
  const account = record.accountId === null ? undefined : (await deps.store.account(record.accountId))?.value;
  if (account && !isRevoked(record, deps.now()) && !account.keys.some((each) => each.keyHash === keyHash))
    await list(deps, key, record);
  return { keyHash, record };
}

/** Revokes a key, and takes it off its account's list. */
export async function revokeGatewayKey(deps: GatewayKeyDeps, keyHash: string): Promise<GatewayKeyRecord> {
  const revokedAt = iso(deps.now());
  const record = await changeKey(deps, keyHash, (stored) => ({ ...stored, revokedAt }));
  if (record.accountId !== null)
    await unlistKeys(deps.store, record.accountId, (key) => key.keyHash === keyHash);
  return record;
}

/** Updates a key's record. @returns the new record */
export async function changeKey(
  { store }: Pick<GatewayKeyDeps, "store">,
  keyHash: string,
  edit: (record: GatewayKeyRecord) => GatewayKeyRecord,
): Promise<GatewayKeyRecord> {
  const changed = await store.keys.update<GatewayKeyRecord>(keyHash, (record) => {
    if (record?.kind !== "gateway") throw new Error("a gateway key's record is gone");
    const next = edit(record);
    return next === record ? { result: next } : { next, result: next };
  });
  if (!changed) throw new Error("a gateway key's record changed under every attempt");
  return changed;
}

/**
 * Replaces a key with a new one of the same plan and usage.
 * @param graceMs how long the old one remains valid, and listed
 */
export async function rotateGatewayKey(deps: GatewayKeyDeps, keyHash: string, graceMs: number) {
  const { store } = deps;
  const revokedAt = iso(deps.now() + graceMs);
  // A key already in a grace period keeps the earlier end.
  const old = await changeKey(deps, keyHash, (stored) =>
    stored.revokedAt && stored.revokedAt < revokedAt ? stored : { ...stored, revokedAt },
  );
  const key = makeKey(KEY_PREFIXES[old.plan]);
  const record: GatewayKeyRecord = {
    ...old,
    id: uuidv7(),
    createdAt: iso(deps.now()),
    validatedAt: null,
    revokedAt: null,
  };
  await store.keys.compareAndSet(hashOfKey(key), record, 0);
  if (old.accountId !== null) {
    await unlistEnded(deps, old.accountId);
    await changeAccount(store, old.accountId, (account) =>
      withReplaced(account, keyHash, ownedOf(key, record), graceMs),
    );
  }
  return { key, record, replaced: { key_id: old.id, revoked_at: old.revokedAt ?? revokedAt } };
}

/** The account with a key in place of another, which it lists as long as that is valid; the oldest make room. */
function withReplaced(account: AccountRecord, keyHash: string, fresh: OwnedGatewayKey, graceMs: number) {
  const kept = accountKeys(account, "gateway").filter((each) => each.keyHash !== keyHash || graceMs > 0);
  const others = account.keys.filter(({ kind }) => kind !== "gateway");
  return { ...account, keys: [...others, ...kept.slice(1 - MOST_KEYS.gateway), fresh] };
}
