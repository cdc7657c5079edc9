/**
 * Receipts as records. One is created before its request is sent: whoever finds it knows that the request may have gone
 * out, and does not send it again.
 */
import { createHash } from "node:crypto";
import { MAX_LISTED_RECEIPTS, ReceiptList, ReceiptRecord } from "../../../schemas/receipt.ts";
import type { Broker } from "../../../src/ports/broker.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { openRecords, type Records } from "../../../src/stores/records.ts";

export interface Receipts {
  records: Records<ReceiptRecord>;
  /** Creates it and lists it. @returns false where one of this id exists */
  begin(receipt: ReceiptRecord): Promise<boolean>;
  /** Changes it; a receipt that is done stays so. */
  change(receiptId: string, change: Partial<ReceiptRecord>): Promise<ReceiptRecord | undefined>;
  /** Nothing was sent: takes it away. */
  forget(receipt: ReceiptRecord): Promise<void>;
  ofAgent(licenseId: string, agentId: string): Promise<ReceiptRecord[]>;
  /** Of the sessions that an agent opened by its token. */
  ofToken(agentId: string): Promise<ReceiptRecord[]>;
  ofAccount(accountId: string): Promise<ReceiptRecord[]>;
}

/** The id of the receipt for a caller's Idempotency-Key: the same for each repetition (RFC 9562 section 5.8). */
export function receiptIdOf(once: string | undefined, now: number): string {
  if (once === undefined) return uuidv7(now);
  const hex = digest(`receipt ${once}`);
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

export function openReceipts({ buckets }: Pick<Broker, "buckets">): Receipts {
  const bucket = openRecords(buckets.receipts, ReceiptRecord);
  const lists = openRecords(buckets.receipts, ReceiptList);
  const records: Records<ReceiptRecord> = {
    ...bucket,
    get: (receiptId) => bucket.get(receiptKey(receiptId)),
    update: (receiptId, edit) => bucket.update(receiptKey(receiptId), edit),
  };

  const listsOf = ({ licenseId, agentId, accountId, byAgent }: ReceiptRecord): string[] => [
    agentKey(licenseId, agentId),
    accountListKey(accountId),
    ...(byAgent === undefined ? [] : [tokenKey(byAgent)]),
  ];
  const list = (key: string, edit: (ids: readonly string[]) => string[]) =>
    lists.update(key, (before) => ({
      next: { v: 1 as const, receiptIds: edit(before?.receiptIds ?? []).slice(0, MAX_LISTED_RECEIPTS) },
      result: true,
    }));
  const listed = async (key: string): Promise<ReceiptRecord[]> => {
    const ids = (await lists.get(key))?.value.receiptIds ?? [];
    const found = await Promise.all(ids.map((id) => records.get(id)));
    return found.flatMap((stored) => (stored ? [stored.value] : []));
  };

  return {
    records,
    begin: async (receipt) => {
      const { receiptId } = receipt;
      if ((await bucket.compareAndSet(receiptKey(receiptId), receipt, 0)) === undefined) return false;
      await Promise.all(listsOf(receipt).map((key) => list(key, (ids) => [receiptId, ...ids])));
      return true;
    },
    change: (receiptId, change) =>
      records.update(receiptId, (before) => {
        if (!before || before.state === "done") {
          const late = before && change.leafIndex !== undefined && before.leafIndex === null;
          const next = late ? { ...before, leafIndex: change.leafIndex! } : undefined;
          return { ...(next && { next }), result: next ?? before };
        }
        const next = { ...before, ...change };
        return { next, result: next };
      }),
    forget: async (receipt) => {
      const { receiptId } = receipt;
      await bucket.remove(receiptKey(receiptId));
      await Promise.all(
        listsOf(receipt).map((key) => list(key, (ids) => ids.filter((id) => id !== receiptId))),
      );
    },
    ofAgent: (licenseId, agentId) => listed(agentKey(licenseId, agentId)),
    ofToken: (agentId) => listed(tokenKey(agentId)),
    ofAccount: (accountId) => listed(accountListKey(accountId)),
  };
}

const receiptKey = (receiptId: string): string => `receipt.${receiptId}`;

const agentKey = (licenseId: string, agentId: string): string =>
  `of-agent.${digest(`${licenseId} ${agentId}`)}`;
/** The list of an account as the owner of sites. */
export const accountListKey = (accountId: string): string => `of-account.${accountId}`;
/** Receipts of an agent's token, over all licenses and sites. */
const tokenKey = (agentId: string): string => `of-token.${digest(agentId)}`;
