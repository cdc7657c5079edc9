/** The standing of a caller as a witness or member: anyone can create a key, but an established account is costly. */

import type { AccountRecord, AccountStanding } from "../../schemas/account.ts";
import { DAY_MS } from "../ports/time.ts";

/** Minimum age of an established account, which also needs a proved site or a plan above free. */
export const ESTABLISHED_DAYS = 7;

/** How an account becomes established, for error messages. */
export const HOW_ESTABLISHED = `An account is established when it is ${ESTABLISHED_DAYS} days old and has proved a site (POST /api/account/sites) or has a plan above free.`;

/** @param now milliseconds */
export function accountStanding(
  { createdAt, sites, tier }: Pick<AccountRecord, "createdAt" | "sites" | "tier">,
  now: number,
): AccountStanding {
  const isOld = now - Date.parse(createdAt) >= ESTABLISHED_DAYS * DAY_MS;
  return isOld && (sites.length > 0 || tier !== "free") ? "established" : "new";
}
