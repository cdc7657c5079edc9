/** Roles that a worker process can take: one line an actor. Operators start them, and scale by them. */
import type { RunningRole } from "../src/roles.ts";
import type { Runtime } from "../src/runtime.ts";
import { start as accounts } from "./accounts/role.ts";
import { start as crawler } from "./crawler/role.ts";
import { start as gateway } from "./gateway/role.ts";
import { start as gossip } from "./gossip/role.ts";
import { start as indexer } from "./indexer/role.ts";
import { start as keys } from "./keys/role.ts";
import { start as protocol } from "./protocol/role.ts";
import { start as provider } from "./provider/role.ts";
import { start as search } from "./search/role.ts";
import { start as session } from "./session/role.ts";
import { start as trust } from "./trust/role.ts";

export interface RoleSpec {
  about: string;
  start: (runtime: Runtime) => Promise<RunningRole>;
}

export const ROLE_SPECS = {
  crawler: { about: "visits due hosts", start: crawler },
  indexer: { about: "writes site records into the index", start: indexer },
  gossip: { about: "judges what strangers report", start: gossip },
  search: { about: "answers searches", start: search },
  protocol: { about: "discovery documents and the beacon", start: protocol },
  trust: { about: "ring 4: registrations and the transparency log", start: trust },
  accounts: { about: "accounts with their sites, licenses and projects", start: accounts },
  provider: { about: "checks domains for DNS providers, and sends their webhooks", start: provider },
  session: { about: "agents' sessions and page reads", start: session },
  keys: { about: "keys of the module gateway", start: keys },
  gateway: { about: "the ten analysis modules", start: gateway },
} as const satisfies Record<string, RoleSpec>;

export type Role = keyof typeof ROLE_SPECS;
export const ROLES = Object.keys(ROLE_SPECS) as Role[];
