/** What the caller of a module is worth as a witness or a member: anybody can make a key, an account costs something. */

import type { AccountRecord, Standing } from "../../schemas/account.ts";
import { DAY_MS } from "../domain/protocols/time.ts";

/** An account is established from this age on, if it proved a site or has a plan that is granted. */
export const ESTABLISHED_DAYS = 7;

/** How an account becomes established: the next step of those who are told that theirs is not. */
export const HOW_ESTABLISHED = `An account is established when it is ${ESTABLISHED_DAYS} days old and has proved a site (POST /api/account/sites) or has a plan above free.`;

/** @param now milliseconds */
export const standingOf = (
  { createdAt, sites, tier }: Pick<AccountRecord, "createdAt" | "sites" | "tier">,
  now: number,
): Standing => {
  const isOld = now - Date.parse(createdAt) >= ESTABLISHED_DAYS * DAY_MS;
  return isOld && (sites.length > 0 || tier !== "free") ? "established" : "new";
};
