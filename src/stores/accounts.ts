/** Account records and site records, for access control, the accounts and session actors, and the operator's commands. */

import { createHash } from "node:crypto";
import { AccountRecord, AccountSiteRecord, EmailRecord } from "../../schemas/account.ts";
import { KeyRecord } from "../../schemas/key.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import { emailIdentity } from "../domain/names/email.ts";
import type { Broker } from "../ports/broker.ts";
import { type ErrorCode, Failure, fail } from "../rpc/errors.ts";
import { openRecords, type Records, type StoredRecord } from "./records.ts";

export interface AccountStore {
  accounts: Records<AccountRecord>;
  emails: Records<{ v: 1; accountId: string }>;
  sites: Records<AccountSiteRecord>;
  /** By the hash of each key (src/stores/keys.ts). */
  keys: Records<KeyRecord>;
  account(accountId: string): Promise<StoredRecord<AccountRecord> | undefined>;
  /** @param siteId canonical host */
  site(siteId: string): Promise<StoredRecord<AccountSiteRecord> | undefined>;
  /** The account of an address in the normal form of `emailIdentity`. */
  byEmail(identity: string): Promise<StoredRecord<AccountRecord> | undefined>;
}

export type GoneOrBusy = "authentication_required" | "unavailable";

/** Keys that ended and are remembered: as many as an account lists at once. An Idempotency-Key is kept for a day. */
const MOST_ENDED_KEYS = 700;
const ENDED_KEY_CHARS = 16;

/**
 * `machine`: API keys, licenses and their sessions, which survive a new password and are revoked one by one. A number
 * is the generation of a token; a new password or a suspension ends it for good.
 */
type Generation = number | "machine";

/** @param broker its buckets store the records */
export function openAccountStore({ buckets }: Pick<Broker, "buckets">): AccountStore {
  const accounts = openRecords(buckets.accounts, AccountRecord);
  const emails = openRecords(buckets.accounts, EmailRecord);
  const sites = openRecords(buckets.account_sites, AccountSiteRecord);
  const account = (accountId: string) => accounts.get(accountKey(accountId));
  return {
    accounts,
    emails,
    sites,
    keys: openRecords(buckets.keys, KeyRecord),
    account,
    site: (siteId) => sites.get(hostKey(siteId)),
    byEmail: async (identity) => {
      const pointer = await emails.get(emailKey(identity));
      return pointer && account(pointer.value.accountId);
    },
  };
}

/**
 * Stores a new account, of the free plan. Of concurrent registrations of one address, the first to write the e-mail record wins.
 * @returns undefined where the address is another account's
 */
export async function createAccount(
  { accounts, emails }: Pick<AccountStore, "accounts" | "emails">,
  given: Pick<AccountRecord, "accountId" | "email" | "name" | "passwordHash" | "generation" | "createdAt">,
): Promise<AccountRecord | undefined> {
  const { accountId } = given;
  const email = given.email.normalize("NFC");
  const empty = { suspended: false, knownOrigins: [], sites: [], keys: [] };
  const account: AccountRecord = { v: 1, ...given, email, tier: "free", ...empty };
  const pointer = emailKey(emailIdentity(email)!);
  await accounts.compareAndSet(accountKey(accountId), account, 0);
  if ((await emails.compareAndSet(pointer, { v: 1, accountId }, 0)) !== undefined) return account;
  // An earlier attempt of the same call.
  if ((await emails.get(pointer))?.value.accountId === accountId) return account;
  await accounts.remove(accountKey(accountId));
  return undefined;
}

/** Keys within the bucket `accounts`. */
export const accountKey = (accountId: string): string => `id.${accountId}`;
export const emailKey = (identity: string): string =>
  `email.${createHash("sha256").update(identity).digest("hex")}`;

/** Whether the account listed this key once, and it was revoked or replaced. */
export const hasEnded = ({ endedKeys }: AccountRecord, keyHash: string): boolean =>
  endedKeys?.includes(keyHash.slice(0, ENDED_KEY_CHARS)) ?? false;

/**
 * Updates an account atomically. After a conflict, `edit` runs again with the new value.
 * @returns the updated account, or the failure of `edit`
 */
export async function changeAccount<C extends ErrorCode = never>(
  { accounts }: AccountStore,
  accountId: string,
  edit: (account: AccountRecord) => AccountRecord | Failure<C>,
): Promise<AccountRecord | Failure<C | GoneOrBusy>> {
  const changed = await accounts.update<AccountRecord | Failure<C | GoneOrBusy>>(
    accountKey(accountId),
    (account) => {
      if (!account) return { result: accountGone() };
      const next = edit(account);
      if (next instanceof Failure || next === account) return { result: next };
      const noted = withEnded(account, next);
      return { next: noted, result: noted };
    },
  );
  return (
    changed ?? fail("unavailable", "Too many concurrent changes of the account.", { retryAfterSeconds: 1 })
  );
}

/** The account with a new password, whose generation ends all that a person holds by the old one. Pure. */
export const withPassword = (
  account: AccountRecord,
  passwordHash: string,
  logIns: AccountRecord["logIns"] = [],
): AccountRecord => ({
  ...account,
  passwordHash,
  generation: account.generation + 1,
  logIns,
  endedLogIns: [],
});

/** A site of an account. */
export async function ownSite(
  store: Pick<AccountStore, "site">,
  accountId: string,
  siteId: string,
): Promise<StoredRecord<AccountSiteRecord> | Failure<"not_found">> {
  const stored = await store.site(siteId);
  return stored?.value.accountId === accountId ? stored : siteNotOwned(siteId);
}

export const siteNotOwned = (siteId: string): Failure<"not_found"> =>
  fail("not_found", `The account has no site ${siteId}.`);

/** The account was removed after its token was verified. */
export const accountGone = (): Failure<"authentication_required"> =>
  fail("authentication_required", "The account no longer exists.");

/** `next` with the keys noted that `account` listed and it does not. */
function withEnded(account: AccountRecord, next: AccountRecord): AccountRecord {
  const listed = new Set(next.keys.map(({ keyHash }) => keyHash));
  const ended = account.keys.filter(({ keyHash }) => !listed.has(keyHash));
  if (ended.length === 0) return next;
  const names = ended.map(({ keyHash }) => keyHash.slice(0, ENDED_KEY_CHARS));
  const endedKeys = [...names, ...(next.endedKeys ?? [])];
  return { ...next, endedKeys: endedKeys.slice(0, MOST_ENDED_KEYS) };
}

/**
 * The account of a credential, if the credential is still valid. Every authenticator calls this, so that a new
 * password, a suspension and a closed account have the same effect everywhere (docs/decisions/0042).
 * @param generation NaN for a token without the claim, which matches no account
 */
export async function activeAccount(
  store: Pick<AccountStore, "account">,
  accountId: string,
  generation: Generation,
): Promise<AccountRecord | undefined> {
  const account = (await store.account(accountId))?.value;
  if (!account || account.suspended) return undefined;
  return generation === "machine" || generation === account.generation ? account : undefined;
}
