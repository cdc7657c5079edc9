/** What a scan thread of the gateway can do: one line a task, each a pure function that may take long. */

import { type PageScan, scanPage } from "../../src/detectors/affiliate/rules.ts";
import { scanDarkPatterns } from "../../src/detectors/dark-pattern/rules.ts";
import { scanFirewall } from "../../src/detectors/firewall/rules.ts";
import { readPageModel } from "../../src/pages/page-model.ts";
import { serveJobs } from "../../src/threads/serve-jobs.ts";
import { readOffers } from "./common/offers.ts";
import { type PageFacts, readPageFacts } from "./gov/page-facts.ts";
import { type JudgeContext, type Judgement, judgeDocument } from "./protocol/rules.ts";

export interface AffiliateJob {
  html: string;
  url: string | undefined;
}
const scanAffiliate = ({ html, url }: AffiliateJob): PageScan =>
  scanPage(readPageModel(html), url === undefined ? undefined : new URL(url));

export interface FactsJob {
  html: string;
  url: string;
}
const readFacts = ({ html, url }: FactsJob): PageFacts => readPageFacts(html, new URL(url));

export interface DocumentJob {
  text: string;
  context: JudgeContext;
}
const judge = ({ text, context }: DocumentJob): Judgement => judgeDocument(text, context);

serveJobs({
  affiliate: scanAffiliate,
  darkPattern: scanDarkPatterns,
  document: judge,
  facts: readFacts,
  firewall: scanFirewall,
  offers: readOffers,
});
