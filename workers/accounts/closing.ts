/** The end of an account, with all that it owns: for its holder, and for `bridge accounts close`. */
import { AccessQueueRecord } from "../../schemas/access.ts";
import type { AccountRecord } from "../../schemas/account.ts";
import type { KeyKind } from "../../schemas/key.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import type { Broker } from "../../src/ports/broker.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import {
  type AccountStore,
  accountGone,
  accountKey,
  changeAccount,
  emailKey,
} from "../../src/stores/accounts.ts";
import { type UploadedDocument, uploadedKey } from "../../src/stores/hosted-documents.ts";
import { accountKeys } from "../../src/stores/keys.ts";
import { openPlanRequests } from "../../src/stores/plan-requests.ts";
import { openRecords, type Records } from "../../src/stores/records.ts";
import type { Wallets } from "../../src/stores/wallets.ts";
import { queueKey, requestKey } from "../access/deps.ts";
import { accountListKey } from "../session/receipts/store.ts";
import { WHAT_STAYS } from "./closing-contract.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { accountClosedText } from "./mail/texts.ts";
import { proved } from "./sign-in.ts";
import { openWatches, watchesKey } from "./watches/store.ts";

export interface ClosingDeps {
  broker: Pick<Broker, "buckets">;
  store: AccountStore;
  uploaded: Records<UploadedDocument>;
  wallets: Pick<Wallets, "discard">;
}

type Deps = ClosingDeps &
  Pick<AccountsDeps, "now" | "outbox" | "publicUrl" | "limiter" | "passwords" | "tokens">;

/** How much was removed. */
export interface RemovalCounts {
  sites: number;
  licenses: number;
  projects: number;
  agents: number;
  keys: number;
  access_requests: number;
}

export const closeOwnAccount =
  (deps: Deps): Handlers<typeof accounts>["closeAccount"] =>
  async ({ body }, { principal: { accountId, logInId }, clientAddress }) => {
    const account = (await deps.store.account(accountId))?.value;
    if (!account) return accountGone();
    const who = await proved(deps, account, body.password, { logInId, clientAddress });
    if (who instanceof Failure) return who;
    // Nothing is added to it from here on: every credential of it ends in this step.
    const ended = await changeAccount(deps.store, accountId, (current) => ({
      ...current,
      suspended: true,
      generation: current.generation + 1,
    }));
    if (ended instanceof Failure) return ended;
    const removed = await removeAccount(deps, accountId, emailIdentity(account.email)!);
    const text = accountClosedText(deps.publicUrl);
    await deps.outbox.post(account, text, deps.now() + DAY_MS, { kind: "news", clientAddress });
    return { closed: true as const, removed, stays: [...WHAT_STAYS] };
  };

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
  await openPlanRequests(broker.buckets.accounts).remove(accountId);
  await openWatches(broker.buckets.accounts).remove(watchesKey(accountId));
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
