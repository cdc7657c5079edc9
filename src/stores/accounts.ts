/** Accounts and their sites as every process reads them: access control, the session actor, the operator's commands. */
import { createHash } from "node:crypto";
import { AccountRecord, AccountSiteRecord, EmailRecord, ProjectKeyRecord } from "../../schemas/account.ts";
import { LicenceRecord } from "../../schemas/license.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { type ErrorCode, Failure, fail } from "../rpc/errors.ts";
import { openRecords, type Records, type Stored } from "./records.ts";

export interface AccountStore {
  accounts: Records<AccountRecord>;
  emails: Records<{ v: 1; accountId: string }>;
  sites: Records<AccountSiteRecord>;
  licences: Records<LicenceRecord>;
  projectKeys: Records<ReturnType<typeof ProjectKeyRecord.parse>>;
  account(accountId: string): Promise<Stored<AccountRecord> | undefined>;
  /** @param siteId canonical host */
  site(siteId: string): Promise<Stored<AccountSiteRecord> | undefined>;
  /** The account of an address, as `emailIdentity` wrote it. */
  byEmail(identity: string): Promise<Stored<AccountRecord> | undefined>;
}

/** Keys within the bucket `accounts`. */
export const accountKey = (accountId: string): string => `id.${accountId}`;
export const emailKey = (identity: string): string =>
  `email.${createHash("sha256").update(identity).digest("hex")}`;

/** @param broker its buckets hold the records */
export const openAccountStore = ({ buckets }: Pick<Broker, "buckets">): AccountStore => {
  const accounts = openRecords(buckets.accounts, AccountRecord);
  const emails = openRecords(buckets.accounts, EmailRecord);
  const sites = openRecords(buckets.account_sites, AccountSiteRecord);
  const account = (accountId: string) => accounts.get(accountKey(accountId));
  return {
    accounts,
    emails,
    sites,
    licences: openRecords(buckets.licences, LicenceRecord),
    projectKeys: openRecords(buckets.project_keys, ProjectKeyRecord),
    account,
    site: (siteId) => sites.get(hostKey(siteId)),
    byEmail: async (identity) => {
      const pointer = await emails.get(emailKey(identity));
      return pointer && account(pointer.value.accountId);
    },
  };
};

export type GoneOrBusy = "authentication_required" | "unavailable";

/** The account was removed after its token was read. */
export const accountGone = (): Failure<"authentication_required"> =>
  fail("authentication_required", "There is no such account any more.");

/**
 * Changes an account as one step. `edit` may be called several times, each time with what is stored then.
 * @returns the account as it is now, or what `edit` refused with
 */
export const changeAccount = async <C extends ErrorCode = never>(
  { accounts }: AccountStore,
  accountId: string,
  edit: (account: AccountRecord) => AccountRecord | Failure<C>,
): Promise<AccountRecord | Failure<C | GoneOrBusy>> => {
  const changed = await accounts.update<AccountRecord | Failure<C | GoneOrBusy>>(
    accountKey(accountId),
    (account) => {
      if (!account) return { result: accountGone() };
      const next = edit(account);
      return next instanceof Failure || next === account ? { result: next } : { next, result: next };
    },
  );
  return (
    changed ?? fail("unavailable", "The account is being changed by many requests.", { retryAfterSeconds: 1 })
  );
};
