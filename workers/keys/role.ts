/** Keys of the gateway as a role. */

import type { Runtime } from "../../app/processes/runtime.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { ApiKeyRecord } from "../../schemas/api-key.ts";
import { openRecords } from "../../src/adapters/nats/records.ts";
import { serve } from "../../src/transport/serve.ts";
import { keys } from "./contract.ts";
import { keysHandlers } from "./handlers.ts";

export const start = async ({ broker, limiter, log }: Runtime): Promise<RunningRole> => {
  const records = openRecords(broker.buckets.api_keys, ApiKeyRecord);
  const { counters, now } = broker;
  const handlers = keysHandlers({ records, counters, now, limiter });
  const serving = serve(broker.connection, broker.prefix, keys, handlers, log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
