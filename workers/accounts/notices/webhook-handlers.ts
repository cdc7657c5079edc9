/** The webhook of an account's notices, as its holder sets, tests and removes it. */
import { isIP } from "node:net";
import type { AccountRecord } from "../../../schemas/account.ts";
import type { NoticeWebhook } from "../../../schemas/notice.ts";
import { checkAddresses } from "../../../src/domain/names/target.ts";
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { accountGone, changeAccount } from "../../../src/stores/accounts.ts";
import { refuseCallback } from "../../provider/callback.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";

type NoticeWebhooks = Pick<
  Handlers<typeof accounts>,
  | "noticeWebhook"
  | "setNoticeWebhook"
  | "testNoticeWebhook"
  | "rotateNoticeWebhookSecret"
  | "removeNoticeWebhook"
>;

const none = (): Failure<"not_found"> =>
  fail("not_found", "The account has no webhook for notices. Set one with setNoticeWebhook.");

const shown = async ({ hooks }: AccountsDeps, { webhook }: AccountRecord): Promise<NoticeWebhook> => {
  if (!webhook) return { url: null, state: "none", off_reason: null, created_at: null, last_delivery: null };
  const { url, createdAt, off, last } = webhook;
  const delivery = last === undefined ? undefined : await hooks.deliveryOf(last);
  return {
    url,
    state: off ? "off" : "on",
    off_reason: off?.reason ?? null,
    created_at: createdAt,
    last_delivery: delivery ?? null,
  };
};

/** Plain http goes only where the operator opened an address that is not public: a receiver on his own machine. */
const isPlain = (text: string): boolean => {
  const url = URL.parse(text);
  if (url?.protocol !== "http:") return false;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 || checkAddresses([host], Number(url.port) || 80, []) === undefined;
};

const refused = (deps: AccountsDeps, url: string) =>
  isPlain(url)
    ? fail("invalid_callback", "url is not https.", {
        errors: [{ pointer: "/body/url", code: "invalid_callback", message: "is not https" }],
      })
    : refuseCallback(deps, url, undefined, "url");

export const noticeWebhookHandlers = (deps: AccountsDeps): NoticeWebhooks => {
  const { store, hooks, now } = deps;

  const change = (accountId: string, edit: (account: AccountRecord) => AccountRecord) =>
    changeAccount(store, accountId, (account): AccountRecord | Failure<"not_found"> =>
      account.webhook ? edit(account) : none(),
    );

  return {
    noticeWebhook: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return account ? shown(deps, account) : accountGone();
    },

    setNoticeWebhook: async ({ body: { url } }, { principal: { accountId } }) => {
      const failure = await refused(deps, url);
      if (failure) return failure;
      const { secret, sealed } = hooks.newSecret(accountId);
      const webhook = { url: new URL(url).href, secret: sealed, createdAt: iso(now()) };
      const changed = await changeAccount(store, accountId, (account) => ({ ...account, webhook }));
      return changed instanceof Failure ? changed : { ...(await shown(deps, changed)), secret };
    },

    testNoticeWebhook: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      if (!account) return accountGone();
      if (!account.webhook) return none();
      const last = await hooks.send(account, "test", []);
      if (last === undefined)
        return fail("rate_limited", "Too many webhooks wait for this receiver.", { retryAfterSeconds: 60 });
      const changed = await change(accountId, (current) => ({
        ...current,
        webhook: { ...current.webhook!, last },
      }));
      return changed instanceof Failure ? changed : shown(deps, changed);
    },

    rotateNoticeWebhookSecret: async (_, { principal: { accountId } }) => {
      const { secret, sealed } = hooks.newSecret(accountId);
      const changed = await change(accountId, (account) => ({
        ...account,
        webhook: { ...account.webhook!, secret: sealed },
      }));
      return changed instanceof Failure ? changed : { ...(await shown(deps, changed)), secret };
    },

    removeNoticeWebhook: async (_, { principal: { accountId } }) => {
      const changed = await change(
        accountId,
        ({ webhook: _webhook, ...account }) => account as AccountRecord,
      );
      return changed instanceof Failure ? changed : shown(deps, changed);
    },
  };
};
