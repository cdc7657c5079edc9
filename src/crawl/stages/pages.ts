import { delists, MALICIOUS_DETAIL, readsAttack } from "../pages/measured.ts";
import { type PagesRead, readPages } from "../pages/read-pages.ts";
import { charactersRead } from "../pages/site-pages.ts";
import type { PageOptions, VisitContext } from "./context.ts";
import type { EndpointFound } from "./endpoint.ts";
import type { RobotsFound } from "./robots.ts";
import { failStage, passStage, type Stage, skipStage, stopVisit, warnStage } from "./stage.ts";

export interface PagesFound {
  pages: PagesRead;
}

/** The pages: their words, and how the site deals with its visitors. Measures are judged by judgement.ts. */
export const pagesStage: Stage<
  VisitContext & PageOptions & EndpointFound & RobotsFound,
  PagesFound,
  "pages"
> = {
  name: "pages",
  reasons: ["malicious_page", "quarantined"],
  run: async ({ visit, home, robots, robotsToken, pagesPerVisit, readPage, previous, now }) => {
    const pages = await readPages({
      visit,
      home,
      robots,
      robotsToken,
      readPage,
      limit: pagesPerVisit,
      known: previous?.pages,
      now: now(),
    });
    const { hung, whole, read } = pages;
    // Nothing else that this visit saw counts.
    if (hung !== undefined)
      return stopVisit("quarantined", `A page ended the thread that read it: ${hung}.`, { pages });
    if (readsAttack(read)) {
      const isOff = !previous || delists(previous.record, true, now());
      return (isOff ? failStage : warnStage)({ pages }, "malicious_page", MALICIOUS_DETAIL);
    }
    if (!whole) return warnStage({ pages }, "unreachable", "A page, or robots.txt, did not answer.");
    if (read.length === 0) return skipStage({ pages }, "nothing_to_read", "No page was read.");
    return passStage({ pages }, "read", `${read.length} pages, ${charactersRead(pages)} characters of text`);
  },
};
