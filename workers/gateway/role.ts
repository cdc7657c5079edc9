/** The module gateway as one role: each module is a service of its own (modules.ts). */

import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { followNetworks } from "../../src/stores/block-list.ts";
import { openContext } from "./common/context.ts";
import { MODULES } from "./modules.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const networks = await followNetworks(runtime);
  const { context, close } = openContext(runtime);
  const servings = await Promise.all(MODULES.map((module) => module.start(runtime, context)));
  return {
    servings,
    read: async () => ({}),
    drain: async () => {
      await Promise.all(servings.map((serving) => serving.drain()));
      networks.stop();
      await close();
    },
  };
}
