/** Links in mails: they prove the account's address, or let a new password be chosen. */
import type { AccountRecord } from "../../schemas/account.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { accountGone, changeAccount, withPassword } from "../../src/stores/accounts.ts";
import type { MailTokenUse } from "../../src/stores/mail-tokens.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { emailProofText, passwordChangedText, passwordResetText } from "./mail/texts.ts";
import { networkOf } from "./rules.ts";

type Deps = Pick<
  AccountsDeps,
  "store" | "passwords" | "limiter" | "now" | "outbox" | "mailTokens" | "publicUrl" | "log"
>;

type Links = Pick<
  Handlers<typeof accounts>,
  "requestEmailProof" | "proveEmail" | "requestPasswordLink" | "resetPassword"
>;

const DAY_MS = 86_400_000;

/** What a link holds for: it ends when that changes. */
export const bindingOf = {
  email: ({ email }: AccountRecord) => email,
  notices: ({ email }) => email,
  password: ({ passwordHash, generation }: AccountRecord) => `${generation} ${passwordHash}`,
} satisfies Record<MailTokenUse, (account: AccountRecord) => string>;

export const linkHandlers = (deps: Deps): Links => ({
  requestEmailProof: async (_, { principal: { accountId }, clientAddress }) => {
    const { store, outbox } = deps;
    if (!outbox.isOpen) return noMail();
    const account = (await store.account(accountId))?.value;
    if (!account) return accountGone();
    const until = await sendEmailProof(deps, account, clientAddress);
    if (until instanceof Failure) return until;
    return until === undefined ? notAccepted() : { sent_to: account.email, ends_at: iso(until) };
  },

  proveEmail: async ({ body: { token } }, { clientAddress }) => {
    const refused = await deps.limiter.refusal("log_ins", { clientAddress });
    if (refused) return refused;
    const account = await accountOf(deps, "email", token);
    if (!account) return linkInvalid();
    const changed = await changeAccount<"link_invalid">(deps.store, account.accountId, (current) => {
      if (current.email !== account.email) return linkInvalid();
      const { emailRefusedAt: _, ...kept } = current;
      return { ...kept, provedEmail: current.email };
    });
    return changed instanceof Failure ? linkInvalid() : { email: account.email, proved: true };
  },

  requestPasswordLink: async ({ body: { email } }, { clientAddress }) => {
    const { outbox, log } = deps;
    if (!outbox.isOpen) return noMail();
    const identity = emailIdentity(email)!;
    const refused = await outbox.admit(identity, clientAddress);
    if (refused) return refused;
    void sendPasswordLink(deps, identity).catch((error: unknown) =>
      log.warn({ err: error }, "a link for a new password was not mailed"),
    );
    return { accepted: true };
  },

  resetPassword: resetPassword(deps),
});

const noMail = () =>
  fail("mail_unavailable", "This registry sends no mail: its operator has set up no mail server.");

/** Has a mail sent that proves the address. @returns when its link ends; undefined where no mail is accepted; or too many were sent */
export async function sendEmailProof(
  { outbox, mailTokens, publicUrl, now }: Pick<AccountsDeps, "outbox" | "mailTokens" | "publicUrl" | "now">,
  account: AccountRecord,
  clientAddress: string,
): Promise<number | undefined | Failure<"rate_limited">> {
  const token = mailTokens.issue("email", account.accountId, bindingOf.email(account));
  const lifeMs = mailTokens.lifeMs.email;
  const until = now() + lifeMs;
  const text = emailProofText(publicUrl, token, lifeMs);
  const posted = await outbox.post(account, text, until, { kind: "asked", clientAddress });
  return posted === true ? until : posted || undefined;
}

const notAccepted = () =>
  fail("mail_unavailable", "Too many mails wait to be sent.", { retryAfterSeconds: 60 });

/** The account of a link that holds. */
export async function accountOf(
  { store, mailTokens }: Pick<Deps, "store" | "mailTokens">,
  use: MailTokenUse,
  token: string,
): Promise<AccountRecord | undefined> {
  const link = mailTokens.read(use, token);
  const account = link && (await store.account(link.accountId))?.value;
  return account && !account.suspended && link.holds(bindingOf[use](account)) ? account : undefined;
}

export const linkInvalid = () =>
  fail("link_invalid", "The link has ended, was used, or was not copied whole. Ask for a new one.");

/** Mails a link to the holder of an account. Whoever asked does not wait for it, nor hear whether there is one. */
async function sendPasswordLink(deps: Deps, identity: string): Promise<void> {
  const account = (await deps.store.byEmail(identity))?.value;
  if (!account || account.suspended) return;
  const { outbox, mailTokens, publicUrl, now } = deps;
  const token = mailTokens.issue("password", account.accountId, bindingOf.password(account));
  const until = now() + mailTokens.lifeMs.password;
  await outbox.post(account, passwordResetText(publicUrl, token), until, { kind: "admitted" });
}

const resetPassword =
  (deps: Deps): Links["resetPassword"] =>
  async ({ body: { token, new_password } }, { clientAddress }) => {
    const { limiter, passwords, store, outbox, publicUrl, now } = deps;
    const refused = await limiter.refusal("log_ins", { clientAddress });
    if (refused) return refused;
    const account = await accountOf(deps, "password", token);
    if (!account) return linkInvalid();
    const passwordHash = await passwords.hash(new_password, networkOf(clientAddress));
    if (passwordHash === undefined)
      return fail("unavailable", "Too many concurrent password checks.", { retryAfterSeconds: 1 });
    const changed = await changeAccount<"link_invalid">(store, account.accountId, (current) =>
      bindingOf.password(current) === bindingOf.password(account)
        ? { ...withPassword(current, passwordHash), provedEmail: current.email }
        : linkInvalid(),
    );
    if (changed instanceof Failure)
      return changed.code === "authentication_required"
        ? linkInvalid()
        : (changed as Failure<"link_invalid">);
    const text = passwordChangedText(publicUrl);
    await outbox.post(changed, text, now() + DAY_MS, { kind: "news", clientAddress });
    return { email: changed.email, changed: true };
  };
