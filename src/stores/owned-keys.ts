/** Keys that an account owns (licenses, projects, agents): issue, rotate, revoke. A key is shown once; only its hash is stored. */
import type { AccountRecord, OwnedAgent, OwnedLicense, OwnedProject } from "../../schemas/account.ts";
import { type ErrorCode, Failure, fail } from "../rpc/errors.ts";
import { type AccountStore, changeAccount, type GoneOrBusy, hasEnded } from "./accounts.ts";
import { AGENT_PREFIX } from "./agents.ts";
import { hashOfKey, makeKey } from "./api-keys.ts";
import { LICENSE_PREFIX } from "./licenses.ts";

/** Keys of an account's record, whatever its plan. */
const MOST_LICENSES = 500;
export const MOST_PROJECTS = 100;
export const MOST_AGENTS = 100;

export const PROJECT_PREFIX = "bridge_prj_";
/** Characters of a key's own that its hint shows. */
const HINT_CHARACTERS = 4;
export const hintOf = (key: string): string => key.slice(0, key.lastIndexOf("_") + 1 + HINT_CHARACTERS);

/** One kind of owned key: its list in the account, and its records by hash. */
export interface OwnedKeys<O extends OwnedProject> {
  noun: string;
  prefix: string;
  most: number;
  list(account: AccountRecord): O[];
  withList(account: AccountRecord, list: O[]): AccountRecord;
  /** A new or replaced key as the account lists it now. */
  current?(owned: O, account: AccountRecord): O;
  store(owned: O, accountId: string): Promise<unknown>;
  drop(keyHash: string): Promise<void>;
}

export const licenseKeysOf = ({ licences }: AccountStore): OwnedKeys<OwnedLicense> => ({
  noun: "license",
  prefix: LICENSE_PREFIX,
  most: MOST_LICENSES,
  list: (account) => account.licences,
  withList: (account, list) => ({ ...account, licences: list }),
  store: ({ id, keyHash, siteId, createdAt }, accountId) =>
    licences.put(keyHash, { v: 1, licenceId: id, keyHash, accountId, siteId, createdAt }),
  drop: (keyHash) => licences.remove(keyHash),
});

export const projectKeysOf = ({ projectKeys }: AccountStore): OwnedKeys<OwnedProject> => ({
  noun: "project",
  prefix: PROJECT_PREFIX,
  most: MOST_PROJECTS,
  list: (account) => account.projects,
  withList: (account, list) => ({ ...account, projects: list }),
  store: ({ id, keyHash, createdAt }, accountId) =>
    projectKeys.put(keyHash, { v: 1, projectId: id, keyHash, accountId, createdAt }),
  drop: (keyHash) => projectKeys.remove(keyHash),
});

export const agentKeysOf = ({ agentKeys }: AccountStore): OwnedKeys<OwnedAgent> => ({
  noun: "agent",
  prefix: AGENT_PREFIX,
  most: MOST_AGENTS,
  list: (account) => account.agents ?? [],
  // A token is of the generation that its account has as it is written.
  withList: (account, list) => ({ ...account, agents: list }),
  current: (agent, { generation }) => ({ ...agent, generation }),
  store: ({ id, keyHash, createdAt }, accountId) =>
    agentKeys.put(keyHash, { v: 1, agentId: id, keyHash, accountId, createdAt }),
  drop: (keyHash) => agentKeys.remove(keyHash),
});

export interface Issued<O> {
  /** The key itself, which cannot be retrieved again. */
  key: string;
  owned: O;
  /** The account that lists it, as it was written. */
  account: AccountRecord;
}

/** Stores a key's record, then lists the key in the account. The key is in force once the account lists its hash. */
const list = async <O extends OwnedProject, C extends ErrorCode>(
  store: AccountStore,
  collection: OwnedKeys<O>,
  accountId: string,
  owned: O,
  edit: (account: AccountRecord, list: O[]) => O[] | Failure<C>,
): Promise<{ owned: O; account: AccountRecord } | Failure<C | GoneOrBusy>> => {
  await collection.store(owned, accountId);
  const changed = await changeAccount<C>(store, accountId, (account) => {
    const edited = edit(account, collection.list(account));
    return edited instanceof Failure ? edited : collection.withList(account, edited);
  });
  if (!(changed instanceof Failure)) {
    const listed = collection.list(changed).find(({ keyHash }) => keyHash === owned.keyHash);
    return { owned: listed ?? owned, account: changed };
  }
  await collection.drop(owned.keyHash);
  return changed;
};

