/** Fields of several operations of accounts. */
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARACTERS } from "../../schemas/account.ts";
import { emailText, plainTextSchema } from "../../src/rpc/validation.ts";

export const Email = emailText.meta({
  description: "E-mail address; case does not matter",
  example: "ada@shop.example",
});

export const Password = plainTextSchema(MAX_PASSWORD_BYTES).refine(
  (text) => Buffer.byteLength(text) <= MAX_PASSWORD_BYTES,
  { error: `must not be longer than ${MAX_PASSWORD_BYTES} bytes` },
);
export const NewPassword = Password.min(MIN_PASSWORD_CHARACTERS)
  .refine((text) => [...text].length >= MIN_PASSWORD_CHARACTERS, {
    error: `must have at least ${MIN_PASSWORD_CHARACTERS} characters`,
  })
  .meta({ description: "At least 8 characters and at most 1,024 bytes", example: "correct horse battery" });

/** Password hashes queue: a burst of log-ins waits. */
export const HASH_TIMEOUT_MS = 10_000;
