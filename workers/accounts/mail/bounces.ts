/** Addresses at which no mail arrives: refused while SMTP speaks, or reported later by a mail to the return path. */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { Bounce } from "../../../schemas/bounce.ts";
import type { BounceTokens } from "../../../src/domain/mail/bounce-address.ts";
import {
  isPermanentFailure,
  readDeliveryReport,
  receiversOf,
} from "../../../src/domain/mail/delivery-report.ts";
import { iso } from "../../../src/ports/time.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { type AccountStore, changeAccount } from "../../../src/stores/accounts.ts";

export interface BounceDeps {
  store: AccountStore;
  bounceTokens: BounceTokens;
  /** Milliseconds. */
  now: () => number;
}

/** Remembers that no mail arrives at an account's address, if it is still that. */
export const markRefused = (
  { store, now }: Pick<BounceDeps, "store" | "now">,
  accountId: string,
  email: string,
): Promise<AccountRecord | Failure> =>
  changeAccount(store, accountId, (account) =>
    account.email === email ? { ...account, emailRefusedAt: iso(now()) } : account,
  );

/** The account that was written to, if this is a return path of a mail to its present address. */
const accountOfReturnPath = async (
  { store, bounceTokens }: BounceDeps,
  address: string,
): Promise<AccountRecord | undefined> => {
  const read = bounceTokens.read(address);
  const account = read && (await store.account(read.accountId))?.value;
  return account && bounceTokens.holds(read.token, account.email) ? account : undefined;
};

/**
 * Takes a message that came to a return path. The message is read only where the address is one that this registry gave out: what
 * strangers invent costs one look-up.
 */
export const takeBounce = async (
  deps: BounceDeps,
  { message, recipient }: { message: string; recipient?: string | undefined },
): Promise<Bounce | Failure<"unavailable">> => {
  // All fields at once: the first token counts, so that a header makes one look-up.
  const account = await accountOfReturnPath(deps, recipient ?? receiversOf(message).join("\n"));
  if (!account) return { outcome: "not_ours" };
  const report = readDeliveryReport(message);
  if (!report || !isPermanentFailure(report)) return { outcome: "no_failure" };
  const marked = await markRefused(deps, account.accountId, account.email);
  if (!(marked instanceof Failure)) return { outcome: "marked" };
  return marked.code === "unavailable"
    ? fail("unavailable", "The account was changed at the same time.", { retryAfterSeconds: 1 })
    : { outcome: "not_ours" };
};
