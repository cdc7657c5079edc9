/** Collective Bargaining, bound to this process. */

import type { Runtime } from "../../../app/processes/runtime.ts";
import { Pool, PoolPointer } from "../../../schemas/pool.ts";
import { followRecords } from "../../../src/adapters/nats/follow.ts";
import { openRecords } from "../../../src/adapters/nats/records.ts";
import { serve } from "../../../src/transport/serve.ts";
import type { RunningModule } from "../role.ts";
import { bargaining } from "./contract.ts";
import { bargainingHandlers } from "./handlers.ts";

export const start = async ({ broker, identity, limiter, log }: Runtime): Promise<RunningModule> => {
  const known = new Map<string, Pool>();
  const following = await followRecords({
    bucket: broker.buckets.pools,
    schema: Pool,
    onPut: (key, pool) => known.set(key, pool),
    onRemove: (key) => known.delete(key),
    log,
  });
  const handlers = bargainingHandlers({
    pools: openRecords(broker.buckets.pools, Pool),
    pointers: openRecords(broker.buckets.pool_products, PoolPointer),
    known,
    limiter,
    now: broker.now,
    secret: identity.secret,
  });
  return {
    serving: serve(broker.connection, broker.prefix, bargaining, handlers, log),
    close: async () => following.stop(),
  };
};
