/**
 * Passkeys (WebAuthn level 3): keys in people's devices that log in without a password. Challenges are not stored: each is a
 * signed token; one that logged in is remembered by its account until it ends.
 */
import { createHash, randomBytes } from "node:crypto";
import { type AccountRecord, MOST_PASSKEYS, type OwnedPasskey } from "../../schemas/account.ts";
import { openToken, signedToken } from "../../src/domain/signed-token.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { accountGone, changeAccount } from "../../src/stores/accounts.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { newLogIn, withLogIn } from "./log-ins.ts";
import { passkeyAddedText } from "./mail/texts.ts";
import { clientOrigin, withOrigin } from "./rules.ts";
import { loggedIn, proved } from "./sign-in.ts";

type Deps = Pick<
  AccountsDeps,
  "store" | "limiter" | "secret" | "now" | "outbox" | "publicUrl" | "tokens" | "passwords"
>;

const CHALLENGE_MS = 5 * 60_000;
/** Challenges that an account remembers: it cannot log in by passkey more often within five minutes. */
const MOST_USED = 50;
/** COSE: ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257];
const RP_NAME = "Agent-Web Bridge";

type Passkeys = Pick<
  Handlers<typeof accounts>,
  | "getPasskeyOptions"
  | "listPasskeys"
  | "addPasskey"
  | "renamePasskey"
  | "removePasskey"
  | "getPasskeyLogInOptions"
  | "logInWithPasskey"
>;

const LOG_IN = "log-in";

type Added = Parameters<Passkeys["addPasskey"]>[0]["body"]["credential"];

type Assertion = Parameters<Passkeys["logInWithPasskey"]>[0]["body"]["credential"];

export const passkeyHandlers = (deps: Deps): Passkeys => ({
  getPasskeyOptions: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    if (!account) return accountGone();
    return {
      rp_id: partyOf(deps.publicUrl).rpId,
      rp_name: RP_NAME,
      challenge: newChallenge(deps, useOf(accountId)),
      expires_in: CHALLENGE_MS / 1_000,
      user_handle: Buffer.from(accountId).toString("base64url"),
      user_name: account.email,
      algorithms: ALGORITHMS,
      exclude: (account.passkeys ?? []).map(({ credentialId }) => credentialId),
    };
  },

  listPasskeys: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    return { passkeys: (account?.passkeys ?? []).map(shown), most: MOST_PASSKEYS };
  },

  addPasskey: addPasskey(deps),

  renamePasskey: async ({ params: { passkeyId }, body: { name } }, { principal: { accountId } }) => {
    const changed = await changePasskey(deps, accountId, passkeyId, (passkey) => ({ ...passkey, name }));
    return changed instanceof Failure ? changed : shown(changed);
  },

  removePasskey: async ({ params: { passkeyId } }, { principal: { accountId } }) => {
    const removed = await changePasskey(deps, accountId, passkeyId, () => undefined);
    return removed instanceof Failure ? removed : { passkey_id: removed.id, removed: true as const };
  },

  getPasskeyLogInOptions: async () => ({
    rp_id: partyOf(deps.publicUrl).rpId,
    challenge: newChallenge(deps, LOG_IN),
    expires_in: CHALLENGE_MS / 1_000,
  }),

  logInWithPasskey: logInWithPasskey(deps),
});

/** Whom browsers make passkeys for: the registry's host, and its pages' origin. */
function partyOf(publicUrl: string) {
  const { hostname, origin } = new URL(publicUrl);
  return { rpId: hostname, origin };
}

/** A challenge as WebAuthn carries it, in base64url. @param use what it is for, and whose */
function newChallenge({ secret, now }: Deps, use: string): string {
  const nonce = randomBytes(16).toString("base64url");
  return Buffer.from(signedToken(secret, `passkey ${use}`, nonce, now() + CHALLENGE_MS)).toString(
    "base64url",
  );
}

const useOf = (accountId: string): string => `add ${accountId}`;

const shown = ({ id, name, createdAt, usedAt }: OwnedPasskey) => ({
  passkey_id: id,
  name,
  created_at: createdAt,
  last_used_at: usedAt ?? null,
});

const addPasskey =
  (deps: Deps): Passkeys["addPasskey"] =>
  async ({ body: { name, password, credential } }, { principal: { accountId, logInId }, clientAddress }) => {
    const { store, limiter, outbox, publicUrl, now } = deps;
    const account = (await store.account(accountId))?.value;
    if (!account) return accountGone();
    const refused = await limiter.refusal("log_ins", { clientAddress });
    if (refused) return refused;
    const who = await proved(deps, account, password, { logInId, clientAddress });
    if (who instanceof Failure) return who;
    const kept = await verifiedNew(deps, accountId, credential);
    if (!kept) return notAdded("it is not for this registry, or its challenge has ended");
    const passkey: OwnedPasskey = { id: uuidv7(), name, createdAt: iso(now()), ...kept };
    const changed = await changeAccount<"plan_limit" | "invalid_credentials">(store, accountId, (current) => {
      const passkeys = current.passkeys ?? [];
      if (passkeys.some(({ credentialId }) => credentialId === passkey.credentialId))
        return notAdded("the account has it already");
      if (passkeys.length >= MOST_PASSKEYS)
        return fail("plan_limit", `An account has at most ${MOST_PASSKEYS} passkeys: remove one first.`);
      return { ...current, passkeys: [...passkeys, passkey] };
    });
    if (changed instanceof Failure) return changed;
    const text = passkeyAddedText(publicUrl);
    await outbox.post(changed, text, now() + DAY_MS, { kind: "news", clientAddress });
    return shown(passkey);
  };

