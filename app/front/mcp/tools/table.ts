/** The tools, in the order in which they are listed: the same for every caller, since clients and models cache the list. */
import { priceHistory } from "./price-history.ts";
import { readPage } from "./read-page.ts";
import { scanContent } from "./scan-content.ts";
import { searchSites } from "./search-sites.ts";
import { siteVerdict } from "./site-verdict.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [searchSites, siteVerdict, readPage, scanContent, priceHistory];
