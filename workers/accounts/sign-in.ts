/** Registration, log-in and password changes. */
import type { AccountRecord } from "../../schemas/account.ts";
import { accountKey, changeAccount, emailKey } from "../../src/accounts.ts";
import type { Counters } from "../../src/adapters/nats/counters.ts";
import type { Handlers } from "../../src/contract.ts";
import { emailIdentity } from "../../src/domain/email.ts";
import { Failure, fail } from "../../src/errors.ts";
import { uuidv7 } from "../../src/ids.ts";
import { type Limit, takeOne } from "../../src/limits.ts";
import { isOutdated } from "../../src/passwords.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./handlers.ts";
import {
  loginLimits,
  originOf,
  passwordLimits,
  registerLimits,
  shownUser,
  takenLimits,
  withOrigin,
} from "./rules.ts";

/** One text for every failed log-in. */
const WRONG = "The e-mail address or the password is wrong.";
/** An account that is nowhere: looked for where an address has none, so that both look-ups take as long. */
const NOBODY = "nobody";

const busy = () =>
  fail("unavailable", "Too many passwords are being checked right now.", { retryAfterSeconds: 1 });

/** Counts an attempt. @returns the refusal when it is one too many */
export const throttled = async (
  { counters, now }: Pick<AccountsDeps, "counters" | "now">,
  limits: readonly Limit[],
): Promise<Failure<"rate_limited"> | undefined> => {
  const admission = await takeOne(counters, limits, now);
  return admission.ok ? undefined : fail("rate_limited", admission.failure.detail, admission.failure);
};

/** Attempts that succeeded are not held against anybody. */
const giveBack = async (counters: Counters, limits: readonly Limit[]): Promise<void> => {
  await Promise.all(limits.map(({ window, key }) => counters.add(window, key, -1)));
};

type SignIn = Pick<Handlers<typeof accounts>, "register" | "login" | "changePassword">;

const loggedIn = async ({ tokens }: AccountsDeps, account: AccountRecord) => ({
  token: await tokens.issue(account.accountId, { gen: account.generation }),
  expires_in: tokens.lifeSeconds,
  user: shownUser(account),
});

/** Of registrations of one address at once, the one whose pointer is first has it. */
const create = async (
  { store }: AccountsDeps,
  identity: string,
  account: AccountRecord,
): Promise<boolean> => {
  await store.accounts.compareAndSet(accountKey(account.accountId), account, 0);
  const pointer = { v: 1 as const, accountId: account.accountId };
  if ((await store.emails.compareAndSet(emailKey(identity), pointer, 0)) !== undefined) return true;
  await store.accounts.remove(accountKey(account.accountId));
  return false;
};

const registerHandler = (deps: AccountsDeps): SignIn["register"] => {
  const { store, passwords, counters, secret, now } = deps;
  return async ({ body: { email, password, name } }, { clientAddress }) => {
    const origin = originOf(secret, clientAddress);
    const untaken = takenLimits(origin);
    const refused = await throttled(deps, [...untaken, ...registerLimits(origin)]);
    if (refused) return refused;
    const identity = emailIdentity(email)!;
    const taken = fail("email_taken", "There is an account with this e-mail address: log in.");
    if (await store.emails.get(emailKey(identity))) return taken;
    await giveBack(counters, untaken);
    const passwordHash = await passwords.hash(password);
    if (passwordHash === undefined) return busy();
    const account: AccountRecord = {
      v: 1,
      accountId: uuidv7(),
      email: email.normalize("NFC"),
      name,
      passwordHash,
      tier: "free",
      generation: 1,
      suspended: false,
      createdAt: new Date(now()).toISOString(),
      knownOrigins: [],
      sites: [],
      licences: [],
      projects: [],
    };
    return (await create(deps, identity, account)) ? { user: shownUser(account) } : taken;
  };
};

const loginHandler = (deps: AccountsDeps): SignIn["login"] => {
  const { store, passwords, counters, secret } = deps;
  return async ({ body: { email, password } }, { clientAddress }) => {
    const identity = emailIdentity(email)!;
    const pointer = await store.emails.get(emailKey(identity));
    const stored = await store.account(pointer?.value.accountId ?? NOBODY);
    const origin = originOf(secret, clientAddress);
    const known = stored?.value.knownOrigins.includes(origin.customer) ?? false;
    const limits = loginLimits(secret, identity, origin, known);
    const refused = await throttled(deps, limits);
    if (refused) return refused;
    const right = await passwords.verify(password, stored?.value.passwordHash);
    if (right === undefined) {
      await giveBack(counters, limits);
      return busy();
    }
    if (!stored || !right || stored.value.suspended) return fail("invalid_credentials", WRONG);
    await giveBack(counters, limits);
    const account = stored.value;
    const renewed = isOutdated(account.passwordHash) ? await passwords.hash(password) : undefined;
    if (renewed === undefined && account.knownOrigins[0] === origin.customer) return loggedIn(deps, account);
    // What is remembered here is a help: a log-in does not fail for it.
    await changeAccount(store, account.accountId, (current) => ({
      ...current,
      knownOrigins: withOrigin(current.knownOrigins, origin),
      // Only over the hash that was checked: the password may have been changed meanwhile.
      ...(renewed && current.passwordHash === account.passwordHash && { passwordHash: renewed }),
    }));
    return loggedIn(deps, account);
  };
};

const passwordHandler = (deps: AccountsDeps): SignIn["changePassword"] => {
  const { store, passwords, counters } = deps;
  return async ({ body: { current_password, new_password } }, { principal: { accountId } }) => {
    const limits = passwordLimits(accountId);
    const refused = await throttled(deps, limits);
    if (refused) return refused;
    const before = (await store.account(accountId))?.value;
    const right = await passwords.verify(current_password, before?.passwordHash);
    if (right === undefined) return busy();
    if (!before || !right) return fail("invalid_credentials", "The current password is wrong.");
    await giveBack(counters, limits);
    const passwordHash = await passwords.hash(new_password);
    if (passwordHash === undefined) return busy();
    const changed = await changeAccount<"invalid_credentials">(store, accountId, (account) =>
      account.passwordHash === before.passwordHash
        ? { ...account, passwordHash, generation: account.generation + 1 }
        : fail("invalid_credentials", "The current password is wrong."),
    );
    return changed instanceof Failure ? changed : loggedIn(deps, changed);
  };
};

export const signInHandlers = (deps: AccountsDeps): SignIn => ({
  register: registerHandler(deps),
  login: loginHandler(deps),
  changePassword: passwordHandler(deps),
});
