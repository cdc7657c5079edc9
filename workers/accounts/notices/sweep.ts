/**
 * Notices to owners: once an hour the sites of accounts are looked at, and what is new of those of one account goes into one mail and one
 * webhook. What is told is written first, by compare-and-set: of several processes one tells, and none tells twice.
 */
import type { AccessQueueRecord } from "../../../schemas/access.ts";
import type { AccountRecord, AccountSiteRecord } from "../../../schemas/account.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import { every } from "../../../src/concurrency/every.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS, HOUR_MS, iso } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { changeAccount } from "../../../src/stores/accounts.ts";
import { type Appeals, appealsOf } from "../../../src/stores/appeals.ts";
import { type Block, blockOf } from "../../../src/stores/block-list.ts";
import type { Records } from "../../../src/stores/records.ts";
import { queueKey } from "../../access/deps.ts";
import type { AccountsDeps } from "../deps.ts";
import { bindingOf } from "../links.ts";
import { noticesText, webhookOffText } from "../mail/texts.ts";
import { emailStateOf } from "../rules.ts";
import { decisionsTold, type Notice, noticesOf, requestsOf } from "./rules.ts";

export interface SweepDeps
  extends Pick<
    AccountsDeps,
    "store" | "outbox" | "hooks" | "mailTokens" | "publicUrl" | "now" | "log" | "clock"
  > {
  blocks: Pick<Records<Block>, "get">;
  appeals: Pick<Appeals, "get">;
  sites: Pick<Records<SiteRecord>, "get">;
  /** Agents' requests that wait, by their owner. */
  queues: Pick<Records<AccessQueueRecord>, "get">;
}

/** Accounts whose notices are gathered before they are mailed: what a sweep holds in memory. */
const MOST_GATHERED = 1_000;
/** What belongs to a site has a name with a dot in the bucket of sites; names of sites have none there. */
const isOfSite = (key: string): boolean => key.includes(".");

/** Whether mail about sites goes to an account: to an address that was proved, unless its holder wants none. */
export const takesNotices = (account: AccountRecord): boolean =>
  !account.suspended && account.noticesOff !== true && emailStateOf(account) === "proved";

/** A webhook that failed for a day is off, and its holder is mailed: once, whoever of several processes sees it. */
const switchOff = async (
  { store, outbox, publicUrl, now, log }: SweepDeps,
  accountId: string,
  { url, reason }: { url: string; reason: string },
): Promise<void> => {
  let isOurs = false;
  const changed = await changeAccount(store, accountId, (account) => {
    const { webhook } = account;
    isOurs = webhook?.url === url && !webhook.off;
    return isOurs ? { ...account, webhook: { ...webhook!, off: { at: iso(now()), reason } } } : account;
  });
  if (!isOurs || changed instanceof Failure) return;
  log.info({ accountId, reason }, "a webhook of notices was switched off");
  if (emailStateOf(changed) === "proved" && !changed.suspended)
    await outbox.post(changed, webhookOffText(publicUrl, url, reason), now() + DAY_MS, { kind: "news" });
};

/** What to remember of a webhook that told of a site, once it is known what became of it. */
const settleHook = async (deps: SweepDeps, { accountId, told }: AccountSiteRecord): Promise<boolean> => {
  if (told?.hook === undefined) return false;
  const delivery = await deps.hooks.deliveryOf(told.hook);
  if (delivery?.state === "pending") return false;
  if (delivery?.state === "failed")
    await switchOff(deps, accountId, { url: delivery.url, reason: delivery.reason ?? "failed" });
  return true;
};

