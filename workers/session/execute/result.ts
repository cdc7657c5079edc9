/** The replies of `execute`. */
import type { SitePermission } from "../../../schemas/license.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";

export interface ActionResult {
  type: "action_result";
  success: boolean;
  result: Record<string, unknown>;
}
type Refused = Failure<"authentication_required" | "permission_denied" | "rate_limited" | "unavailable">;
export type Executed = ActionResult | Refused;

export const done = (result: Record<string, unknown>, success = true): ActionResult => ({
  type: "action_result",
  success,
  result,
});

export const denied = (siteId: string, permission: SitePermission): Refused =>
  fail("permission_denied", `${siteId} does not permit ${permission}.`);
