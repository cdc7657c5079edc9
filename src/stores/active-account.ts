/** The account behind a credential: not suspended and, for a person's tokens, of the same generation. */
import type { AccountRecord } from "../../schemas/account.ts";
import type { AccountStore } from "./accounts.ts";

/**
 * `machine`: API keys, licenses and their sessions, which survive a new password and are revoked one by one. A number
 * is the generation of a token; a new password or a suspension ends it for good.
 */
export type Generation = number | "machine";

/**
 * The account of a credential, if the credential is still valid. Every authenticator calls this, so that a new
 * password, a suspension and a closed account have the same effect everywhere (docs/decisions/0042).
 * @param generation NaN for a token without the claim, which matches no account
 */
export const activeAccount = async (
  store: Pick<AccountStore, "account">,
  accountId: string,
  generation: Generation,
): Promise<AccountRecord | undefined> => {
  const account = (await store.account(accountId))?.value;
  if (!account || account.suspended) return undefined;
  return generation === "machine" || generation === account.generation ? account : undefined;
};
