/** The role `keys`: the only writer of API keys. */

import { AccountKeys, ApiKeyRecord } from "../../schemas/api-key.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openRecords } from "../../src/stores/records.ts";
import { keys } from "./contract.ts";
import { keysHandlers } from "./handlers.ts";
import { sweepUnused } from "./unused.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, limiter, clock, log } = runtime;
  const records = openRecords(broker.buckets.api_keys, ApiKeyRecord);
  const lists = openRecords(broker.buckets.api_keys, AccountKeys);
  const { counters, now } = broker;
  const handlers = keysHandlers({ records, lists, counters, now, limiter });
  const serving = runtime.serve(keys, handlers);
  const endSweep = sweepUnused({ records, counters, now }, clock, log);
  return {
    servings: [serving],
    read: async () => ({}),
    drain: async () => {
      endSweep();
      await serving.drain();
    },
  };
};
