/** Every service that the front offers, in the order of the documentation. One line an actor: this list is grepped. */
import type { Service } from "../src/contract.ts";
import { gossip } from "./gossip/contract.ts";
import { protocol } from "./protocol/contract.ts";
import { search } from "./search/contract.ts";

export const services: readonly Service[] = [protocol, search, gossip];

/** Roles that a worker process can take. */
export const ROLES = ["crawler", "indexer", "gossip", "search", "protocol"] as const;
export type Role = (typeof ROLES)[number];
