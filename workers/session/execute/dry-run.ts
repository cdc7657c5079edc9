/** What a planned command would do, without doing it. */
import type { Effect } from "../../../schemas/action.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { type Total, totalText } from "../../../src/browser/amount.ts";
import type { Plan } from "../../../src/browser/plan.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import type { ActionResult } from "./result.ts";

interface WouldSend {
  method: "GET" | "POST" | "SCRIPT";
  url: string;
  content_type: string | null;
  fields: { name: string; value: string }[];
}

const MAX_URL_CHARS = 2_048;

const confirmOf = (effect: Effect, total: Total | null) => {
  if (effect !== "purchase") return null;
  return total ? { confirm_total: totalText(total) } : { confirm_unknown_total: true as const };
};

const result = (
  page: SessionRecord["page"],
  effect: Effect,
  total: Total | null,
  would_send: WouldSend | null,
): ActionResult => ({
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

/** A form that is sent by GET has its fields in its address; they are told beside it, so that passwords can be masked. */
const addressOf = ({ method, url }: PageRequest, hasFields: boolean): string => {
  if (method === "POST" || !hasFields) return url.href.slice(0, MAX_URL_CHARS);
  const bare = new URL(url);
  bare.search = "";
  return bare.href.slice(0, MAX_URL_CHARS);
};

/** @param plan one that can be carried out */
export const dryRunOf = (
  { page }: SessionRecord,
  plan: (Plan & { kind: "go" | "done" | "wait" }) | { kind: "script"; effect: Effect },
): ActionResult => {
  if (plan.kind === "script")
    return result(page, plan.effect, null, {
      method: "SCRIPT",
      url: page?.url ?? "",
      content_type: null,
      fields: [],
    });
  if (plan.kind !== "go") return result(page, "read", null, null);
  const { request, sends } = plan;
  return result(page, sends?.effect ?? "read", sends?.total ?? null, {
    method: request.method,
    url: addressOf(request, (sends?.fields.length ?? 0) > 0),
    content_type: request.contentType ?? null,
    fields: sends?.fields ?? [],
  });
};
