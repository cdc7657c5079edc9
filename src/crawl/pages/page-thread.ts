/** The inside of a thread that reads pages for the crawl. */
import { seenPage } from "./page.ts";
import { unpackPages } from "./page-batch.ts";

export const pages = unpackPages(seenPage);
