/** Dependencies of gossip. */
import type { SiteRecord } from "../../schemas/site.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import type { Records } from "../../src/stores/records.ts";
import type { Candidates, Reporter } from "./rules.ts";
import type { Holder } from "./tables.ts";
import type { TriedTable } from "./tried-table.ts";

export interface GossipDeps {
  frontier: Frontier;
  sites: Records<SiteRecord>;
  blocks: Records<{ host: string }>;
  candidates: Records<Candidates>;
  reporters: Records<Reporter>;
  places: Records<Holder>;
  tried: TriedTable;
  index: SiteIndex;
  now: () => number;
  secret: string;
  publicUrl: string;
  ownRing: () => Promise<number>;
  random: () => number;
}
