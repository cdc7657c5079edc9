/** Collective Bargaining, bound to this process. */

import { Pool, PoolPointer } from "../../../schemas/pool.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { RunningModule } from "../role.ts";
import { bargaining } from "./contract.ts";
import { bargainingHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningModule> => {
  const { broker, identity, limiter, log } = runtime;
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
    serving: runtime.serve(bargaining, handlers),
    close: async () => following.stop(),
  };
};
