/** The role `trust`: ring 4. */

import { Registration } from "../../schemas/ring4.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { followNetworks } from "../../src/stores/block-list.ts";
import { openRecords } from "../../src/stores/records.ts";
import { trust } from "./contract.ts";
import { trustHandlers } from "./handlers.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const networks = await followNetworks(runtime);
  const { broker, sites, blocks, contents, frontier, polite, resolver } = runtime;
  const handlers = trustHandlers({
    registrations: openRecords(broker.buckets.registrations, Registration),
    sites,
    blocks,
    contents,
    frontier,
    polite,
    resolver,
    transparency: await runtime.transparency(),
    limiter: runtime.limiter,
    now: broker.now,
  });
  const serving = runtime.serve(trust, handlers);
  const drain = async () => {
    await serving.drain();
    networks.stop();
  };
  return { servings: [serving], read: async () => ({}), drain };
}
