/** A receipt as its readers see it, and its entry in the transparency log. */
import { createHash } from "node:crypto";
import type { Receipt, ReceiptRecord } from "../../../schemas/receipt.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";

export const receiptOf = (record: ReceiptRecord, now: number): Receipt => ({
  receipt_id: record.receiptId,
  // A worker that died says nothing more: what it was sending has an outcome that nobody knows.
  state: record.state === "sending" && record.until < now ? "unknown" : record.state,
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

/** The log's entry says no more than the hash: who bought what is nobody else's business. */
export const entryOf = (receipt: Receipt): string => {
  const sha256 = createHash("sha256").update(canonicalize(receipt)).digest("hex");
  return canonicalize({ sha256, type: "bridge-receipt/1" });
};
