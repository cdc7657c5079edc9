/** Actions that take a script engine: done by the site's own connected script. */
import type { Effect } from "../../../schemas/action.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { receiptOf } from "../receipts/receipt.ts";
import { unagreed } from "./confirm.ts";
import { dryRunOf } from "./dry-run.ts";
import { beginReceipt, finishReceipt, newReceipt } from "./once.ts";
import { type ActionResult, done, doneByScript, type Executed } from "./result.ts";
import { STORE_MS, type Turn } from "./turn.ts";

const SCRIPT_TIMEOUT_MS = 10_000;

/** @param why the text browser cannot do it, for a site without a script */
const executeByScript = async (
  { deps, site, command, deadline }: Turn,
  { page }: SessionRecord,
  why: string,
): Promise<ActionResult> => {
  const timeoutMs = Math.max(100, Math.min(SCRIPT_TIMEOUT_MS, deadline - deps.now() - STORE_MS));
  const { action, target, value, context } = command;
  const url = page?.url ?? null;
  const answer = await deps.scripts.execute(
    site.siteId,
    { type: "execute", action, target, value, context, url },
    timeoutMs,
  );
  if (answer.kind === "answered") return doneByScript(answer.value.result, answer.value.success);
  const [code, message] =
    answer.kind === "none"
      ? (["requires_script", `${why} No script of the site is connected.`] as const)
      : (["script_failed", answer.message] as const);
  return done({ ...(url && { url }), error: { code, message } }, false);
};

const codeOf = ({ result }: ActionResult): string | undefined =>
  (result.error as { code?: string } | undefined)?.code;

/** Has the site's script do it: a purchase only as agreed to, and anything but reading with a receipt. */
export const runScript = async (
  turn: Turn,
  record: SessionRecord,
  why: string,
  effect: Effect,
): Promise<Executed> => {
  if (turn.dryRun) return dryRunOf(record, { kind: "script", effect });
  const { deps, site } = turn;
  const refused = unagreed(
    { effect, total: null },
    turn.agreement,
    site.configuration.restrictions.confirm_above,
  );
  if (refused) return refused;
  if (effect === "read") return executeByScript(turn, record, why);
  const receipt = newReceipt(turn, record, { effect, total: null }, undefined);
  const stopped = await beginReceipt(turn, receipt, record.page);
  if (stopped) return stopped;
  const executed = await executeByScript(turn, record, why);
  const code = codeOf(executed);
  if (code === "requires_script") await deps.receipts.forget(receipt);
  else if (code === "script_failed") await deps.receipts.change(receipt.receiptId, { state: "unknown" });
  if (code !== undefined) return executed;
  const body = new TextEncoder().encode(JSON.stringify(executed.result));
  const finished = await finishReceipt(turn, receipt, { status: null, body, finalUrl: null });
  if (executed instanceof Failure || !finished) return executed;
  return {
    ...executed,
    result: { ...executed.result, receipt: receiptOf(finished, deps.now()) },
  } as ActionResult;
};
