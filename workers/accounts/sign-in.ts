/** Registration, log-in and password changes. */
import type { AccountRecord } from "../../schemas/account.ts";
import { accountKey, changeAccount, emailKey } from "../../src/accounts.ts";
import type { Handlers } from "../../src/contract.ts";
import { emailIdentity } from "../../src/domain/email.ts";
import { Failure, fail } from "../../src/errors.ts";
import { uuidv7 } from "../../src/ids.ts";
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
import { countFailure, spent, throttled } from "./throttle.ts";

/** One text for every failed log-in. */
const WRONG = "The e-mail address or the password is wrong.";
/** An account that is nowhere: looked for where an address has none, so that both look-ups take as long. */
const NOBODY = "nobody";

const busy = () =>
  fail("unavailable", "Too many passwords are being checked right now.", { retryAfterSeconds: 1 });

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
  const { store, passwords, secret, now } = deps;
  return async ({ body: { email, password, name } }, { clientAddress }) => {
    const origin = originOf(secret, clientAddress);
    const ofTaken = takenLimits(origin);
    const refused = (await spent(deps, ofTaken)) ?? (await throttled(deps, registerLimits(origin)));
    if (refused) return refused;
    const identity = emailIdentity(email)!;
    const taken = async () => {
      await countFailure(deps, ofTaken);
      return fail("email_taken", "There is an account with this e-mail address: log in.");
    };
    if (await store.emails.get(emailKey(identity))) return taken();
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
    return (await create(deps, identity, account)) ? { user: shownUser(account) } : taken();
  };
};

const loginHandler = (deps: AccountsDeps): SignIn["login"] => {
  const { store, passwords, secret } = deps;
  return async ({ body: { email, password } }, { clientAddress }) => {
    const identity = emailIdentity(email)!;
    const pointer = await store.emails.get(emailKey(identity));
    const stored = await store.account(pointer?.value.accountId ?? NOBODY);
    const origin = originOf(secret, clientAddress);
    const known = stored?.value.knownOrigins.includes(origin.customer) ?? false;
    const limits = loginLimits(secret, identity, origin, known);
    const refused = await spent(deps, limits);
    if (refused) return refused;
    const right = await passwords.verify(password, stored?.value.passwordHash);
    if (right === undefined) return busy();
    if (!stored || !right || stored.value.suspended) {
      await countFailure(deps, limits);
      return fail("invalid_credentials", WRONG);
    }
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
  const { store, passwords } = deps;
  return async ({ body: { current_password, new_password } }, { principal: { accountId } }) => {
    const limits = passwordLimits(accountId);
    const refused = await spent(deps, limits);
    if (refused) return refused;
    const before = (await store.account(accountId))?.value;
    const right = await passwords.verify(current_password, before?.passwordHash);
    if (right === undefined) return busy();
    if (!before || !right) {
      await countFailure(deps, limits);
      return fail("invalid_credentials", "The current password is wrong.");
    }
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
