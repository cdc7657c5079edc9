/** The module gateway as one role: ten modules, each a service of its own. One line a module. */

import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import type { Serving } from "../../src/transport/serve.ts";
import { start as affiliate } from "./affiliate/start.ts";
import { start as bargaining } from "./bargaining/start.ts";
import { start as bounty } from "./bounty/start.ts";
import { openScans, type Scans } from "./common/scans.ts";
import { start as darkPattern } from "./dark-pattern/start.ts";
import { start as firewall } from "./firewall/start.ts";
import { start as gov } from "./gov/start.ts";
import { start as neural } from "./neural/start.ts";
import { start as notary } from "./notary/start.ts";
import { start as price } from "./price/start.ts";
import { start as protocol } from "./protocol/start.ts";

/** A module that runs: its service, and how it ends what else it started. */
export interface RunningModule {
  serving: Serving;
  close?(): Promise<void>;
}

/** How each module opens in a process. One line a module. */
const MODULES: readonly ((runtime: Runtime, scans: Scans) => Promise<RunningModule>)[] = [
  affiliate,
  bargaining,
  bounty,
  darkPattern,
  firewall,
  gov,
  neural,
  notary,
  price,
  protocol,
];

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { scans, close: closeScans } = openScans(new URL("./scan-thread.ts", import.meta.url));
  const modules = await Promise.all(MODULES.map((module) => module(runtime, scans)));
  return {
    servings: modules.map(({ serving }) => serving),
    read: async () => ({}),
    drain: async () => {
      await Promise.all(modules.map(({ serving }) => serving.drain()));
      await Promise.all(modules.map(({ close }) => close?.()));
      await closeScans();
    },
  };
};
