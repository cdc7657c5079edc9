/** Reads pages in a thread of its own: a hostile page takes its time there. */
import { serveJobs } from "../common/pool-thread.ts";
import { type PageFacts, readPageFacts } from "./page-facts.ts";

export interface FactsJob {
  html: string;
  url: string;
}

serveJobs({ facts: ({ html, url }: FactsJob): PageFacts => readPageFacts(html, new URL(url)) });
