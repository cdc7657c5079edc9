/** The limits of an agent's action, by the plan of the site's owner. */
import type { ActiveLicense } from "../../schemas/license.ts";
import type { Limit } from "../rpc/limits.ts";
import type { Plans } from "./plans.ts";

/**
 * The limits of one action, for `take` (src/rpc/limits.ts): per minute by license, shared by its sessions, and per
 * calendar month by account. Exceeding the first is 429 `rate_limited`, the second 429 `quota_exceeded`, both with
 * Retry-After.
 */
export async function actionLimits(
  plans: Plans,
  { accountId, licenseId, tier }: Pick<ActiveLicense, "accountId" | "licenseId" | "tier">,
): Promise<Limit[]> {
  const { rate_limit, max_actions_per_month } = await plans.of(tier);
  return [
    { name: "minute", window: "minute", key: `actions.${licenseId}`, quota: quotaOf(rate_limit) },
    {
      name: "month",
      window: "month",
      key: actionsKey(accountId),
      quota: quotaOf(max_actions_per_month),
      code: "quota_exceeded",
    },
  ];
}

/** Converts a plan's number to a quota: -1 means no limit. */
const quotaOf = (limit: number): number => (limit < 0 ? Number.POSITIVE_INFINITY : limit);

/** Counter key of an account's actions per month. */
export const actionsKey = (accountId: string): string => `actions.${accountId}`;
