/** One HTML page as the crawl sees it: what it says, where it leads, and how it deals with its visitors. Pure. */
import { withoutAttacks } from "../../detectors/firewall/rules.ts";
import { decodeBody } from "../../pages/body-encoding.ts";
import { readPageModel } from "../../pages/page-model.ts";
import { baseOf, linksOf, metaRobots, pageTitle, robotsDirectives } from "../../pages/page-parts.ts";
import { oneLine, visibleText } from "../../pages/visible-text.ts";
import { pageEvidence } from "./evidence.ts";
import { linksWorthReading } from "./links.ts";
import { MAX_TEXT_CHARS, type PageAnswer, type SeenPage } from "./seen-page.ts";

/** Of one page, links that are looked at. */
const MAX_LINKS = 500;

/** Reads a page. Never throws; 2 MiB of anything takes at most about a second. */
export function seenPage({ body, contentType, robotsTag, url, home }: PageAnswer): SeenPage {
  const whole = readPageModel(decodeBody(body, contentType));
  const from = new URL(url);
  const evidence = pageEvidence(whole, from);
  const page = withoutAttacks(whole, MAX_TEXT_CHARS);
  const [inPage, inAnswer] = [metaRobots(page), robotsDirectives(robotsTag)];
  const links =
    inPage.nofollow || inAnswer.nofollow
      ? []
      : linksOf(page, baseOf(page, from), true)
          .take(MAX_LINKS)
          .map(({ url: to }) => to);
  return {
    title: pageTitle(page),
    language: page.language,
    text: oneLine(visibleText(page, page.document, MAX_TEXT_CHARS).text),
    noindex: inPage.noindex || inAnswer.noindex,
    links: linksWorthReading(links, new URL(home)),
    evidence,
  };
}
