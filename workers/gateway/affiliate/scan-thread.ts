/** Scans in a thread of their own: a hostile page takes its time there. */
import { readPageModel } from "../common/page-model.ts";
import { serveJobs } from "../common/pool-thread.ts";
import { type PageScan, scanPage } from "./rules.ts";

export interface ScanJob {
  html: string;
  url: string | undefined;
}

serveJobs({
  scan: ({ html, url }: ScanJob): PageScan =>
    scanPage(readPageModel(html), url === undefined ? undefined : new URL(url)),
});
