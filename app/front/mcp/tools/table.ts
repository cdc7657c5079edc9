/** The tools, in the order in which they are listed: the same for every caller, since clients and models cache the list. */
import { doAction } from "./do-action.ts";
import { listActions } from "./list-actions.ts";
import { openSession } from "./open-session.ts";
import { priceHistory } from "./price-history.ts";
import { readPage } from "./read-page.ts";
import { requestAccess } from "./request-access.ts";
import { scanContent } from "./scan-content.ts";
import { searchSites } from "./search-sites.ts";
import { siteVerdict } from "./site-verdict.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  searchSites,
  siteVerdict,
  readPage,
  requestAccess,
  openSession,
  listActions,
  doAction,
  scanContent,
  priceHistory,
];
