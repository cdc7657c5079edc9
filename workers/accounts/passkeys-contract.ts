/** Operations on passkeys (WebAuthn): added, named, removed, and used to log in. Bytes are in base64url, as browsers' JSON has them. */
import { z } from "zod";
import { LoggedIn, MOST_PASSKEYS } from "../../schemas/account.ts";
import { Timestamp } from "../../schemas/common.ts";
import type { Operations } from "../../src/rpc/contract.ts";
import { plainTextSchema } from "../../src/rpc/validation.ts";
import { HASH_TIMEOUT_MS, Password } from "./fields.ts";

const bytes = (most: number, description: string) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, "must be base64url")
    .meta({ description });
const CredentialId = bytes(1_400, "id of the credential");
const ClientData = bytes(2_048, "clientDataJSON");

const Name = plainTextSchema(64).min(1).meta({ example: "my phone" });
const Params = z.object({ passkeyId: z.uuid() });

const Passkey = z
  .object({
    passkey_id: z.uuid(),
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: "Passkey", description: "A key in a device of the account's holder" });

const Seconds = z.int().meta({ description: "Seconds that the challenge holds", example: 300 });

export const passkeyOperations = {
  getPasskeyOptions: {
    method: "GET",
    paths: ["/api/account/passkeys/options"],
    summary: "What a browser makes a new passkey of the account with",
    description:
      "For `navigator.credentials.create`, with `residentKey` and `userVerification` required, without attestation.",
    auth: "account",
    reply: z
      .object({
        rp_id: z.string(),
        rp_name: z.string(),
        challenge: z.string(),
        expires_in: Seconds,
        user_handle: z.string(),
        user_name: z.string(),
        algorithms: z.array(z.int()).meta({ description: "COSE algorithms" }),
        exclude: z.array(z.string()).meta({ description: "Credentials that the account has" }),
      })
      .meta({ id: "PasskeyOptions" }),
    errors: ["authentication_required"],
    example: "/api/account/passkeys/options",
  },
  listPasskeys: {
    method: "GET",
    paths: ["/api/account/passkeys"],
    summary: "Passkeys of the account",
    auth: "account",
    reply: z
      .object({ passkeys: z.array(Passkey), most: z.int() })
      .meta({ id: "Passkeys", description: `At most ${MOST_PASSKEYS}` }),
    errors: [],
    example: "/api/account/passkeys",
  },
  addPasskey: {
    method: "POST",
    makes: true,
    paths: ["/api/account/passkeys"],
    summary: "Add a passkey, which logs in to the account from then on",
    description:
      "With the password, or without it by a log-in of the last ten minutes. The holder is told by mail.",
    auth: "account",
    charges: { log_ins: 1, password_hashes: 1 },
    body: z.object({
      name: Name,
      password: Password.optional(),
      credential: z.object({
        id: CredentialId,
        client_data: ClientData,
        attestation_object: bytes(6_000, "attestationObject, of format `none`"),
        transports: z.array(z.string().max(32)).max(8).default([]),
      }),
    }),
    reply: Passkey,
    errors: ["invalid_credentials", "plan_limit", "authentication_required", "rate_limited"],
    timeoutMs: HASH_TIMEOUT_MS,
    example:
      '/api/account/passkeys {"name":"my phone","password":"{{password}}","credential":{{newPasskey}}}',
  },
  renamePasskey: {
    method: "PATCH",
    paths: ["/api/account/passkeys/{passkeyId}"],
    summary: "Name a passkey",
    auth: "account",
    params: Params,
    body: z.object({ name: Name }),
    reply: Passkey,
    errors: ["not_found", "authentication_required"],
    example: '/api/account/passkeys/{{passkeyId}} {"name":"my phone"}',
  },
  removePasskey: {
    method: "DELETE",
    paths: ["/api/account/passkeys/{passkeyId}"],
    summary: "Remove a passkey: it logs in no more; log-ins that it began go on",
    auth: "account",
    params: Params,
    reply: z.object({ passkey_id: z.uuid(), removed: z.literal(true) }).meta({ id: "RemovedPasskey" }),
    errors: ["not_found", "authentication_required"],
    example: "/api/account/passkeys/{{passkeyId}}",
  },
  getPasskeyLogInOptions: {
    method: "GET",
    paths: ["/api/auth/passkeys/options"],
    summary: "What a browser asks a passkey for a log-in with",
    description: "For `navigator.credentials.get`, with `userVerification` required.",
    auth: "none",
    reply: z
      .object({ rp_id: z.string(), challenge: z.string(), expires_in: Seconds })
      .meta({ id: "PasskeyLogInOptions" }),
    errors: [],
    example: "/api/auth/passkeys/options",
  },
  logInWithPasskey: {
    method: "POST",
    paths: ["/api/auth/passkeys/log-in"],
    summary: "Log in with a passkey",
    description: "The reply is the same for whatever does not hold. A challenge logs in once.",
    auth: "none",
    charges: { log_ins: 1 },
    body: z.object({
      credential: z.object({
        id: CredentialId,
        client_data: ClientData,
        authenticator_data: bytes(2_048, "authenticatorData"),
        signature: bytes(1_400, "signature"),
        user_handle: bytes(128, "userHandle: whose it is"),
      }),
    }),
    reply: LoggedIn,
    errors: ["invalid_credentials", "rate_limited"],
    example: '/api/auth/passkeys/log-in {"credential":{{passkeyAssertion}}}',
  },
} as const satisfies Operations;