const notFound = (noun: string): Failure<"not_found"> =>
  fail("not_found", `The account has no such ${noun}.`);

/**
 * Issues a key.
 * @param rest what the account lists besides the key's own members
 * @param allows final check of the account; a failure prevents the issue
 * @param seed that the key follows from: one that an earlier attempt issued is found, and given again, unless it ended since
 */
export const issueOwned = async <O extends OwnedProject, C extends ErrorCode = never>(
  store: AccountStore,
  collection: OwnedKeys<O>,
  accountId: string,
  rest: Omit<O, "keyHash" | "keyHint">,
  allows: (account: AccountRecord) => Failure<C> | undefined = () => undefined,
  seed?: string,
): Promise<Issued<O> | Failure<C | "plan_limit" | "idempotency_conflict" | GoneOrBusy>> => {
  const key = makeKey(collection.prefix, seed);
  const account = seed === undefined ? undefined : (await store.account(accountId))?.value;
  const issued = account && collection.list(account).find(({ keyHash }) => keyHash === hashOfKey(key));
  if (issued) return { key, owned: issued, account: account! };
  const fresh = { ...rest, keyHash: hashOfKey(key), keyHint: hintOf(key) } as O;
  const add = (account: AccountRecord, current: O[]) => {
    const refused = allows(account);
    if (refused) return refused;
    if (hasEnded(account, fresh.keyHash))
      return fail(
        "idempotency_conflict",
        `This Idempotency-Key made a ${collection.noun} whose key was revoked or replaced since. Take a new Idempotency-Key.`,
      );
    return current.length < collection.most
      ? [...current, collection.current?.(fresh, account) ?? fresh]
      : fail(
          "plan_limit",
          `An account has at most ${collection.most} keys of this kind: revoke a ${collection.noun} first.`,
        );
  };
  const listed = await list<O, C | "plan_limit" | "idempotency_conflict">(
    store,
    collection,
    accountId,
    fresh,
    add,
  );
  return listed instanceof Failure ? listed : { key, ...listed };
};

/** Replaces a key atomically: the old one ends in the same write. */
export const rotateOwned = async <O extends OwnedProject>(
  store: AccountStore,
  collection: OwnedKeys<O>,
  accountId: string,
  id: string,
): Promise<Issued<O> | Failure<"not_found" | GoneOrBusy>> => {
  const account = (await store.account(accountId))?.value;
  const old = account && collection.list(account).find((each) => each.id === id);
  if (!old) return notFound(collection.noun);
  const key = makeKey(collection.prefix);
  const fresh: O = { ...old, keyHash: hashOfKey(key), keyHint: hintOf(key) };
  let replaced = old.keyHash;
  const listed = await list<O, "not_found">(store, collection, accountId, fresh, (listing, current) => {
    const at = current.findIndex((each) => each.id === id);
    if (at < 0) return notFound(collection.noun);
    // After a concurrent rotation, its key is the one to replace.
    replaced = current[at]!.keyHash;
    return current.with(at, collection.current?.(fresh, listing) ?? fresh);
  });
  if (listed instanceof Failure) return listed;
  await collection.drop(replaced);
  return { key, ...listed };
};

/** Revokes a key by removing it from the account. */
export const revokeOwned = async <O extends OwnedProject>(
  store: AccountStore,
  collection: OwnedKeys<O>,
  accountId: string,
  id: string,
): Promise<O | Failure<"not_found" | GoneOrBusy>> => {
  let revoked: O | undefined;
  const changed = await changeAccount<"not_found">(store, accountId, (account) => {
    revoked = collection.list(account).find((each) => each.id === id);
    if (!revoked) return notFound(collection.noun);
    return collection.withList(
      account,
      collection.list(account).filter((each) => each.id !== id),
    );
  });
  if (changed instanceof Failure) return changed;
  await collection.drop(revoked!.keyHash);
  return revoked!;
};
