/** Reads the pages of one site, by the rules of its robots.txt and as far as one visit goes. */
import type { Visit } from "../../egress/polite.ts";
import { type KnownRobots, robotsAllow, robotsOf } from "../../egress/site-robots.ts";
import { EvidenceCollector } from "./measured.ts";
import type { HungPage, PageReading } from "./page-reading.ts";
import { MAX_TEXT_CHARS, type SeenPage } from "./seen-page.ts";

const PAGE_BYTES = 2 * 1024 * 1024;
/** Addresses that one visit keeps in mind. */
const MAX_ADDRESSES = 100;

export interface PagesAsked {
  visit: Visit;
  home: URL;
  /** Rules of the home page's origin; undefined where no page is to be read. */
  robots: KnownRobots | undefined;
  robotsToken: string;
  /** Pages at most, the home page first. */
  limit: number;
  readPage: PageReading["read"];
}

/** What the pages said. `whole` is false when one of them did not answer, so that something may be missing. */
export interface PagesRead {
  title: string;
  language: string | null;
  text: string;
  /** Pages that were read. */
  count: number;
  whole: boolean;
  /** Why a page ended the thread that read it; no further one was asked for. */
  hung: string | undefined;
  /** What they show beside their text. */
  evidence: EvidenceCollector;
}

/** "failed": no answer, or none that says anything about the page; "none": there is no such page to read. */
const readOne = async (
  { visit, home, robotsToken, readPage }: PagesAsked,
  url: URL,
  robots: KnownRobots,
): Promise<SeenPage | HungPage | "failed" | "none"> => {
  const result = await visit.fetch(url.href, {
    maxBodyBytes: PAGE_BYTES,
    truncate: true,
    maxRedirects: 3,
    allowRedirect: (_, to) => to.origin === url.origin && robotsAllow(robots, to, robotsToken),
    headers: { accept: "text/html,application/xhtml+xml" },
  });
  if (!result.ok) return result.failure === "redirect_refused" ? "none" : "failed";
  if (result.status === 429 || result.status >= 500) return "failed";
  const contentType = result.headers["content-type"] ?? "";
  if (result.status !== 200 || !/^\s*(text\/html|application\/xhtml\+xml)/i.test(contentType)) return "none";
  const field = (result.headers["x-robots-tag"] ?? "").toLowerCase();
  const robotsTag = field.replaceAll(`${robotsToken.toLowerCase()}:`, "");
  const answer = { body: result.body, contentType, robotsTag, url: result.url.href, home: home.href };
  return (await readPage(answer)) ?? "failed";
};

/** Title, language and text of up to `limit` pages, the home page first. */
export const readPages = async (asked: PagesAsked): Promise<PagesRead> => {
  const { visit, home, robotsToken, limit } = asked;
  const evidence = new EvidenceCollector();
  const read: PagesRead = {
    title: "",
    language: null,
    text: "",
    count: 0,
    whole: true,
    hung: undefined,
    evidence,
  };
  const queue = [home];
  const seen = new Set([home.href]);
  for (let asks = 0; asks < limit && queue.length > 0 && read.text.length < MAX_TEXT_CHARS; asks++) {
    const url = queue.shift()!;
    const ofHome = url.origin === home.origin ? asked.robots : undefined;
    const robots = ofHome ?? (await robotsOf(visit, url.origin, robotsToken));
    if (!robots.read) read.whole = false;
    if (!robotsAllow(robots, url, robotsToken)) continue;
    const page = await readOne(asked, url, robots);
    if (page === "failed") read.whole = false;
    if (typeof page === "string") continue;
    if ("hung" in page) return { ...read, whole: false, hung: `${url.href}: ${page.hung}` };
    read.count++;
    evidence.add(page.evidence);
    if (!page.noindex) {
      if (asks === 0) Object.assign(read, { title: page.title, language: page.language });
      read.text = `${read.text}\n${page.text}`.trim().slice(0, MAX_TEXT_CHARS);
    }
    for (const link of page.links) {
      if (seen.size >= MAX_ADDRESSES || seen.has(link)) continue;
      seen.add(link);
      queue.push(new URL(link));
    }
  }
  return read;
};
