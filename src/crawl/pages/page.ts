/** One HTML page as the crawl sees it: what it says, where it leads, and how it deals with its visitors. Pure. */
import { decodeBody } from "../../pages/body-encoding.ts";
import { readPage, robotsDirectives } from "../../pages/page-text.ts";
import { parseHtml } from "../../pages/parse-html.ts";
import { pageEvidence } from "./evidence.ts";
import { linksWorthReading } from "./links.ts";
import { MAX_TEXT_CHARS, type PageAnswer, type SeenPage } from "./seen-page.ts";

/** Reads a page. Never throws; 2 MiB of anything takes at most about a second. */
export const seenPage = ({ body, contentType, robotsTag, url, home }: PageAnswer): SeenPage => {
  const html = parseHtml(decodeBody(body, contentType));
  const from = new URL(url);
  const page = readPage(html, from);
  const said = robotsDirectives(robotsTag);
  return {
    title: page.title ?? "",
    language: page.language,
    text: page.text.slice(0, MAX_TEXT_CHARS),
    noindex: page.metaRobots.noindex || said.noindex,
    links:
      page.metaRobots.nofollow || said.nofollow
        ? []
        : linksWorthReading(
            page.links.map(({ href }) => href),
            new URL(home),
          ),
    evidence: pageEvidence(html, from),
  };
};
