/** What every credential is bound to: an account in good standing and, for tokens of a person, the account's generation. */
import type { AccountRecord } from "../../schemas/account.ts";
import type { AccountStore } from "./accounts.ts";

/**
 * `machine`: keys, licenses and what they opened; a new password leaves them alone, and they are revoked one by one.
 * A number is the generation that a token was given in, which a new password or a suspension ends for good.
 */
export type Generation = number | "machine";

/**
 * The account that a credential speaks for, if the credential is still worth anything. Every authenticator asks here, so
 * that a new password, a suspension and a closed account mean the same everywhere (docs/decisions/0042).
 * @param generation of a token without the claim: NaN, which is of no account
 */
export const standingAccount = async (
  store: Pick<AccountStore, "account">,
  accountId: string,
  generation: Generation,
): Promise<AccountRecord | undefined> => {
  const account = (await store.account(accountId))?.value;
  if (!account || account.suspended) return undefined;
  return generation === "machine" || generation === account.generation ? account : undefined;
};
