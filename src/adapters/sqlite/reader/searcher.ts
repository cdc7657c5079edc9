/** What a reading thread finds sites with. */
import type { SqliteConnection } from "../storage/connection.ts";
import type { Collector } from "./collector.ts";
import type { SiteColumns } from "./site-columns.ts";

export interface Searcher {
  connection: SqliteConnection;
  columns: SiteColumns;
  collector: Collector;
}
