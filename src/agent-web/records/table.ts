/** Every kind of DNS record of the agent-ready web, one row each. Nothing else of the crawl knows a kind's name. */
import { AID } from "./aid.ts";
import { ANS } from "./ans.ts";
import { ARD_ENTRIES, ARD_SEARCH, DNS_AID } from "./bindings.ts";
import { ANS_BADGE, MCP_REGISTRY_KEY, OASF_KEY } from "./proofs.ts";
import type { RecordFormat } from "./record-format.ts";

export const RECORD_FORMATS: readonly RecordFormat[] = [
  AID,
  DNS_AID,
  ARD_ENTRIES,
  ARD_SEARCH,
  ANS,
  ANS_BADGE,
  OASF_KEY,
  MCP_REGISTRY_KEY,
];
