/** What `execute` answers: what was done, what would be done, and why something is not. */
import type { z } from "zod";
import type { Effect } from "../../../schemas/action.ts";
import type { ActionResult as ActionResultSchema } from "../../../schemas/action-result.ts";
import type { SitePermission } from "../../../schemas/license.ts";
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { type Total, totalText } from "../../../src/browser/amount.ts";
import type { CommandPlan } from "../../../src/browser/plan.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { receiptOf } from "../receipts/receipt.ts";
import type { SessionSite } from "../site.ts";
import type { ConfirmationFailure } from "./confirm.ts";

export type ActionResultInput = z.input<typeof ActionResultSchema>;
type Refused = Failure<
  | "authentication_required"
  | "permission_denied"
  | "rate_limited"
  | "unavailable"
  | "unknown_outcome"
  | "idempotency_in_progress"
  | "idempotency_conflict"
>;
/** What a command is answered. */
export type CommandReply = ActionResultInput | Refused | ConfirmationFailure;
/** How an attempt ends: answered, or `again` where another writer was first and nothing was sent. */
export type CommandOutcome = CommandReply | "again";

type Result = Record<string, unknown>;

// ---------------------------------------------------------------- rehearsals
interface WouldSend {
  method: "GET" | "POST" | "SCRIPT";
  url: string;
  content_type: string | null;
  fields: { name: string; value: string }[];
}

const MAX_URL_CHARS = 2_048;

export const done = (result: Result, success = true): ActionResultInput =>
  success
    ? { type: "action_result", outcome: "done", success, result }
    : { type: "action_result", outcome: "failed", success, result };

/** What the site's script says that it did, or did not. @param error of the registry's words */
export const doneByScript = (
  result: Result,
  error: { code: string; message: string; request_sent?: true } | undefined,
): ActionResultInput => ({
  type: "action_result",
  outcome: "script",
  success: error === undefined,
  result: { ...result, ...(error && { error }), by: "script" },
});

/** A command that lacks a permission: the site's own, or one that the session was not given. */
export const denied = (
  { siteId, owners }: Pick<SessionSite, "siteId" | "owners">,
  permission: SitePermission,
): Refused =>
  fail(
    "permission_denied",
    owners.permissions[permission]
      ? `This session does not hold ${permission}, which ${siteId} permits: ask its owner with POST /api/bridge/access-requests.`
      : `${siteId} does not permit ${permission}.`,
    { errors: [{ pointer: "/body/action", code: "permission_missing", message: permission }] },
  );

/** @param receipt of what was sent, if anything was */
export const withReceipt = (
  executed: CommandReply,
  receipt: ReceiptRecord | undefined,
  now: number,
): CommandReply =>
  executed instanceof Failure || !receipt
    ? executed
    : withMembers(executed, { receipt: receiptOf(receipt, now) });

/** A result with more members. */
export const withMembers = (executed: ActionResultInput, more: Record<string, unknown>): ActionResultInput =>
  ({ ...executed, result: { ...executed.result, ...more } }) as ActionResultInput;

/** What a planned command would do, without doing it. @param plan one that can be carried out */
export function dryRunOf(
  { page }: SessionRecord,
  plan: (CommandPlan & { kind: "go" | "done" | "wait" }) | { kind: "script"; effect: Effect },
): ActionResultInput {
  if (plan.kind === "script")
    return rehearsed(page, plan.effect, null, {
      method: "SCRIPT",
      url: page?.url ?? "",
      content_type: null,
      fields: [],
    });
  if (plan.kind !== "go") return rehearsed(page, "read", null, null);
  const { request, sends } = plan;
  return rehearsed(page, sends?.effect ?? "read", sends?.total ?? null, {
    method: request.method,
    url: addressOf(request, (sends?.fields.length ?? 0) > 0),
    content_type: request.contentType ?? null,
    fields: sends?.fields ?? [],
  });
}

const rehearsed = (
  page: SessionRecord["page"],
  effect: Effect,
  total: Total | null,
  would_send: WouldSend | null,
): ActionResultInput => ({
  type: "action_result",
  outcome: "dry_run",
  success: true,
  result: {
    ...(page && { url: page.url }),
    dry_run: true,
    effect,
    total,
    would_send,
    confirm: confirmOf(effect, total),
  },
});

function confirmOf(effect: Effect, total: Total | null) {
  if (effect !== "purchase") return null;
  return total ? { confirm_total: totalText(total) } : { confirm_unknown_total: true as const };
}

/** A form that is sent by GET has its fields in its address; they are told beside it, so that passwords can be masked. */
function addressOf({ method, url }: PageRequest, hasFields: boolean): string {
  if (method === "POST" || !hasFields) return url.href.slice(0, MAX_URL_CHARS);
  const bare = new URL(url);
  bare.search = "";
  return bare.href.slice(0, MAX_URL_CHARS);
}