/** What is new of one site, which is remembered as told. */
const look = async (
  deps: SweepDeps,
  key: string,
): Promise<{ accountId: string; key: string; notices: Notice[] } | undefined> => {
  const { store, sites, queues, blocks, appeals, now } = deps;
  const owned = (await store.sites.get(key))?.value;
  if (!owned) return undefined;
  const { siteId, accountId } = owned;
  const [site, block, made] = await Promise.all([
    sites.get(hostKey(siteId)),
    blockOf(blocks, siteId),
    appealsOf(appeals, siteId),
  ]);
  const seen = site ? noticesOf(siteId, owned.told, site.value, now()) : { notices: [], told: owned.told };
  const own = made.filter((each) => each.accountId === accountId);
  const judged = decisionsTold(siteId, seen.told, block, own);
  if (!judged.told) return undefined;
  const takesRequests = site !== undefined && owned.configuration.access !== "none";
  const waiting = takesRequests ? (await queues.get(queueKey(accountId)))?.value.open : undefined;
  const asked = requestsOf(siteId, judged.told, waiting ?? [], now());
  const { hook: _, ...settled } = asked.told;
  const told = (await settleHook(deps, owned)) ? settled : asked.told;
  const notices = [...seen.notices, ...judged.notices, ...asked.notices];
  const before = JSON.stringify(owned.told);
  if (JSON.stringify(told) === before) return undefined;
  const isOurs = await store.sites.update<boolean>(key, (current: AccountSiteRecord | undefined) =>
    current?.accountId === accountId && JSON.stringify(current.told) === before
      ? { next: { ...current, told }, result: true }
      : { result: false },
  );
  return isOurs && notices.length > 0 ? { accountId, key, notices } : undefined;
};

/** Sends what is new to the account's webhook; the site remembers which, so that a later look knows what became of it. */
const send = async (
  { store, hooks, log }: SweepDeps,
  account: AccountRecord,
  { key, notices }: Gathered,
): Promise<void> => {
  if (!account.webhook || account.webhook.off || account.suspended) return;
  const id = await hooks.send(account, "notices", notices);
  if (id === undefined) {
    log.warn({ accountId: account.accountId }, "a webhook of notices was left out: too many wait");
    return;
  }
  await store.sites.update(key, (current) =>
    current?.told
      ? { next: { ...current, told: { ...current.told, hook: id } }, result: true }
      : { result: false },
  );
  await changeAccount(store, account.accountId, (current) =>
    current.webhook ? { ...current, webhook: { ...current.webhook, last: id } } : current,
  );
};

/** What is new of the sites of one account. */
interface Gathered {
  /** One of the sites that it is new of. */
  key: string;
  notices: Notice[];
}

const tell = async (deps: SweepDeps, accountId: string, gathered: Gathered): Promise<void> => {
  const { store, outbox, mailTokens, publicUrl, now, log } = deps;
  const account = (await store.account(accountId))?.value;
  if (!account) return;
  // One way must not be in the other's.
  await send(deps, account, gathered).catch((error: unknown) =>
    log.warn({ err: error, accountId }, "a webhook of notices was not sent"),
  );
  if (!outbox.isOpen || !takesNotices(account)) return;
  const { notices } = gathered;
  const token = mailTokens.issue("notices", accountId, bindingOf.notices(account));
  const stopUrl = `${publicUrl}/notices/stop?token=${token}`;
  const mail = { ...noticesText(publicUrl, notices, stopUrl), stopUrl };
  if ((await outbox.post(account, mail, now() + DAY_MS, { kind: "news" })) !== true)
    log.warn({ accountId, notices: notices.length }, "notices were left out: too many mails wait");
};

/** Looks at every site of every account once, and tells what is new. @returns accounts that something was new for */
export const sweepNotices = async (deps: SweepDeps): Promise<number> => {
  const gathered = new Map<string, Gathered>();
  let told = 0;
  const tellAll = async (): Promise<void> => {
    for (const [accountId, each] of gathered) await tell(deps, accountId, each);
    told += gathered.size;
    gathered.clear();
  };
  for await (const key of deps.store.sites.keys()) {
    if (isOfSite(key)) continue;
    const found = await look(deps, key);
    if (!found) continue;
    const before = gathered.get(found.accountId);
    gathered.set(found.accountId, {
      key: found.key,
      notices: [...(before?.notices ?? []), ...found.notices],
    });
    if (gathered.size >= MOST_GATHERED) await tellAll();
  }
  await tellAll();
  return told;
};

/** Looks once an hour. @returns what ends it */
export const startNotices = (deps: SweepDeps): (() => void) => {
  return every(deps.clock, HOUR_MS, () => {
    void sweepNotices(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, "sites were not looked at for notices; the next look is in an hour"),
    );
  });
};
