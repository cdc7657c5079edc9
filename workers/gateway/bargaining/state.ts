/** What the module keeps in a process: every pool, followed in memory for listing. */
import { AccountSiteRecord } from "../../../schemas/account.ts";
import { Pool, PoolPointer } from "../../../schemas/pool.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { GatewayContext } from "../common/context.ts";
import type { bargaining } from "./contract.ts";
import { bargainingHandlers } from "./handlers.ts";

export async function openBargaining({
  buckets,
  clock,
  limiter,
  log,
  now,
  onClose,
  secret,
}: GatewayContext): Promise<Handlers<typeof bargaining>> {
  const known = new Map<string, Pool>();
  const following = await followRecords({
    bucket: buckets.pools,
    schema: Pool,
    // Pools alone: the keys of products' records have two parts.
    key: "*",
    onPut: (key, pool) => known.set(key, pool),
    onRemove: (key) => known.delete(key),
    clock,
    log,
  });
  onClose(() => following.stop());
  return bargainingHandlers({
    pools: openRecords(buckets.pools, Pool),
    pointers: openRecords(buckets.pools, PoolPointer),
    sites: openRecords(buckets.account_sites, AccountSiteRecord),
    known,
    limiter,
    now,
    secret,
  });
}
