/** The log-ins of an account whose tokens are good: listed, and ended one by one. */
import { type AccountRecord, MOST_ENDED_LOG_INS, MOST_LOG_INS } from "../../schemas/account.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { changeAccount } from "../../src/stores/accounts.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { networkOf } from "./rules.ts";

type LogIn = NonNullable<AccountRecord["logIns"]>[number];
type Deps = Pick<AccountsDeps, "now" | "tokens">;

export const newLogIn = ({ now }: Pick<Deps, "now">, clientAddress: string): LogIn => ({
  id: uuidv7(),
  at: iso(now()),
  from: networkOf(clientAddress),
});

/** The account with a log-in more, without those that are over. Pure. */
export const withLogIn = (deps: Deps, account: AccountRecord, logIn: LogIn): AccountRecord => ({
  ...account,
  logIns: [logIn, ...currentLogIns(deps, account)].slice(0, MOST_LOG_INS),
});

/** Those whose tokens may still be good. */
export const currentLogIns = (deps: Deps, { logIns = [] }: AccountRecord): LogIn[] =>
  logIns.filter(({ at }) => endOf(deps, at) > deps.now());

const endOf = ({ tokens }: Pick<Deps, "tokens">, at: string): number =>
  Date.parse(at) + tokens.lifeSeconds * 1_000;

export const logInHandlers = (
  deps: Deps & Pick<AccountsDeps, "store">,
): Pick<Handlers<typeof accounts>, "listLogIns" | "logOut"> => ({
  listLogIns: async (_, { principal }) => {
    const account = (await deps.store.account(principal.accountId))?.value;
    return {
      log_ins: (account ? currentLogIns(deps, account) : []).map(({ id, at, from }) => ({
        log_in_id: id,
        at,
        expires_at: iso(endOf(deps, at)),
        from,
        is_this: id === principal.logInId,
      })),
    };
  },

  logOut: async ({ body }, { principal }) => {
    const id = body.log_in_id ?? principal.logInId;
    const changed = await changeAccount<"not_found" | "plan_limit">(
      deps.store,
      principal.accountId,
      (account) =>
        id !== undefined &&
        (id === principal.logInId || currentLogIns(deps, account).some((each) => each.id === id))
          ? withEnded(deps, account, id)
          : fail("not_found", "Your account lists no log-in with this id; GET /api/auth/log-ins does."),
    );
    return changed instanceof Failure ? changed : { log_in_id: id!, ended_at: iso(deps.now()) };
  },
});

/** The account with a log-in ended; its token is refused for as long as it would be good. */
function withEnded(deps: Deps, account: AccountRecord, id: string): AccountRecord | Failure<"plan_limit"> {
  const now = deps.now();
  const ended = (account.endedLogIns ?? []).filter((each) => each.id !== id && Date.parse(each.until) > now);
  if (ended.length >= MOST_ENDED_LOG_INS)
    return fail(
      "plan_limit",
      `${MOST_ENDED_LOG_INS} log-ins were ended within a day. A new password (POST /api/auth/password) ends all.`,
    );
  return {
    ...account,
    logIns: (account.logIns ?? []).filter((each) => each.id !== id),
    // Longer than any token that is good now.
    endedLogIns: [{ id, until: iso(now + deps.tokens.lifeSeconds * 1_000) }, ...ended],
  };
}
