/** Whether an account is mailed about its sites: as its holder says, logged in or by the link in such a mail. */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { changeAccount } from "../../../src/stores/accounts.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import { accountOf, linkInvalid } from "../links.ts";

type Deps = Pick<AccountsDeps, "store" | "limiter" | "outbox" | "mailTokens">;

type Notices = Pick<Handlers<typeof accounts>, "setNoticeSettings" | "stopNotices">;

export const noticeHandlers = (deps: Deps): Notices => ({
  setNoticeSettings: async ({ body: { mail } }, { principal: { accountId } }) => {
    const changed = await changeAccount(deps.store, accountId, (account) => withNotices(account, mail));
    return changed instanceof Failure ? changed : shownNotices(deps, changed);
  },

  stopNotices: async ({ body: { token } }, { clientAddress }) => {
    const refused = await deps.limiter.refusal("log_ins", { clientAddress });
    if (refused) return refused;
    const account = await accountOf(deps, "notices", token);
    if (!account) return linkInvalid();
    const changed = await changeAccount(deps.store, account.accountId, (current) =>
      withNotices(current, false),
    );
    return changed instanceof Failure ? linkInvalid() : { email: account.email, mail: false };
  },
});

export const shownNotices = ({ outbox }: Pick<Deps, "outbox">, { noticesOff }: AccountRecord) => ({
  mail: noticesOff !== true,
  sends_mail: outbox.isOpen,
});

/** The account with notices or without. */
const withNotices = ({ noticesOff: _, ...account }: AccountRecord, mail: boolean): AccountRecord =>
  ({ ...account, ...(!mail && { noticesOff: true }) }) as AccountRecord;
