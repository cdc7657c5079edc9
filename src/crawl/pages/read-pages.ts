/** Reads pages of one site, by the rules of its robots.txt and as far as one visit goes. */
import type { SitePages } from "../../../schemas/site-pages.ts";
import type { Visit } from "../../egress/polite.ts";
import { type KnownRobots, robotsAllow, robotsOf } from "../../egress/site-robots.ts";
import { PageQueue } from "./page-queue.ts";
import type { HungPage, PageReading } from "./page-reading.ts";
import type { PageAnswer, SeenPage } from "./seen-page.ts";
import type { PagesVisit } from "./site-pages.ts";

const PAGE_BYTES = 2 * 1024 * 1024;

export interface PagesAsked {
  visit: Visit;
  home: URL;
  /** Rules of the home page's origin; undefined where no page is to be read. */
  robots: KnownRobots | undefined;
  robotsToken: string;
  /** Pages to ask for at most, the home page first. */
  limit: number;
  readPage: PageReading["read"];
  /** What earlier visits saw. */
  known: SitePages | undefined;
  /** Milliseconds. */
  now: number;
}

/** What the pages said. `whole` is false when one of them did not answer, so that something may be missing. */
export interface PagesRead extends PagesVisit {
  /** Of the home page. */
  title: string;
  language: string | null;
  /** Pages that robots.txt closes. */
  closed: string[];
  whole: boolean;
  /** Why a page ended the thread that read it; no further one was asked for. */
  hung: string | undefined;
}

/** "failed": no answer, or none that says anything about the page; "none": there is no such page to read. */
export type CrawledPage =
  | { kind: "page"; answer: PageAnswer }
  /** `movedTo`: it redirects to another origin, which was not asked. */
  | { kind: "failed" | "none"; detail: string; movedTo?: URL | undefined };

/** Asks for one page, as its site's rules allow. Nothing is parsed here. */
export async function fetchCrawledPage(
  { visit, home, robotsToken }: Pick<PagesAsked, "visit" | "home" | "robotsToken">,
  url: URL,
  robots: KnownRobots,
): Promise<CrawledPage> {
  let movedTo: URL | undefined;
  const result = await visit.fetch(url.href, {
    maxBodyBytes: PAGE_BYTES,
    truncate: true,
    maxRedirects: 3,
    allowRedirect: (_, to) => {
      if (to.origin !== url.origin) movedTo = to;
      return to.origin === url.origin && robotsAllow(robots, to, robotsToken);
    },
    headers: { accept: "text/html,application/xhtml+xml" },
  });
  if (!result.ok)
    return {
      kind: result.failure === "redirect_refused" ? "none" : "failed",
      detail: result.detail,
      movedTo,
    };
  const { status } = result;
  const detail = `it answered ${status}`;
  if (status === 429 || status >= 500) return { kind: "failed", detail };
  const contentType = result.headers["content-type"] ?? "";
  if (status !== 200) return { kind: "none", detail };
  if (!/^\s*(text\/html|application\/xhtml\+xml)/i.test(contentType))
    return { kind: "none", detail: "it is no HTML" };
  const field = (result.headers["x-robots-tag"] ?? "").toLowerCase();
  const robotsTag = field.replaceAll(`${robotsToken.toLowerCase()}:`, "");
  const answer = { body: result.body, contentType, robotsTag, url: result.url.href, home: home.href };
  return { kind: "page", answer };
}

/** Reads up to `limit` pages, the home page first. */
export async function readPages(asked: PagesAsked): Promise<PagesRead> {
  const { visit, home, robotsToken, limit, known, now } = asked;
  const read: PagesRead = {
    title: "",
    language: null,
    whole: true,
    hung: undefined,
    read: [],
    gone: [],
    failed: [],
    closed: [],
  };
  const queue = new PageQueue(home, known, now);
  for (let asks = 0; asks < limit; ) {
    const url = queue.next();
    if (!url) break;
    const ofHome = url.origin === home.origin ? asked.robots : undefined;
    const robots = ofHome ?? (await robotsOf(visit, url.origin, robotsToken));
    if (!robotsAllow(robots, url, robotsToken)) {
      if (robots.read) read.closed.push(url.href);
      else {
        read.whole = false;
        asks++;
      }
      continue;
    }
    asks++;
    const page = await readOne(asked, url, robots);
    if (page === "none") read.gone.push(url.href);
    else if (page === "failed") {
      read.failed.push(url.href);
      read.whole = false;
    } else if ("hung" in page) return { ...read, whole: false, hung: `${url.href}: ${page.hung}` };
    else {
      const { title, language, text, noindex, evidence, links } = page;
      read.read.push({ page: url.href, text, noindex, evidence });
      if (url.href === home.href && !noindex) Object.assign(read, { title, language });
      queue.add(links);
    }
  }
  return read;
}

async function readOne(
  asked: PagesAsked,
  url: URL,
  robots: KnownRobots,
): Promise<SeenPage | HungPage | "failed" | "none"> {
  const fetched = await fetchCrawledPage(asked, url, robots);
  return fetched.kind === "page" ? ((await asked.readPage(fetched.answer)) ?? "failed") : fetched.kind;
}
