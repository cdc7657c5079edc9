/** The front page of a site alone, for a draft of its document: by robots.txt, in the turn of a visit, parsed in a thread. */
import type { DocumentDraft } from "../../schemas/draft.ts";
import type { Visit } from "../egress/polite.ts";
import { robotsAllow, robotsOf } from "../egress/site-robots.ts";
import type { PageFacts } from "./pages/page-facts.ts";
import type { PageReading } from "./pages/page-reading.ts";
import { fetchCrawledPage } from "./pages/read-pages.ts";
import type { PageAnswer } from "./pages/seen-page.ts";
import type { CheckOptions } from "./stages/context.ts";

export type FrontPage =
  | { kind: "seen"; page: DocumentDraft["page"]; facts: PageFacts | undefined; hung: boolean }
  | { kind: "not_now"; retryAt: number };

export interface FrontPageAsked extends Pick<CheckOptions, "robotsToken" | "httpsPort"> {
  visit: Visit;
  /** Canonical. */
  host: string;
  readFacts: PageReading["facts"];
}

type Unread = { state: Exclude<DocumentDraft["page"]["state"], "read">; detail: string; hung?: boolean };
type Read = { answer: PageAnswer } | (Unread & { movedTo?: URL | undefined });

/** Two requests at most beside redirects, robots.txt, where it is not known, and the page; as many again where the domain leads to its `www.`. */
export async function readFrontPage(asked: FrontPageAsked): Promise<FrontPage> {
  const { visit, host, httpsPort, readFacts } = asked;
  const own = new URL(`https://${host}:${httpsPort}/`);
  const seen = ({ state, detail, hung = false }: Unread, url: URL): FrontPage =>
    visit.retryAt === undefined
      ? {
          kind: "seen",
          page: { state, url: url.href, detail: detail.slice(0, 500).toWellFormed() },
          facts: undefined,
          hung,
        }
      : { kind: "not_now", retryAt: visit.retryAt };
  const first = await fetchHome(asked, own);
  const www = wwwOf(host, first);
  const home = www ?? own;
  const read = www ? await fetchHome(asked, www) : first;
  if (!("answer" in read)) return seen(read, home);
  const facts = await readFacts(read.answer);
  if (facts === undefined)
    return seen({ state: "unreachable", detail: "Too many pages wait to be read." }, home);
  if ("hung" in facts)
    return seen({ state: "left_alone", detail: "The page took too long to read.", hung: true }, home);
  const detail = www
    ? `${host} redirects to ${www.hostname}, so the page there was read. The document must answer without a redirect: name ${www.origin} as the address that serves it.`
    : "";
  return { kind: "seen", page: { state: "read", url: read.answer.url, detail }, facts, hung: false };
}

/** Asks for the page at an origin's root, by that origin's robots.txt. */
async function fetchHome({ visit, robotsToken }: FrontPageAsked, home: URL): Promise<Read> {
  const robots = await robotsOf(visit, home.origin, robotsToken);
  if (!robotsAllow(robots, home, robotsToken))
    return robots.read
      ? { state: "disallowed", detail: `${home.origin}/robots.txt does not allow the front page to be read.` }
      : { state: "unreachable", detail: `${home.origin}/robots.txt cannot be read: ${robots.detail}.` };
  const fetched = await fetchCrawledPage({ visit, home, robotsToken }, home, robots);
  if (fetched.kind === "page") return { answer: fetched.answer };
  const { kind, detail, movedTo } = fetched;
  return { state: kind === "none" ? "no_page" : "unreachable", detail: `${home.href}: ${detail}.`, movedTo };
}

/** Of a domain that redirects all to its `www.`, that name's root: most shops are there. No other name is read in a domain's place. */
const wwwOf = (host: string, read: Read): URL | undefined =>
  "movedTo" in read && read.movedTo?.protocol === "https:" && read.movedTo.hostname === `www.${host}`
    ? new URL("/", read.movedTo)
    : undefined;
