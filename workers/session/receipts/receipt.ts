/** A receipt as its readers see it, and its entry in the transparency log. */
import { createHash } from "node:crypto";
import type { Receipt, ReceiptRecord } from "../../../schemas/receipt.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";

export const receiptOf = (record: ReceiptRecord, now: number): Receipt => ({
  receipt_id: record.receiptId,
  state: stateOf(record, now),
  site: record.siteId,
  session_id: record.sessionId,
  agent_id: record.agentId,
  action: record.action,
  effect: record.effect,
  total: record.total,
  method: record.method,
  url: record.url,
  request_sha256: record.requestHash,
  sent_at: record.startedAt,
  finished_at: record.finishedAt,
  status: record.status,
  reply_sha256: record.replyHash,
  final_url: record.finalUrl,
});

/** A worker that died says nothing more: of what it was sending nobody knows the outcome; what was answered is done. */
function stateOf({ state, until }: ReceiptRecord, now: number): Receipt["state"] {
  if (state === "sent") return until < now ? "done" : "sending";
  return state === "sending" && until < now ? "unknown" : state;
}

/** The log's entry says no more than the hash: who bought what is nobody else's business. */
export function entryOf(receipt: Receipt): string {
  const sha256 = createHash("sha256").update(canonicalize(receipt)).digest("hex");
  return canonicalize({ sha256, type: "bridge-receipt/1" });
}
