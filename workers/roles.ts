/** Roles that a worker process can take: one line an actor. Operators start them, and scale by them. */
import type { RunningRole } from "../src/roles.ts";
import type { Runtime } from "../src/runtime.ts";

export interface RoleSpec {
  about: string;
  /** Reads the actor's modules: a process holds those of its own roles alone. */
  load: () => Promise<{ start(runtime: Runtime): Promise<RunningRole> }>;
}

export const ROLE_SPECS = {
  crawler: { about: "visits due hosts", load: () => import("./crawler/role.ts") },
  indexer: { about: "writes site records into the index", load: () => import("./indexer/role.ts") },
  gossip: { about: "judges what strangers report", load: () => import("./gossip/role.ts") },
  search: { about: "answers searches", load: () => import("./search/role.ts") },
  protocol: { about: "discovery documents and the beacon", load: () => import("./protocol/role.ts") },
  trust: { about: "ring 4: registrations and the transparency log", load: () => import("./trust/role.ts") },
  accounts: {
    about: "accounts with their sites, licenses and projects",
    load: () => import("./accounts/role.ts"),
  },
  provider: {
    about: "checks domains for DNS providers, and sends their webhooks",
    load: () => import("./provider/role.ts"),
  },
  session: { about: "agents' sessions and page reads", load: () => import("./session/role.ts") },
  keys: { about: "keys of the module gateway", load: () => import("./keys/role.ts") },
  gateway: { about: "the ten analysis modules", load: () => import("./gateway/role.ts") },
} as const satisfies Record<string, RoleSpec>;

export type Role = keyof typeof ROLE_SPECS;
export const ROLES = Object.keys(ROLE_SPECS) as Role[];
