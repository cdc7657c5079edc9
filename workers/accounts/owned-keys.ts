/** Keys that an account owns (of licences, of projects): issued, replaced, revoked. Each is shown once, its hash kept. */
import type { AccountRecord, OwnedLicence, OwnedProject } from "../../schemas/account.ts";
import { type ErrorCode, Failure, fail } from "../../src/rpc/errors.ts";
import { type AccountStore, changeAccount, type GoneOrBusy } from "../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import { LICENCE_PREFIX } from "../../src/stores/licenses.ts";
import { hintOf, MOST_LICENCES, MOST_PROJECTS, PROJECT_PREFIX } from "./rules.ts";

/** Where an account lists one kind of key, and where the key's hash leads to it. */
export interface Shelf<O extends OwnedProject> {
  noun: string;
  prefix: string;
  most: number;
  list(account: AccountRecord): O[];
  withList(account: AccountRecord, list: O[]): AccountRecord;
  store(owned: O, accountId: string): Promise<unknown>;
  drop(keyHash: string): Promise<void>;
}

export const licenceShelf = ({ licences }: AccountStore): Shelf<OwnedLicence> => ({
  noun: "license",
  prefix: LICENCE_PREFIX,
  most: MOST_LICENCES,
  list: (account) => account.licences,
  withList: (account, list) => ({ ...account, licences: list }),
  store: ({ id, keyHash, siteId, createdAt }, accountId) =>
    licences.put(keyHash, { v: 1, licenceId: id, keyHash, accountId, siteId, createdAt }),
  drop: (keyHash) => licences.remove(keyHash),
});

export const projectShelf = ({ projectKeys }: AccountStore): Shelf<OwnedProject> => ({
  noun: "project",
  prefix: PROJECT_PREFIX,
  most: MOST_PROJECTS,
  list: (account) => account.projects,
  withList: (account, list) => ({ ...account, projects: list }),
  store: ({ id, keyHash, createdAt }, accountId) =>
    projectKeys.put(keyHash, { v: 1, projectId: id, keyHash, accountId, createdAt }),
  drop: (keyHash) => projectKeys.remove(keyHash),
});

export interface Issued<O> {
  /** The key itself, which nobody can read again. */
  key: string;
  owned: O;
}

/** A key is in force once the account lists its hash: the record that leads there is written first, and means nothing before. */
const list = async <O extends OwnedProject, C extends ErrorCode>(
  store: AccountStore,
  shelf: Shelf<O>,
  accountId: string,
  owned: O,
  edit: (account: AccountRecord, list: O[]) => O[] | Failure<C>,
): Promise<O | Failure<C | GoneOrBusy>> => {
  await shelf.store(owned, accountId);
  const changed = await changeAccount<C>(store, accountId, (account) => {
    const edited = edit(account, shelf.list(account));
    return edited instanceof Failure ? edited : shelf.withList(account, edited);
  });
  if (!(changed instanceof Failure)) return owned;
  await shelf.drop(owned.keyHash);
  return changed;
};

const notFound = (noun: string): Failure<"not_found"> =>
  fail("not_found", `The account has no such ${noun}.`);

/**
 * Issues a key.
 * @param rest what the account lists beside the key's own members
 * @param allows a last look at the account: what it refuses is not issued
 */
export const issueOwned = async <O extends OwnedProject, C extends ErrorCode = never>(
  store: AccountStore,
  shelf: Shelf<O>,
  accountId: string,
  rest: Omit<O, "keyHash" | "keyHint">,
  allows: (account: AccountRecord) => Failure<C> | undefined = () => undefined,
): Promise<Issued<O> | Failure<C | "plan_limit" | GoneOrBusy>> => {
  const key = makeKey(shelf.prefix);
  const fresh = { ...rest, keyHash: hashOfKey(key), keyHint: hintOf(key) } as O;
  const owned = await list<O, C | "plan_limit">(store, shelf, accountId, fresh, (account, current) => {
    const refused = allows(account);
    if (refused) return refused;
    return current.length < shelf.most
      ? [...current, fresh]
      : fail("plan_limit", `An account has at most ${shelf.most} of these: revoke a ${shelf.noun} first.`);
  });
  return owned instanceof Failure ? owned : { key, owned };
};

/** Puts a new key in an old one's place, which ends in the same step. */
export const rotateOwned = async <O extends OwnedProject>(
  store: AccountStore,
  shelf: Shelf<O>,
  accountId: string,
  id: string,
): Promise<Issued<O> | Failure<"not_found" | GoneOrBusy>> => {
  const account = (await store.account(accountId))?.value;
  const old = account && shelf.list(account).find((each) => each.id === id);
  if (!old) return notFound(shelf.noun);
  const key = makeKey(shelf.prefix);
  const fresh: O = { ...old, keyHash: hashOfKey(key), keyHint: hintOf(key) };
  let replaced = old.keyHash;
  const owned = await list<O, "not_found">(store, shelf, accountId, fresh, (_, current) => {
    const at = current.findIndex((each) => each.id === id);
    if (at < 0) return notFound(shelf.noun);
    // Another rotation may have been first: then its key is the one that ends.
    replaced = current[at]!.keyHash;
    return current.with(at, fresh);
  });
  if (owned instanceof Failure) return owned;
  await shelf.drop(replaced);
  return { key, owned };
};

/** Takes a key from the account: from then on it opens nothing. */
export const revokeOwned = async <O extends OwnedProject>(
  store: AccountStore,
  shelf: Shelf<O>,
  accountId: string,
  id: string,
): Promise<O | Failure<"not_found" | GoneOrBusy>> => {
  let revoked: O | undefined;
  const changed = await changeAccount<"not_found">(store, accountId, (account) => {
    revoked = shelf.list(account).find((each) => each.id === id);
    if (!revoked) return notFound(shelf.noun);
    return shelf.withList(
      account,
      shelf.list(account).filter((each) => each.id !== id),
    );
  });
  if (changed instanceof Failure) return changed;
  await shelf.drop(revoked!.keyHash);
  return revoked!;
};
