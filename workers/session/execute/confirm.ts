/** What must be agreed to before money is spent: by the agent with the total, by the site's owner with a limit. Pure. */

import { isAbove, readTotal, type Total, totalText } from "../../../src/browser/amount.ts";
import type { Sends } from "../../../src/browser/sends.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";

/** What a command says of the money that it may spend. */
export interface SpendingConsent {
  confirm_total?: string | undefined;
  confirm_unknown_total?: boolean | undefined;
  max_total?: string | undefined;
}

export type ConfirmationFailure = Failure<
  "confirmation_required" | "total_changed" | "total_over_limit" | "owner_confirmation_required"
>;

/** Why a purchase is not made, or undefined. @param above the owner's limit */
export function unagreed(
  { effect, total }: Pick<Sends, "effect" | "total">,
  agreement: SpendingConsent,
  above: string | null,
): ConfirmationFailure | undefined {
  if (effect !== "purchase") return undefined;
  return overOwners(total, above) ?? overAgents(total, agreement.max_total) ?? unconfirmed(total, agreement);
}

function overOwners(total: Total | null, above: string | null): ConfirmationFailure | undefined {
  const limit = above === null ? undefined : readTotal(above);
  if (!limit || (total && isAbove(total, limit) === false)) return undefined;
  return fail(
    "owner_confirmation_required",
    `The site's owner lets agents buy up to ${totalText(limit)}; this is ${total ? totalText(total) : "of a total that the page does not show"}. A person completes it at the site.`,
  );
}

function overAgents(total: Total | null, most: string | undefined): ConfirmationFailure | undefined {
  const limit = most === undefined ? undefined : readTotal(most);
  if (most === undefined || (limit && total && isAbove(total, limit) === false)) return undefined;
  const shown = total ? totalText(total) : "none";
  return fail("total_over_limit", `max_total is ${most}; the total that the page shows is ${shown}.`);
}

function unconfirmed(total: Total | null, agreement: SpendingConsent): ConfirmationFailure | undefined {
  const { confirm_total: confirmed, confirm_unknown_total: blindly } = agreement;
  const said = confirmed === undefined ? undefined : readTotal(confirmed);
  if (total) {
    if (said && isSame(said, total)) return undefined;
    const shown = totalText(total);
    return confirmed === undefined
      ? fail(
          "confirmation_required",
          `This spends money. If you agree, send it again with confirm_total "${shown}".`,
          expected("confirm_total", shown),
        )
      : fail("total_changed", `The page shows ${shown}, not ${confirmed}.`, expected("confirm_total", shown));
  }
  if (confirmed !== undefined)
    return fail(
      "total_changed",
      `The page shows no total, not ${confirmed}.`,
      expected("confirm_unknown_total", "true"),
    );
  if (blindly === true) return undefined;
  return fail(
    "confirmation_required",
    "This spends money, and the page shows no total. If you agree all the same, send it again with confirm_unknown_total true.",
    expected("confirm_unknown_total", "true"),
  );
}

const isSame = (a: Total, b: Total): boolean => a.amount === b.amount && a.currency === b.currency;

const expected = (member: string, message: string) => ({
  errors: [{ pointer: `/body/${member}`, code: "expected", message }],
});
