/** The front page of a site alone, for a draft of its document: by robots.txt, in the turn of a visit, parsed in a thread. */
import type { DocumentDraft } from "../../schemas/draft.ts";
import type { Visit } from "../egress/polite.ts";
import { robotsAllow, robotsOf } from "../egress/site-robots.ts";
import type { PageFacts } from "./pages/page-facts.ts";
import type { PageReading } from "./pages/page-reading.ts";
import { fetchPage } from "./pages/read-pages.ts";
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

/** Two requests at most beside redirects: robots.txt, where it is not known, and the page. */
export const readFrontPage = async (asked: FrontPageAsked): Promise<FrontPage> => {
  const { visit, host, robotsToken, httpsPort, readFacts } = asked;
  const home = new URL(`https://${host}:${httpsPort}/`);
  const unread = (state: DocumentDraft["page"]["state"], detail: string, hung = false): FrontPage =>
    visit.retryAt === undefined
      ? {
          kind: "seen",
          page: { state, url: home.href, detail: detail.slice(0, 500).toWellFormed() },
          facts: undefined,
          hung,
        }
      : { kind: "not_now", retryAt: visit.retryAt };
  const robots = await robotsOf(visit, home.origin, robotsToken);
  if (!robotsAllow(robots, home, robotsToken))
    return robots.read
      ? unread("disallowed", `${home.origin}/robots.txt does not allow the front page to be read.`)
      : unread("unreachable", `${home.origin}/robots.txt cannot be read: ${robots.detail}.`);
  const fetched = await fetchPage({ visit, home, robotsToken }, home, robots);
  if (fetched.kind !== "page")
    return unread(fetched.kind === "none" ? "no_page" : "unreachable", `${home.href}: ${fetched.detail}.`);
  const facts = await readFacts(fetched.answer);
  if (facts === undefined) return unread("unreachable", "Too many pages wait to be read.");
  if ("hung" in facts) return unread("left_alone", "The page took too long to read.", true);
  const page = { state: "read" as const, url: fetched.answer.url, detail: "" };
  return { kind: "seen", page, facts, hung: false };
};