/** Checks a new passkey. @returns what is kept of it, or why it is refused */
async function verifiedNew(
  deps: Deps,
  accountId: string,
  { id, client_data, attestation_object, transports }: Added,
): Promise<Pick<OwnedPasskey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined> {
  // Loaded when somebody uses a passkey: most starts never do.
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const { rpId, origin } = partyOf(deps.publicUrl);
  try {
    // Statements of makers are asked for by nobody here; to check one would fetch what a stranger's certificate names.
    if (decodeAttestationObject(bytesOf(attestation_object)).get("fmt") !== "none") return undefined;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, attestationObject: attestation_object },
      },
      expectedChallenge: (challenge: string) => holds(deps, useOf(accountId), challenge),
      expectedOrigin: origin,
      expectedRPID: rpId,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const credential = registrationInfo?.credential;
    return (
      credential && {
        credentialId: credential.id,
        counter: credential.counter,
        transports,
        publicKey: textOf(credential.publicKey),
      }
    );
  } catch {
    return undefined;
  }
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));

const holds = ({ secret, now }: Deps, use: string, challenge: string): boolean =>
  openToken(secret, `passkey ${use}`, Buffer.from(challenge, "base64url").toString(), now()) !== undefined;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const notAdded = (why: string) => fail("invalid_credentials", `The passkey was not added: ${why}.`);

/** Changes one passkey of an account. */
async function changePasskey(
  { store }: Deps,
  accountId: string,
  id: string,
  edit: (passkey: OwnedPasskey) => OwnedPasskey | undefined,
) {
  let changed: OwnedPasskey | undefined;
  const account = await changeAccount<"not_found">(store, accountId, (current) => {
    const before = current.passkeys?.find((each) => each.id === id);
    if (!before) return fail("not_found", "The account has no such passkey.");
    const after = edit(before);
    changed = after ?? before;
    return {
      ...current,
      passkeys: current.passkeys!.flatMap((each) => (each.id === id ? (after ?? []) : each)),
    };
  });
  return account instanceof Failure ? account : changed!;
}

const logInWithPasskey =
  (deps: Deps): Passkeys["logInWithPasskey"] =>
  async ({ body: { credential } }, { clientAddress }) => {
    const refused = await deps.limiter.refusal("log_ins", { clientAddress });
    if (refused) return refused;
    // The passkey says whose it is: nobody types an address, and none is revealed.
    const accountId = Buffer.from(credential.user_handle, "base64url").toString();
    const account = /^[0-9a-f-]{36}$/.test(accountId)
      ? (await deps.store.account(accountId))?.value
      : undefined;
    const passkey = account?.passkeys?.find(({ credentialId }) => credentialId === credential.id);
    const use = passkey && (await verifiedUse(deps, passkey, credential));
    if (!account || !passkey || !use) return notGood();
    const logIn = newLogIn(deps, clientAddress);
    const changed = await changeAccount<"invalid_credentials">(deps.store, accountId, (current) => {
      const next = withUse(deps, current, passkey.id, use);
      if (next instanceof Failure) return next;
      const origin = clientOrigin(deps.secret, clientAddress);
      return { ...withLogIn(deps, next, logIn), knownOrigins: withOrigin(next.knownOrigins, origin) };
    });
    if (!(changed instanceof Failure)) return loggedIn(deps, changed, logIn.id);
    return changed.code === "unavailable" ? (changed as Failure<"unavailable">) : notGood();
  };

/** Checks what a passkey signed. @returns its new counter; undefined: it does not hold */
async function verifiedUse(
  deps: Deps,
  passkey: OwnedPasskey,
  { id, client_data, authenticator_data, signature }: Assertion,
): Promise<{ counter: number; challenge: string } | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { rpId, origin } = partyOf(deps.publicUrl);
  let challenge = "";
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
      expectedChallenge: (given: string) => {
        challenge = given;
        return holds(deps, LOG_IN, given);
      },
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: {
        id: passkey.credentialId,
        publicKey: bytesOf(passkey.publicKey),
        counter: passkey.counter,
      },
    });
    return verified ? { counter: authenticationInfo.newCounter, challenge } : undefined;
  } catch {
    return undefined;
  }
}

const notGood = () => fail("invalid_credentials", "This passkey does not log in here.");

/** The account after a log-in by passkey; a challenge logs in once. */
function withUse(
  deps: Deps,
  account: AccountRecord,
  passkeyId: string,
  { counter, challenge }: { counter: number; challenge: string },
): AccountRecord | Failure<"invalid_credentials"> {
  const now = deps.now();
  const digest = digestOf(challenge);
  const used = (account.usedChallenges ?? []).filter(({ until }) => Date.parse(until) > now);
  if (account.suspended || used.length >= MOST_USED || used.some((each) => each.digest === digest))
    return notGood();
  return {
    ...account,
    usedChallenges: [{ digest, until: iso(now + CHALLENGE_MS) }, ...used],
    passkeys: (account.passkeys ?? []).map((each) =>
      each.id === passkeyId ? { ...each, counter, usedAt: iso(now) } : each,
    ),
  };
}

const digestOf = (challenge: string): string => createHash("sha256").update(challenge).digest("base64url");
