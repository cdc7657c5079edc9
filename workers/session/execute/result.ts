/** The replies of `execute`. */
import type { z } from "zod";
import type { ActionResult as ActionResultSchema } from "../../../schemas/action-result.ts";
import type { SitePermission } from "../../../schemas/license.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import type { Site } from "../site.ts";
import type { ConfirmationFailure } from "./confirm.ts";

export type ActionResult = z.input<typeof ActionResultSchema>;
type Refused = Failure<
  | "authentication_required"
  | "permission_denied"
  | "rate_limited"
  | "unavailable"
  | "unknown_outcome"
  | "idempotency_in_progress"
  | "idempotency_conflict"
>;
export type Executed = ActionResult | Refused | ConfirmationFailure;

type Result = Record<string, unknown>;

export const done = (result: Result, success = true): ActionResult =>
  success
    ? { type: "action_result", outcome: "done", success, result }
    : { type: "action_result", outcome: "failed", success, result };

/** What the site's script says that it did, or did not. @param error of the registry's words */
export const doneByScript = (
  result: Result,
  error: { code: string; message: string; request_sent?: true } | undefined,
): ActionResult => ({
  type: "action_result",
  outcome: "script",
  success: error === undefined,
  result: { ...result, ...(error && { error }), by: "script" },
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
