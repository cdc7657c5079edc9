/** The end of an account: what is removed with it, and what stays for how long and why. For its holder, and for `bridge accounts close`. */
import { AccessQueueRecord } from "../../schemas/access.ts";
import type { AccountRecord } from "../../schemas/account.ts";
import type { KeyKind } from "../../schemas/key.ts";
import { RECEIPT_DAYS } from "../../schemas/receipt.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Broker } from "../../src/ports/broker.ts";
import { type AccountStore, accountKey, emailKey } from "../../src/stores/accounts.ts";
import { type UploadedDocument, uploadedKey } from "../../src/stores/hosted-documents.ts";
import { accountKeys } from "../../src/stores/keys.ts";
import { openPlanRequests } from "../../src/stores/plan-requests.ts";
import { openRecords, type Records } from "../../src/stores/records.ts";
import type { Wallets } from "../../src/stores/wallets.ts";
import { queueKey, requestKey } from "../access/deps.ts";
import { accountListKey } from "../session/receipts/store.ts";

export interface ClosingDeps {
  broker: Pick<Broker, "buckets">;
  store: AccountStore;
  uploaded: Records<UploadedDocument>;
  wallets: Pick<Wallets, "discard">;
}

/** What is left when an account is gone. `until`: the longest. */
export const WHAT_STAYS: readonly { what: string; until: string; why: string }[] = [
  {
    what: "receipts of what agents sent to the sites",
    until: `${RECEIPT_DAYS} days after each`,
    why: "they are the agents' proof too; they hold the site and the account's id, no name and no address",
  },
  {
    what: "requests for access that the account's agents made or its owner answered",
    until: "90 days after each",
    why: "they are the other side's too; they hold the agent's name, and expire by themselves",
  },
  {
    what: "appeals against decisions about the sites",
    until: "400 days after each",
    why: "they show why a decision stands; they hold the account's id and what was said, no name and no address",
  },
  {
    what: "counts of calls and actions by the account's id",
    until: "400 days",
    why: "limits hold over them; they hold no name and no address",
  },
  {
    what: "entries of projects in the transparency log",
    until: "for ever",
    why: "nothing can be taken out of the log; it holds salted hashes, and the operator can erase the text of an entry",
  },
  {
    what: "the operator's audit log and backups",
    until: "400 days, and as long as the operator keeps backups",
    why: "they show what operators did",
  },
];

/** How much was removed. */
export interface RemovalCounts {
  sites: number;
  licenses: number;
  projects: number;
  agents: number;
  keys: number;
  access_requests: number;
}

/**
 * Removes an account with everything it owns; its address can register again. Safe to repeat after an interruption: the address's
 * record goes last.
 * @param identity the address in the normal form of `emailIdentity`
 */
export async function removeAccount(
  deps: ClosingDeps,
  accountId: string,
  identity: string,
): Promise<RemovalCounts> {
  const { store, wallets, broker } = deps;
  const account: Partial<AccountRecord> = (await store.account(accountId))?.value ?? {};
  const { sites = [], keys = [] } = account;
  const count = (kind: KeyKind): number => accountKeys({ keys }, kind).length;
  await removeSites(deps, accountId, sites);
  for (const { keyHash } of keys) await store.keys.remove(keyHash);
  const requests = await removeRequests(deps, accountId);
  await broker.buckets.receipts.remove(accountListKey(accountId));
  await openPlanRequests(broker.buckets.plans).remove(accountId);
  await wallets.discard(accountId);
  await store.accounts.remove(accountKey(accountId));
  await store.emails.remove(emailKey(identity));
  return {
    sites: sites.length,
    licenses: count("license"),
    projects: count("project"),
    agents: count("agent"),
    keys: count("gateway"),
    access_requests: requests,
  };
}

async function removeSites({ store, uploaded }: ClosingDeps, accountId: string, sites: readonly string[]) {
  for (const siteId of sites) {
    const site = await store.site(siteId);
    if (site?.value.accountId === accountId) await store.sites.removeRevision(hostKey(siteId), site.revision);
    const given = await uploaded.get(uploadedKey(siteId));
    if (given?.value.accountId === accountId)
      await uploaded.removeRevision(uploadedKey(siteId), given.revision);
  }
}

/** What waits for it as an owner. */
async function removeRequests({ broker: { buckets } }: ClosingDeps, accountId: string): Promise<number> {
  const name = queueKey(accountId);
  const open = (await openRecords(buckets.access_requests, AccessQueueRecord).get(name))?.value.open ?? [];
  for (const { requestId } of open) await buckets.access_requests.remove(requestKey(requestId));
  await buckets.access_requests.remove(name);
  return open.length;
}
