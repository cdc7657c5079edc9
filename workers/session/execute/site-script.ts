/**
 * Actions that take a script engine: done by the site's own connected script. Once it has been asked, the receipt stays and
 * the Idempotency-Key is spent, whatever it answers: it is the site's word, and the site is not who it protects.
 */
import type { Effect } from "../../../schemas/action.ts";
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { receiptOf } from "../receipts/receipt.ts";
import { answerOfScript, type ScriptReply } from "../script-answer.ts";
import type { Asked } from "../scripts.ts";
import { unagreed } from "./confirm.ts";
import { dryRunOf } from "./dry-run.ts";
import { beginReceipt, finishReceipt, hashOf, newReceipt } from "./once.ts";
import { type ActionResult, done, doneByScript, type Executed } from "./result.ts";
import { STORE_MS, type Turn } from "./turn.ts";

const SCRIPT_TIMEOUT_MS = 10_000;

const askScript = (
  { deps, site, command, deadline }: Turn,
  { page }: SessionRecord,
): Promise<Asked<ScriptReply>> => {
  const timeoutMs = Math.max(100, Math.min(SCRIPT_TIMEOUT_MS, deadline - deps.now() - STORE_MS));
  const { action, target, value, context } = command;
  const url = page?.url ?? null;
  return deps.scripts.execute(
    site.siteId,
    { type: "execute", action, target, value, context, url },
    timeoutMs,
  );
};

/**
 * @param why the text browser cannot do it, for a site without a script
 * @param acts whether it may have changed the site
 */
const resultOf = (
  { site }: Turn,
  { page }: SessionRecord,
  asked: Asked<ScriptReply>,
  why: string,
  acts: boolean,
): ActionResult => {
  const url = page?.url;
  const sent = acts && { request_sent: true as const };
  if (asked.kind === "answered") {
    const { result, error } = answerOfScript(asked.value, site.home.hostname, url);
    return doneByScript(result, error && { ...error, ...sent });
  }
  const error =
    asked.kind === "none"
      ? { code: "requires_script", message: `${why} No script of the site is connected.` }
      : { code: "script_failed", message: asked.message, ...sent };
  return done({ ...(url && { url }), error }, false);
};

/** What the receipt says of it: done where the script says so; else nobody knows. */
const settled = async (
  turn: Turn,
  receipt: ReceiptRecord,
  asked: Asked<ScriptReply>,
  { success, result }: ActionResult,
): Promise<ReceiptRecord | undefined> => {
  const { receipts, now } = turn.deps;
  // Nobody was asked: nothing was sent.
  if (asked.kind === "none") return void (await receipts.forget(receipt));
  const body = new TextEncoder().encode(JSON.stringify(result));
  if (success) return finishReceipt(turn, receipt, { status: null, body, finalUrl: null });
  return receipts.change(receipt.receiptId, {
    state: "unknown",
    finishedAt: new Date(now()).toISOString(),
    ...(asked.kind === "answered" && { replyHash: hashOf(body) }),
  });
};

/** Has the site's script do it: a purchase only as agreed to, and anything but reading with a receipt. */
export const runScript = async (
  turn: Turn,
  record: SessionRecord,
  why: string,
  effect: Effect,
): Promise<Executed> => {
  if (turn.dryRun) return dryRunOf(record, { kind: "script", effect });
  const { deps, site, agreement } = turn;
  // What a script costs is shown nowhere: an agent's own limit holds whatever the site calls the action.
  const spends = agreement.max_total === undefined ? effect : "purchase";
  const refused = unagreed(
    { effect: spends, total: null },
    agreement,
    site.configuration.restrictions.confirm_above,
  );
  if (refused) return refused;
  if (effect === "read") return resultOf(turn, record, await askScript(turn, record), why, false);
  const receipt = newReceipt(turn, record, { effect, total: null }, undefined);
  const stopped = await beginReceipt(turn, receipt, record.page);
  if (stopped) return stopped;
  const asked = await askScript(turn, record);
  const executed = resultOf(turn, record, asked, why, true);
  const kept = await settled(turn, receipt, asked, executed);
  if (!kept) return executed;
  return {
    ...executed,
    result: { ...executed.result, receipt: receiptOf(kept, deps.now()) },
  } as ActionResult;
};
