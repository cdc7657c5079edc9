/** What the registry's documents for machines are made from: the contracts, and what this front serves beside them. */
import { ARD_REGISTRY_PATH } from "../../src/agent-web/as/ard-entry.ts";
import type { Service } from "../../src/rpc/contract.ts";

/** One protocol, beside REST, that this front speaks. */
export interface SpokenProtocol {
  kind: "mcp";
  /** Path of the document that describes it. */
  card: string;
}

export interface MachineInterface {
  /** Address of the registry, without a final slash. */
  publicUrl: string;
  services: readonly Service[];
  /** Protocols beside REST; a document names none that is not served. */
  protocols: readonly SpokenProtocol[];
  /** Addresses at which the operator is reached, mail or web. */
  contacts: readonly string[];
}

export const TITLE = "Agent-Web Bridge";
export const SUMMARY =
  "A registry of agent-ready websites: agents find a site, check that it is what it says, and act on it within its owner's permissions.";

/** Paths of the documents. */
export const PATHS = {
  llms: "/llms.txt",
  llmsFull: "/llms-full.txt",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml",
  security: "/.well-known/security.txt",
  apiCatalog: "/.well-known/api-catalog",
  ard: "/.well-known/ard.json",
  /** Base of the operations by which this registry is one of ARD (workers/search/ard-contract.ts). */
  ardRegistry: ARD_REGISTRY_PATH,
  aiCatalog: "/.well-known/ai-catalog.json",
  openapi: "/openapi.json",
  docs: "/docs",
} as const;
