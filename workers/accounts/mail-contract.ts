/** Operations around mails to the account's address: proof of the address, and a new password without the old one. */
import { z } from "zod";
import type { Operations } from "../../src/rpc/contract.ts";
import { plainTextSchema } from "../../src/rpc/validation.ts";
import { Email, HASH_TIMEOUT_MS, NewPassword } from "./fields.ts";

const LinkToken = plainTextSchema(200)
  .min(1)
  .meta({ description: "`token` of the link in the mail", example: "WzE3OTAwMDAwMDAwMDAs….3q2-7w…" });

export const mailOperations = {
  requestEmailProof: {
    method: "POST",
    makes: true,
    paths: ["/api/auth/email/proof"],
    summary: "Have a link mailed that proves the account's address",
    description: "Registration does so by itself where the registry sends mail.",
    auth: "account",
    charges: { mails: 1 },
    reply: z.object({ sent_to: z.string(), ends_at: z.iso.datetime() }).meta({ id: "EmailProofSent" }),
    errors: ["mail_unavailable", "authentication_required", "rate_limited"],
    example: "/api/auth/email/proof",
  },
  proveEmail: {
    method: "POST",
    paths: ["/api/auth/email"],
    summary: "Prove the account's address by the link that was mailed to it",
    auth: "none",
    charges: { log_ins: 1 },
    body: z.object({ token: LinkToken }),
    reply: z.object({ email: z.string(), proved: z.literal(true) }).meta({ id: "EmailProved" }),
    errors: ["link_invalid", "rate_limited"],
    example: '/api/auth/email {"token":"{{emailToken}}"}',
  },
  requestPasswordLink: {
    method: "POST",
    makes: true,
    paths: ["/api/auth/password/link"],
    summary: "Have a link mailed with which a new password can be chosen",
    description: "The reply and its timing are the same whether or not the address has an account.",
    auth: "none",
    charges: { mails: 1 },
    body: z.object({ email: Email }),
    reply: z.object({ accepted: z.literal(true) }).meta({ id: "PasswordLinkAccepted" }),
    errors: ["mail_unavailable", "rate_limited"],
    example: '/api/auth/password/link {"email":"{{email}}"}',
  },
  resetPassword: {
    method: "POST",
    paths: ["/api/auth/password/reset"],
    summary: "Choose a new password by the link that was mailed; invalidates all earlier tokens",
    description: "The link holds once, for an hour. It proves the address too.",
    auth: "none",
    charges: { log_ins: 1, password_hashes: 1 },
    body: z.object({ token: LinkToken, new_password: NewPassword }),
    reply: z.object({ email: z.string(), changed: z.literal(true) }).meta({ id: "PasswordReset" }),
    errors: ["link_invalid", "rate_limited"],
    timeoutMs: HASH_TIMEOUT_MS,
    example: '/api/auth/password/reset {"token":"{{passwordToken}}","new_password":"{{password}}"}',
  },
} as const satisfies Operations;
