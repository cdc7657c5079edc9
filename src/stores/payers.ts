/** Accounts that went to pay, beside the plans: what the hourly look at the payment provider goes by. */
import { PayerRecord } from "../../schemas/plan.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords } from "./records.ts";

export interface Payers {
  put(payer: PayerRecord): Promise<void>;
  remove(accountId: string): Promise<void>;
  all(): AsyncIterable<PayerRecord>;
}

const PREFIX = "payer.";

/** @param bucket `plans` */
export const openPayers = (bucket: Bucket): Payers => {
  const records = openRecords(bucket, PayerRecord);
  return {
    put: async (payer) => void (await records.put(PREFIX + payer.accountId, payer)),
    remove: (accountId) => records.remove(PREFIX + accountId),
    all: async function* () {
      for await (const key of records.keys(`${PREFIX}*`)) {
        const stored = await records.get(key);
        if (stored) yield stored.value;
      }
    },
  };
};
