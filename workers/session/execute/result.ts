/** The replies of `execute`. */
import type { SitePermission } from "../../../schemas/license.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import type { Site } from "../site.ts";

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

/** A command that lacks a permission: the site's own, or one that the session was not given. */
export const denied = (
  { siteId, owners }: Pick<Site, "siteId" | "owners">,
  permission: SitePermission,
): Refused =>
  fail(
    "permission_denied",
    owners.permissions[permission]
      ? `This session does not hold ${permission}, which ${siteId} permits: ask its owner with POST /api/bridge/access-requests.`
      : `${siteId} does not permit ${permission}.`,
    { errors: [{ pointer: "/body/action", code: "permission_missing", message: permission }] },
  );
