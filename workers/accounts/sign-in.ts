/** Registration, log-in and password changes. */
import type { AccountRecord } from "../../schemas/account.ts";
import { KeyedMutex } from "../../src/concurrency/keyed-mutex.ts";
import { customerGroup } from "../../src/domain/names/address.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { seededUuid } from "../../src/rpc/ids.ts";
import { type Payer, rateLimited } from "../../src/rpc/limits.ts";
import { changeAccount, createAccount, emailKey, withPassword } from "../../src/stores/accounts.ts";
import { isOutdatedHash } from "../../src/stores/passwords.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { sendEmailProof } from "./links.ts";
import { currentLogIns, newLogIn, withLogIn } from "./log-ins.ts";
import { signUpTriedText } from "./mail/texts.ts";
import { clientOrigin, networkOf, shownUser, withOrigin } from "./rules.ts";

type Deps = Pick<
  AccountsDeps,
  | "store"
  | "passwords"
  | "tokens"
  | "limiter"
  | "secret"
  | "now"
  | "outbox"
  | "publicUrl"
  | "log"
  | "mailTokens"
>;

/** A log-in so new needs no password again. */
const FRESH_MS = 10 * 60_000;
/** Maximum waiting log-ins per account and address. */
const MAX_WAITING = 64;

/** The same message for every failed log-in. */
const WRONG = "The e-mail address or the password is wrong.";
/** An account id that does not exist. Unknown addresses look it up, so that both cases take equally long. */
const NOBODY = "nobody";
/** Units of `registrations` that one of an address with an account counts beside its own: it tells that there is one. */
const MORE_OF_A_TAKEN_ADDRESS = 4;

type SignIn = Pick<Handlers<typeof accounts>, "registerAccount" | "logIn" | "changePassword">;

/** @param id of the log-in, which its account lists by it */
export const loggedIn = async ({ tokens }: Pick<Deps, "tokens">, account: AccountRecord, id: string) => ({
  token: await tokens.issue(account.accountId, { gen: account.generation }, id),
  expires_in: tokens.lifeSeconds,
  user: shownUser(account),
});

/**
 * Verifies a password. The attempt is charged first and refunded on success, so that concurrent attempts allow no more
 * guesses than sequential ones, and successful log-ins are never limited.
 * @returns the failure, or whether the password is right
 */
async function checked(
  { limiter, passwords }: Pick<AccountsDeps, "limiter" | "passwords">,
  payer: Payer,
  network: string,
  { password, stored }: { password: string; stored: string | undefined },
): Promise<boolean | Failure<"rate_limited" | "unavailable">> {
  const admission = await limiter.charge("log_ins", payer);
  if (!admission.ok) return rateLimited(admission.failure);
  const right = await passwords.verify(password, stored, network);
  if (right !== false) await limiter.refund(admission.charged);
  return right ?? busy();
}

const busy = () => fail("unavailable", "Too many concurrent password checks.", { retryAfterSeconds: 1 });

/** Who pays for a guess at the current password of the account that they are logged in to. */
const passwordPayer = (accountId: string, clientAddress: string): Payer => ({
  login: `${accountId}\n${customerGroup(clientAddress) ?? "inside"}`,
  account: accountId,
  clientAddress,
});

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
  const right = await checked(
    deps,
    passwordPayer(account.accountId, clientAddress),
    networkOf(clientAddress),
    {
      password,
      stored: account.passwordHash,
    },
  );
  return right === false ? fail("invalid_credentials", "The password is wrong.") : right;
}

const isFresh = (
  deps: Pick<Deps, "now" | "tokens">,
  account: AccountRecord,
  logInId: string | undefined,
): boolean =>
  currentLogIns(deps, account).some(({ id, at }) => id === logInId && deps.now() - Date.parse(at) < FRESH_MS);

export function signInHandlers(deps: Deps): SignIn {
  // Serial by key: concurrent guesses at one password must not overtake their count.
  const byCaller = new KeyedMutex(MAX_WAITING);
  return {
    registerAccount: registerHandler(deps),
    logIn: loginHandler(deps, byCaller),
    changePassword: passwordHandler(deps, byCaller),
  };
}

function registerHandler(deps: Deps): SignIn["registerAccount"] {
  const { store, passwords, limiter, now } = deps;
  return async ({ body: { email, password, name } }, { clientAddress, seed }) => {
    const accountId = seededUuid(seed, "account");
    const made = seed === undefined ? undefined : await madeBefore(deps, emailIdentity(email)!, accountId);
    if (made) return { user: shownUser(made) };
    // Checked before the address is looked up, so that a refusal does not reveal whether it is taken.
    const refused = await limiter.refusal("registrations", { clientAddress });
    if (refused) return refused;
    const identity = emailIdentity(email)!;
    const taken = async () => {
      await limiter.charge("registrations", { clientAddress }, MORE_OF_A_TAKEN_ADDRESS);
      void tellHolder(deps, identity, clientAddress).catch((error: unknown) =>
        deps.log.warn({ err: error }, "the holder of an address was not told of a registration"),
      );
      return fail("email_taken", "An account with this e-mail address exists: log in.");
    };
    const isTaken = (await store.emails.get(emailKey(identity))) !== undefined;
    // Of a taken address too, so that both cases take equally long: the page says nothing of which it was.
    const passwordHash = await passwords.hash(password, networkOf(clientAddress));
    if (passwordHash === undefined) return busy();
    if (isTaken) return taken();
    const account = await createAccount(store, {
      accountId,
      email,
      name,
      passwordHash,
      createdAt: iso(now()),
      // Of its time: where the call of a closed account is repeated, no token of that account is good again.
      generation: seed === undefined ? 1 : Math.floor(now()),
    });
    if (!account) return taken();
    // Best effort: it can be asked for again.
    await sendEmailProof(deps, account, clientAddress).catch((error: unknown) =>
      deps.log.warn({ err: error }, "a proof of an address was not mailed"),
    );
    return { user: shownUser(account) };
  };
}

