/**
 * Notices to owners: once an hour the sites of accounts are looked at, and what is new of those of one account goes into one
 * mail. What is told is written first, by compare-and-set: of several processes one tells, and none tells twice.
 */
import type { AccessQueueRecord } from "../../../schemas/access.ts";
import type { AccountRecord, AccountSiteRecord } from "../../../schemas/account.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import { every } from "../../../src/concurrency/every.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";
import { type Appeals, appealsOf } from "../../../src/stores/appeals.ts";
import { type Block, hostBlock } from "../../../src/stores/block-list.ts";
import type { Records } from "../../../src/stores/records.ts";
import { queueKey } from "../../access/deps.ts";
import type { AccountsDeps } from "../deps.ts";
import { bindingOf } from "../links.ts";
import { noticesText } from "../mail/texts.ts";
import { emailStateOf } from "../rules.ts";
import { decisionsTold, type Notice, noticesOf, requestsOf } from "./rules.ts";

export interface SweepDeps
  extends Pick<AccountsDeps, "store" | "outbox" | "mailTokens" | "publicUrl" | "now" | "log" | "clock"> {
  blocks: Pick<Records<Block>, "get">;
  appeals: Pick<Appeals, "get">;
  sites: Pick<Records<SiteRecord>, "get">;
  /** Agents' requests that wait, by their owner. */
  queues: Pick<Records<AccessQueueRecord>, "get">;
}

/** Accounts whose notices are gathered before they are mailed: what a sweep holds in memory. */
const MOST_GATHERED = 1_000;

/** Whether mail about sites goes to an account: to an address that was proved, unless its holder wants none. */
export const takesNotices = (account: AccountRecord): boolean =>
  !account.suspended && account.noticesOff !== true && emailStateOf(account) === "proved";

/** Looks once an hour. @returns what ends it */
export function startNotices(deps: SweepDeps): () => void {
  return every(deps.clock, HOUR_MS, () => {
    void sweepNotices(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, "sites were not looked at for notices; the next look is in an hour"),
    );
  });
}

/** Looks at every site of every account once, and tells what is new. @returns accounts that something was new for */
export async function sweepNotices(deps: SweepDeps): Promise<number> {
  const gathered = new Map<string, Notice[]>();
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
    gathered.set(found.accountId, [...(gathered.get(found.accountId) ?? []), ...found.notices]);
    if (gathered.size >= MOST_GATHERED) await tellAll();
  }
  await tellAll();
  return told;
}

async function tell(deps: SweepDeps, accountId: string, notices: readonly Notice[]): Promise<void> {
  const { store, outbox, mailTokens, publicUrl, now, log } = deps;
  const account = (await store.account(accountId))?.value;
  if (!account) return;
  if (!outbox.isOpen || !takesNotices(account)) return;
  const token = mailTokens.issue("notices", accountId, bindingOf.notices(account));
  const stopUrl = `${publicUrl}/notices/stop?token=${token}`;
  const mail = { ...noticesText(publicUrl, notices, stopUrl), stopUrl };
  if ((await outbox.post(account, mail, now() + DAY_MS, { kind: "news" })) !== true)
    log.warn({ accountId, notices: notices.length }, "notices were left out: too many mails wait");
}

/** What belongs to a site has a name with a dot in the bucket of sites; names of sites have none there. */
const isOfSite = (key: string): boolean => key.includes(".");

/** What is new of one site, which is remembered as told. */
async function look(
  deps: SweepDeps,
  key: string,
): Promise<{ accountId: string; notices: Notice[] } | undefined> {
  const { store, sites, queues, blocks, appeals, now } = deps;
  const owned = (await store.sites.get(key))?.value;
  if (!owned) return undefined;
  const { siteId, accountId } = owned;
  const [site, block, made] = await Promise.all([
    sites.get(hostKey(siteId)),
    hostBlock(blocks, siteId),
    appealsOf(appeals, siteId),
  ]);
  const seen = site ? noticesOf(siteId, owned.told, site.value, now()) : { notices: [], told: owned.told };
  const own = made.filter((each) => each.accountId === accountId);
  const judged = decisionsTold(siteId, seen.told, block, own);
  if (!judged.told) return undefined;
  const takesRequests = site !== undefined && owned.configuration.access !== "none";
  const waiting = takesRequests ? (await queues.get(queueKey(accountId)))?.value.open : undefined;
  const asked = requestsOf(siteId, judged.told, waiting ?? [], now());
  const { told } = asked;
  const notices = [...seen.notices, ...judged.notices, ...asked.notices];
  const before = JSON.stringify(owned.told);
  if (JSON.stringify(told) === before) return undefined;
  const isOurs = await store.sites.update<boolean>(key, (current: AccountSiteRecord | undefined) =>
    current?.accountId === accountId && JSON.stringify(current.told) === before
      ? { next: { ...current, told }, result: true }
      : { result: false },
  );
  return isOurs && notices.length > 0 ? { accountId, notices } : undefined;
}
