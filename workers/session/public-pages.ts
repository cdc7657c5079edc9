/** Pages read without a session: fetched politely, within robots.txt and the site, and remembered for a minute. */
import { LRUCache } from "lru-cache";
import type { PageInfo } from "../../schemas/page-info.ts";
import type { ListedAction } from "../../schemas/session.ts";
import { Failure, fail } from "../../src/errors.ts";
import { pageActions } from "./actions.ts";
import { type BrowsingOptions, journeyTo } from "./browsing.ts";
import { openJar } from "./cookies.ts";
import { readPageModel } from "./page.ts";
import { pageInfoOf } from "./page-info.ts";

const REMEMBERED_MS = 60_000;
const FAILURE_REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 64;
/** Reads under way at once: each may hold a mebibyte and its tree. */
const MAX_READING = 16;
const DEADLINE_MS = 25_000;

export interface PublicPage {
  info: PageInfo;
  /** What its forms and links offer. */
  actions: ListedAction[];
}
type PageFailure = Failure<"permission_denied" | "site_unreachable" | "unavailable" | "invalid_url">;

export interface PublicPages {
  read(siteId: string, url: URL): Promise<PublicPage | PageFailure>;
}

const UNREADABLE: Partial<Record<string, "invalid_url" | "unavailable">> = {
  unsupported_address: "invalid_url",
  unsupported_content: "invalid_url",
  site_busy: "unavailable",
};

export const openPublicPages = (browsing: BrowsingOptions): PublicPages => {
  const known = new LRUCache<string, Promise<PublicPage | PageFailure>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  });
  let reading = 0;

  const readNow = async (siteId: string, url: URL): Promise<PublicPage | PageFailure> => {
    const arrival = await journeyTo(
      browsing,
      { method: "GET", url },
      { siteId, jar: openJar([]), closed: () => undefined, signal: AbortSignal.timeout(DEADLINE_MS) },
    );
    if (arrival instanceof Failure) return arrival;
    if (arrival.kind === "failed") {
      const { code, message, retryAfterSeconds } = arrival;
      return fail(UNREADABLE[code] ?? "site_unreachable", message, {
        ...(retryAfterSeconds && { retryAfterSeconds }),
      });
    }
    const page = readPageModel(arrival.source);
    return { info: pageInfoOf(page, siteId, browsing.now()), actions: pageActions(page) };
  };

  return {
    read: (siteId, url) => {
      const key = `${siteId} ${url.href}`;
      const remembered = known.get(key);
      if (remembered) return remembered;
      if (reading >= MAX_READING)
        return Promise.resolve(
          fail("unavailable", "Too many pages are being read.", { retryAfterSeconds: 2 }),
        );
      reading += 1;
      const page = readNow(siteId, url).finally(() => {
        reading -= 1;
      });
      known.set(key, page);
      page.then(
        (result) => result instanceof Failure && known.set(key, page, { ttl: FAILURE_REMEMBERED_MS }),
        () => known.delete(key),
      );
      return page;
    },
  };
};
