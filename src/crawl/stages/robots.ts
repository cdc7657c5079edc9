import { type KnownRobots, robotsAllow, robotsOf } from "../../egress/site-robots.ts";
import type { PageOptions, VisitContext } from "./context.ts";
import type { EndpointFound } from "./endpoint.ts";
import { passStage, type Stage, skipStage, warnStage } from "./stage.ts";

export interface RobotsFound {
  /** The home page's rules; undefined where no page is to be read. */
  robots: KnownRobots | undefined;
}

/** robots.txt of the home page's origin: every page is read by its rules. */
export const robots: Stage<VisitContext & PageOptions & EndpointFound, RobotsFound, "robots"> = {
  name: "robots",
  reasons: [],
  run: async ({ visit, home, robotsToken, pagesPerVisit }) => {
    if (pagesPerVisit === 0) return skipStage({ robots: undefined }, "no_pages", "No page is to be read.");
    const robots = await robotsOf(visit, home.origin, robotsToken);
    const url = `${home.origin}/robots.txt`;
    if (!robots.read)
      return warnStage(
        { robots },
        "robots_unreadable",
        `${url} cannot be read (${robots.detail}): no page is, either`,
      );
    return robotsAllow(robots, home, robotsToken)
      ? passStage({ robots }, "allowed", url)
      : warnStage({ robots }, "disallowed", `${url} does not allow the home page`);
  },
};
