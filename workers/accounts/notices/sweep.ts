/**
 * Notices to owners: once an hour the sites of accounts are looked at, and what is new of those of one account goes into one mail. What
 * is told is written first, by compare-and-set: of several processes one tells, and none tells twice.
 */
import type { AccountRecord, AccountSiteRecord } from "../../../schemas/account.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import { every } from "../../../src/concurrency/every.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";
import type { Records } from "../../../src/stores/records.ts";
import type { AccountsDeps } from "../deps.ts";
import { bindingOf } from "../links.ts";
import { noticesText } from "../mail/texts.ts";
import { emailStateOf } from "../rules.ts";
import { type Notice, noticesOf } from "./rules.ts";

export interface SweepDeps
  extends Pick<AccountsDeps, "store" | "outbox" | "mailTokens" | "publicUrl" | "now" | "log" | "clock"> {
  sites: Pick<Records<SiteRecord>, "get">;
}

/** Accounts whose notices are gathered before they are mailed: what a sweep holds in memory. */
const MOST_GATHERED = 1_000;
/** What belongs to a site has a name with a dot in the bucket of sites; names of sites have none there. */
const isOfSite = (key: string): boolean => key.includes(".");

/** Whether mail about sites goes to an account: to an address that was proved, unless its holder wants none. */
export const takesNotices = (account: AccountRecord): boolean =>
  !account.suspended && account.noticesOff !== true && emailStateOf(account) === "proved";

/** What is new of one site, which is remembered as told. */
const look = async (
  { store, sites, now }: SweepDeps,
  key: string,
): Promise<{ accountId: string; notices: Notice[] } | undefined> => {
  const owned = (await store.sites.get(key))?.value;
  if (!owned) return undefined;
  const record = (await sites.get(hostKey(owned.siteId)))?.value;
  if (!record) return undefined;
  const { notices, told } = noticesOf(owned.siteId, owned.told, record, now());
  const before = JSON.stringify(owned.told);
  if (JSON.stringify(told) === before) return undefined;
  const isOurs = await store.sites.update<boolean>(key, (current: AccountSiteRecord | undefined) =>
    current?.accountId === owned.accountId && JSON.stringify(current.told) === before
      ? { next: { ...current, told }, result: true }
      : { result: false },
  );
  return isOurs && notices.length > 0 ? { accountId: owned.accountId, notices } : undefined;
};

const tell = async (
  { store, outbox, mailTokens, publicUrl, now, log }: SweepDeps,
  accountId: string,
  notices: readonly Notice[],
): Promise<void> => {
  const account = (await store.account(accountId))?.value;
  if (!account || !takesNotices(account)) return;
  const token = mailTokens.issue("notices", accountId, bindingOf.notices(account));
  const stopUrl = `${publicUrl}/notices/stop?token=${token}`;
  const mail = { ...noticesText(publicUrl, notices, stopUrl), stopUrl };
  if (!(await outbox.post(accountId, account.email, mail, now() + DAY_MS)))
    log.warn({ accountId, notices: notices.length }, "notices were left out: too many mails wait");
};

/** Looks at every site of every account once, and mails what is new. @returns mails that were due */
export const sweepNotices = async (deps: SweepDeps): Promise<number> => {
  const gathered = new Map<string, Notice[]>();
  let mails = 0;
  const send = async (): Promise<void> => {
    for (const [accountId, notices] of gathered) await tell(deps, accountId, notices);
    mails += gathered.size;
    gathered.clear();
  };
  for await (const key of deps.store.sites.keys()) {
    if (isOfSite(key)) continue;
    const found = await look(deps, key);
    if (!found) continue;
    gathered.set(found.accountId, [...(gathered.get(found.accountId) ?? []), ...found.notices]);
    if (gathered.size >= MOST_GATHERED) await send();
  }
  await send();
  return mails;
};

/** Looks once an hour, where this registry sends mail. @returns what ends it */
export const startNotices = (deps: SweepDeps): (() => void) => {
  if (!deps.outbox.isOpen) return () => undefined;
  return every(deps.clock, HOUR_MS, () => {
    void sweepNotices(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, "sites were not looked at for notices; the next look is in an hour"),
    );
  });
};
