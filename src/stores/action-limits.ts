/** What an agent's action is counted against, by the plan of the account whose site it happens on. */
import type { Licence } from "../../schemas/license.ts";
import type { Limit } from "../rpc/limits.ts";
import type { Plans } from "./plans.ts";

/** A plan's number as a quota: -1 is no limit. */
const quotaOf = (limit: number): number => (limit < 0 ? Number.POSITIVE_INFINITY : limit);

/** Counter of an account's actions in a month. */
export const actionsKey = (accountId: string): string => `actions.${accountId}`;

/**
 * The limits of one executed action, for `take` (src/rpc/limits.ts): per minute by licence, whose sessions share it, and
 * per calendar month by account. Over the first is 429 `rate_limited`, over the second 429 `quota_exceeded`; both say
 * in Retry-After when it goes on.
 */
export const actionLimits = async (
  plans: Plans,
  { accountId, licenceId, tier }: Pick<Licence, "accountId" | "licenceId" | "tier">,
): Promise<Limit[]> => {
  const { rate_limit, max_actions_per_month } = await plans.of(tier);
  return [
    { name: "minute", window: "minute", key: `actions.${licenceId}`, quota: quotaOf(rate_limit) },
    {
      name: "month",
      window: "month",
      key: actionsKey(accountId),
      quota: quotaOf(max_actions_per_month),
      code: "quota_exceeded",
    },
  ];
};