/** The account that an earlier attempt of the same call made. */
async function madeBefore(
  { store }: Deps,
  identity: string,
  accountId: string,
): Promise<AccountRecord | undefined> {
  const account = (await store.account(accountId))?.value;
  const pointer = account && (await store.emails.get(emailKey(identity)));
  return pointer?.value.accountId === accountId ? account : undefined;
}

/** Mails the holder of an address that somebody tried to open an account with it, within the limit of mails. */
async function tellHolder(
  { store, outbox, publicUrl, now }: Deps,
  identity: string,
  clientAddress: string,
): Promise<void> {
  const account = outbox.isOpen ? (await store.byEmail(identity))?.value : undefined;
  if (!account || account.suspended) return;
  const text = signUpTriedText(publicUrl);
  await outbox.post(account, text, now() + DAY_MS, { kind: "asked", clientAddress });
}

const loginHandler =
  (deps: Deps, byCaller: KeyedMutex): SignIn["logIn"] =>
  async ({ body: { email, password } }, { clientAddress }) => {
    const identity = emailIdentity(email)!;
    const origin = clientOrigin(deps.secret, clientAddress);
    const work = () => verifyAndLogIn(deps, identity, origin, { password, clientAddress });
    const outcome = await byCaller.run(`${identity}\n${origin}`, work);
    return outcome === "full" ? busy() : outcome;
  };

async function verifyAndLogIn(
  deps: Deps,
  identity: string,
  origin: string,
  { password, clientAddress }: { password: string; clientAddress: string },
): Promise<Awaited<ReturnType<SignIn["logIn"]>>> {
  const { store, passwords } = deps;
  const pointer = await store.emails.get(emailKey(identity));
  const stored = await store.account(pointer?.value.accountId ?? NOBODY);
  // At an origin that the account was used from, attempts from elsewhere, even in the same network, do not lock it out.
  const known = stored?.value.knownOrigins.includes(origin) ?? false;
  const payer = { login: `${identity}\n${origin}`, ...(!known && { account: identity, clientAddress }) };
  const network = networkOf(clientAddress);
  // A suspended account fails like a wrong password.
  const hash = stored?.value.suspended ? undefined : stored?.value.passwordHash;
  const right = await checked(deps, payer, network, { password, stored: hash });
  if (right instanceof Failure) return right;
  if (!stored || !right) return fail("invalid_credentials", WRONG);
  const account = stored.value;
  const renewed = isOutdatedHash(account.passwordHash) ? await passwords.hash(password, network) : undefined;
  const logIn = newLogIn(deps, clientAddress);
  // Best effort: a log-in does not fail if this update does.
  await changeAccount(store, account.accountId, (current) => ({
    ...withLogIn(deps, current, logIn),
    knownOrigins: withOrigin(current.knownOrigins, origin),
    // Only over the hash that was verified: the password may have changed meanwhile.
    ...(renewed && current.passwordHash === account.passwordHash && { passwordHash: renewed }),
  }));
  return loggedIn(deps, account, logIn.id);
}

async function changePassword(
  deps: Deps,
  accountId: string,
  clientAddress: string,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<Awaited<ReturnType<SignIn["changePassword"]>>> {
  const { store, passwords } = deps;
  const before = (await store.account(accountId))?.value;
  const network = networkOf(clientAddress);
  const right = await checked(deps, passwordPayer(accountId, clientAddress), network, {
    password: current_password,
    stored: before?.passwordHash,
  });
  if (right instanceof Failure) return right;
  if (!before || !right) return fail("invalid_credentials", "The current password is wrong.");
  const passwordHash = await passwords.hash(new_password, network);
  if (passwordHash === undefined) return busy();
  const logIn = newLogIn(deps, clientAddress);
  const changed = await changeAccount<"invalid_credentials">(store, accountId, (account) =>
    account.passwordHash === before.passwordHash
      ? withPassword(account, passwordHash, [logIn])
      : fail("invalid_credentials", "The current password is wrong."),
  );
  return changed instanceof Failure ? changed : loggedIn(deps, changed, logIn.id);
}

const passwordHandler =
  (deps: Deps, byCaller: KeyedMutex): SignIn["changePassword"] =>
  async ({ body }, { principal: { accountId }, clientAddress }) => {
    const outcome = await byCaller.run(accountId, () => changePassword(deps, accountId, clientAddress, body));
    return outcome === "full" ? busy() : outcome;
  };
