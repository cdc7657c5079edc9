/** What a person may ask of an account as a whole: a copy of it, and its end. */
import type { AccountRecord } from "../../schemas/account.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { accountGone, changeAccount } from "../../src/stores/accounts.ts";
import { accountKeys } from "../../src/stores/keys.ts";
import { shownAgent, shownLicense, shownProject } from "../keys/rules.ts";
import { removeAccount, WHAT_STAYS } from "./closing.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { currentLogIns } from "./log-ins.ts";
import { accountClosedText } from "./mail/texts.ts";
import { shownUser } from "./rules.ts";
import { checked, networkOf } from "./sign-in.ts";

type Deps = Pick<
  AccountsDeps,
  | "store"
  | "wallets"
  | "now"
  | "outbox"
  | "publicUrl"
  | "broker"
  | "uploaded"
  | "limiter"
  | "passwords"
  | "tokens"
>;

/** A log-in so new needs no password again. */
const FRESH_MS = 10 * 60_000;

type OwnData = Pick<Handlers<typeof accounts>, "exportAccount" | "closeAccount">;

/** Proves again who asks: by the password, or by a log-in that is new. */
export async function proved(
  deps: Pick<Deps, "now" | "tokens" | "limiter" | "passwords">,
  account: AccountRecord,
  password: string | undefined,
  { logInId, clientAddress }: { logInId: string | undefined; clientAddress: string },
): Promise<true | Failure<"invalid_credentials" | "rate_limited" | "unavailable">> {
  if (password === undefined)
    return (
      isFresh(deps, account, logInId) ||
      fail("invalid_credentials", "Send the password, or log in again less than ten minutes before.")
    );
  const payer = { account: account.accountId, clientAddress };
  const right = await checked(deps, "password_changes", payer, networkOf(clientAddress), {
    password,
    stored: account.passwordHash,
  });
  return right === false ? fail("invalid_credentials", "The password is wrong.") : right;
}

const isFresh = (
  deps: Pick<Deps, "now" | "tokens">,
  account: AccountRecord,
  logInId: string | undefined,
): boolean =>
  currentLogIns(deps, account).some(({ id, at }) => id === logInId && deps.now() - Date.parse(at) < FRESH_MS);

export const ownDataHandlers = (deps: Deps): OwnData => ({
  exportAccount: exportAccount(deps),
  closeAccount: closeAccount(deps),
});

const exportAccount =
  ({ store, wallets, now }: Deps): OwnData["exportAccount"] =>
  async (_, { principal: { accountId } }) => {
    const account = (await store.account(accountId))?.value;
    if (!account) return accountGone();
    const { sites, agentBlocks = [], logIns = [] } = account;
    const kept = await wallets.list(accountId);
    return {
      exported_at: iso(now()),
      user: shownUser(account),
      proved_email: account.provedEmail ?? null,
      notices_by_mail: account.noticesOff !== true,
      sites,
      licenses: accountKeys(account, "license").map((license) => shownLicense(license, now())),
      projects: accountKeys(account, "project").map(shownProject),
      agents: accountKeys(account, "agent").map((agent) => shownAgent(agent, account)),
      agent_blocks: agentBlocks.map(({ agentId, name, kind, at }) => ({
        agent_id: agentId,
        agent_name: name,
        kind,
        at,
      })),
      wallet: kept.map(({ domain, addedAt }) => ({ domain, added_at: addedAt })),
      log_ins: logIns.map(({ id, at, from }) => ({ log_in_id: id, at, from })),
      known_addresses: account.knownOrigins.length,
      stays_after_closing: [...WHAT_STAYS],
    };
  };

const closeAccount =
  (deps: Deps): OwnData["closeAccount"] =>
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
