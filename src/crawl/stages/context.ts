/** What a visit is given before its first stage. */
import type { SiteContent, SiteRecord } from "../../../schemas/site.ts";
import type { SitePages } from "../../../schemas/site-pages.ts";
import type { Visit } from "../../egress/polite.ts";
import type { Resolver } from "../../ports/dns.ts";
import { beatOnce } from "../../threads/watchdog.ts";
import type { PageReading } from "../pages/page-reading.ts";
import type { StageResult } from "./stage.ts";

/** What the last visit left. `content` and `pages` are only there where the record says that pages were read. */
export interface Previous {
  record: SiteRecord;
  content: SiteContent | undefined;
  pages?: SitePages | undefined;
}

/** Settings of whoever visits, the same for every host. */
export interface CheckOptions {
  resolver: Pick<Resolver, "txt">;
  /** Product token that robots.txt names, such as BridgeBot. */
  robotsToken: string;
  /** Port of https addresses that name none: 443, except on a synthetic web. */
  httpsPort: number;
  /** Broker milliseconds. */
  now: () => number;
}

/** What a visit that reads pages needs beside. */
export interface PageOptions {
  pagesPerVisit: number;
  readPage: PageReading["read"];
}

export interface VisitContext extends CheckOptions {
  /** Canonical. */
  host: string;
  visit: Visit;
  /** What the last visit left, for conditional requests and serials. */
  previous: Previous | undefined;
  /** Runs what handles this host's bytes without giving way: if that hangs, the watchdog names the host. */
  handling<T>(work: () => T): T;
}

export const contextOf = <Options extends CheckOptions>(
  visit: Visit,
  host: string,
  previous: Previous | undefined,
  options: Options,
): VisitContext & Options => ({
  ...options,
  host,
  visit,
  previous,
  handling: (work) => {
    beatOnce(`what ${host} sent`);
    return work();
  },
});

/** A request that was held back because others have the host's place says nothing of the site. */
export const heldBack = ({ retryAt }: Visit): (StageResult<never> & { kind: "not_now" }) | undefined =>
  retryAt === undefined ? undefined : { kind: "not_now", retryAt };
