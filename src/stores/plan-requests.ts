/** Plans that accounts asked for and that wait for the operator, or were refused: one record an account. */
import { PlanRequestRecord } from "../../schemas/plan.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords } from "./records.ts";

export interface PlanRequests {
  of(accountId: string): Promise<PlanRequestRecord | undefined>;
  put(request: PlanRequestRecord): Promise<void>;
  remove(accountId: string): Promise<void>;
  /** Those that wait, the oldest first. */
  waiting(): Promise<PlanRequestRecord[]>;
}

const PREFIX = "plan_request.";

/** @param bucket `accounts` */
export function openPlanRequests(bucket: Bucket): PlanRequests {
  const records = openRecords(bucket, PlanRequestRecord);
  return {
    of: async (accountId) => (await records.get(PREFIX + accountId))?.value,
    put: async (request) => void (await records.put(PREFIX + request.accountId, request)),
    remove: (accountId) => records.remove(PREFIX + accountId),
    waiting: async () => {
      const found: PlanRequestRecord[] = [];
      for await (const key of records.keys(`${PREFIX}*`)) {
        const stored = await records.get(key);
        if (stored?.value.state === "waiting") found.push(stored.value);
      }
      return found.sort((a, b) => (a.at < b.at ? -1 : 1));
    },
  };
}
