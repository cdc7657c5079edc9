/** What a reading thread finds sites with. */
import type { Connection } from "../storage/connection.ts";
import type { Collector } from "./collector.ts";
import type { SiteColumns } from "./site-columns.ts";

export interface Searcher {
  connection: Connection;
  columns: SiteColumns;
  collector: Collector;
}
