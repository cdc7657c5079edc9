/** Roles of worker processes, one per actor: the units that operators start and scale. */

import type { Core } from "../src/runtime/core.ts";
import type { RunningRole, Runtime } from "../src/runtime/runtime.ts";

export interface RoleSpec<Needs = Runtime> {
  about: string;
  /** Loads the actor's modules, so that a process loads only those of its own roles. */
  load: () => Promise<{ start(needs: Needs): Promise<RunningRole> }>;
  /** What it cannot work without besides the broker: its process is not ready while that does not answer. */
  dependsOn?: "index" | "filled index" | "frontier" | "storage";
}

/** A role that runs in a dedicated thread, so that its load does not delay the process's other roles. */
interface DedicatedThreadRoleSpec extends RoleSpec<Core> {
  dedicatedThread: true;
}

export const ROLE_SPECS = {
  crawler: {
    about: "visits due hosts",
    load: () => import("../workers/crawler/role.ts"),
    dependsOn: "frontier",
  },
  indexer: {
    about: "writes site records into the index",
    load: () => import("../workers/indexer/role.ts"),
    dependsOn: "index",
  },
  gossip: { about: "judges what strangers report", load: () => import("../workers/gossip/role.ts") },
  search: {
    about: "answers searches",
    load: () => import("../workers/search/role.ts"),
    dependsOn: "filled index",
    dedicatedThread: true,
  },
  protocol: {
    about: "discovery documents and the beacon",
    load: () => import("../workers/protocol/role.ts"),
  },
  trust: {
    about: "ring 4: registrations and the transparency log",
    load: () => import("../workers/trust/role.ts"),
  },
  accounts: {
    about: "accounts with their sites, and all keys",
    load: () => import("../workers/accounts/role.ts"),
  },
  provider: {
    about: "checks domains for DNS providers, and sends their webhooks",
    load: () => import("../workers/provider/role.ts"),
  },
  session: { about: "agents' sessions and page reads", load: () => import("../workers/session/role.ts") },
  operators: {
    about: "the operators' API, and how full the store is",
    load: () => import("../workers/operators/role.ts"),
    dependsOn: "storage",
  },
  gateway: { about: "the ten analysis modules", load: () => import("../workers/gateway/role.ts") },
} as const satisfies Record<string, RoleSpec | DedicatedThreadRoleSpec>;

export type Role = keyof typeof ROLE_SPECS;
export type DedicatedThreadRole = {
  [R in Role]: (typeof ROLE_SPECS)[R] extends DedicatedThreadRoleSpec ? R : never;
}[Role];
export const ROLES = Object.keys(ROLE_SPECS) as Role[];
