/** The inside of a thread that reads pages for the crawl. */
import { serveJobs } from "../../threads/serve-jobs.ts";
import { seenPage } from "./page.ts";
import { unpackPages } from "./page-batch.ts";

serveJobs({ pages: unpackPages(seenPage) });
