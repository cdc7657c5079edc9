/** What operators see of account holders, and change. Who did it is written by the front. */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { Tier } from "../../../schemas/license.ts";
import { emailIdentity } from "../../../src/domain/names/email.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { type AccountStore, changeAccount } from "../../../src/stores/accounts.ts";
import { accountKeys } from "../../../src/stores/keys.ts";
import type { PlanRequests } from "../../../src/stores/plan-requests.ts";
import type { Outbox } from "../mail/outbox.ts";
import { planDecidedText } from "../mail/texts.ts";
import { planRequestView } from "../plan-choice.ts";
import { shownUser } from "../rules.ts";
import type { holders } from "./contract.ts";

export interface HolderDeps {
  store: AccountStore;
  planRequests: PlanRequests;
  outbox: Pick<Outbox, "post">;
  publicUrl: string;
  /** Milliseconds. */
  now: () => number;
}

export interface PlanDecision {
  /** The plan that was asked for. */
  tier: Tier;
  approve: boolean;
  /** Mailed to the holder. */
  why: string;
}

export const holdersHandlers = (deps: HolderDeps): Handlers<typeof holders> => ({
  listPlanRequests: ({ query: { limit } }) => waitingPlans(deps, limit),

  decidePlanRequest: ({ params: { accountId }, body }) => decidePlan(deps, accountId, body),

  findAccount: async ({ query: { email } }) => {
    const found = await deps.store.byEmail(emailIdentity(email)!);
    return found ? shownHolder(deps, found.value) : fail("not_found", "No account has this address.");
  },

  setPlan: async ({ params: { accountId }, body: { tier } }) => {
    const account = await give(deps, accountId, tier);
    return account instanceof Failure ? account : shownHolder(deps, account);
  },

  suspendAccount: async ({ params: { accountId }, body: { suspended } }) => {
    const account = await change(deps, accountId, (current) => ({
      ...current,
      suspended,
      generation: suspended ? current.generation + 1 : current.generation,
    }));
    return account instanceof Failure ? account : shownHolder(deps, account);
  },
});

/** Who waits for which plan, the oldest first. */
export async function waitingPlans(
  { store, planRequests }: Pick<HolderDeps, "store" | "planRequests">,
  limit: number,
) {
  const waiting = await planRequests.waiting();
  const shown = await Promise.all(
    waiting.slice(0, limit).map(async (request) => {
      const account = (await store.account(request.accountId))?.value;
      return account ? [{ user: shownUser(account), request: planRequestView(request)! }] : [];
    }),
  );
  return { total: waiting.length, requests: shown.flat() };
}

/** Answers what an account asks for, and mails its holder. */
export async function decidePlan(deps: HolderDeps, accountId: string, { tier, approve, why }: PlanDecision) {
  const { store, planRequests, outbox, publicUrl, now } = deps;
  const [request, stored] = await Promise.all([planRequests.of(accountId), store.account(accountId)]);
  if (!stored || !request) return fail("not_found", "This account asks for no plan.");
  // What was read is what is decided: the holder may have chosen another one meanwhile.
  if (request.state !== "waiting" || request.tier !== tier)
    return fail("already_decided", `Its request for ${tier} waits no more: list the requests again.`);
  const account = approve ? await give(deps, accountId, tier) : stored.value;
  if (account instanceof Failure) return account;
  if (!approve) await planRequests.put({ ...request, state: "refused", why });
  const text = planDecidedText(publicUrl, { tier, approve, why });
  await outbox.post(account, text, now() + DAY_MS, { kind: "news" });
  return shownHolder(deps, account);
}

/** Gives an account a plan; a request for it is answered with that. */
async function give(deps: Pick<HolderDeps, "store" | "planRequests">, accountId: string, tier: Tier) {
  const changed = await change(deps, accountId, (account) => ({ ...account, tier }));
  if (!(changed instanceof Failure) && (await deps.planRequests.of(accountId))?.tier === tier)
    await deps.planRequests.remove(accountId);
  return changed;
}

/** Changes an account that may be none's any more. */
async function change(
  { store }: Pick<HolderDeps, "store">,
  accountId: string,
  edit: (account: AccountRecord) => AccountRecord,
): Promise<AccountRecord | Failure<"not_found" | "unavailable">> {
  const changed = await changeAccount(store, accountId, edit);
  if (!(changed instanceof Failure)) return changed;
  return changed.code === "unavailable" ? (changed as Failure<"unavailable">) : noAccount();
}

const noAccount = () => fail("not_found", "There is no such account.");

const shownHolder = async ({ planRequests }: Pick<HolderDeps, "planRequests">, account: AccountRecord) => ({
  user: shownUser(account),
  suspended: account.suspended,
  sites: account.sites,
  licenses: accountKeys(account, "license").length,
  projects: accountKeys(account, "project").length,
  agents: accountKeys(account, "agent").length,
  plan_request: planRequestView(await planRequests.of(account.accountId)),
});
