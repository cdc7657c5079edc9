/**
 * Pages read without a session: fetched politely, within robots.txt, the site and what its owner leaves open, and
 * remembered for a minute.
 */
import { LRUCache } from "lru-cache";
import { openCookieJar } from "../../../src/browser/cookie-jar.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { type FetchPageOptions, fetchPage } from "./fetch-page.ts";
import type { PageReader } from "./page-reader.ts";
import type { DescribedPage } from "./page-tasks.ts";

const REMEMBERED_MS = 60_000;
const FAILURE_REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 64;
/** Reads under way at once, and those of one asker: each may hold a mebibyte and its tree. */
const MAX_READING = 16;
const MAX_READING_OF_ASKER = 6;
const DEADLINE_MS = 25_000;

type PageFailure = Failure<
  "permission_denied" | "site_unreachable" | "unavailable" | "invalid_url" | "content_too_costly"
>;
type PublicPage = DescribedPage;

export interface PublicPages {
  /** @param asker whom failing pages of the site make wait, such as a network */
  read(siteId: string, url: URL, asker: string, caller: Caller): Promise<PublicPage | PageFailure>;
}

const UNREADABLE: Partial<Record<string, "invalid_url" | "unavailable">> = {
  unsupported_address: "invalid_url",
  unsupported_content: "invalid_url",
  site_busy: "unavailable",
};

interface Sources {
  fetching: FetchPageOptions;
  reader: PageReader;
  /** Why the owner of an address closes it to readers, or undefined: asked anew for every reader. */
  closed: (url: URL) => Promise<string | undefined>;
}

const readPage = async (
  { fetching, reader, closed }: Sources,
  siteId: string,
  url: URL,
  asker: string,
  caller: Caller,
): Promise<PublicPage | PageFailure> => {
  const outcome = await fetchPage(
    fetching,
    { method: "GET", url },
    { siteId, jar: openCookieJar([]), asker, closed, signal: AbortSignal.timeout(DEADLINE_MS) },
  );
  if (outcome instanceof Failure) return outcome;
  if (outcome.kind === "failed") {
    const { code, message, retryAfterSeconds } = outcome;
    return fail(UNREADABLE[code] ?? "site_unreachable", message, {
      ...(retryAfterSeconds && { retryAfterSeconds }),
    });
  }
  return reader.describe(outcome.reply, fetching.now(), { caller, siteId });
};

export const openPublicPages = (sources: Sources): PublicPages => {
  const { closed } = sources;
  const known = new LRUCache<string, Promise<PublicPage | PageFailure>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  });
  const reading: string[] = [];

  const readOnce = (
    siteId: string,
    url: URL,
    asker: string,
    caller: Caller,
  ): Promise<PublicPage | PageFailure> => {
    const key = `${siteId} ${url.href}`;
    // A page that was read is for everybody; that one asker gets none says nothing to another.
    const own = `${asker} ${key}`;
    const remembered = known.get(key) ?? known.get(own);
    if (remembered) return remembered;
    const ofAsker = reading.filter((each) => each === asker).length;
    if (reading.length >= MAX_READING || ofAsker >= MAX_READING_OF_ASKER)
      return Promise.resolve(fail("unavailable", "Too many pages are being read.", { retryAfterSeconds: 2 }));
    reading.push(asker);
    const page = readPage(sources, siteId, url, asker, caller).finally(() => {
      reading.splice(reading.indexOf(asker), 1);
    });
    known.set(own, page);
    page.then(
      (result) => {
        // What was too costly to read once is no cheaper in five seconds, whoever asks.
        const forAll = !(result instanceof Failure) || result.code === "content_too_costly";
        if (!forAll) return void known.set(own, page, { ttl: FAILURE_REMEMBERED_MS });
        known.delete(own);
        known.set(key, page);
      },
      () => known.delete(own),
    );
    return page;
  };

  return {
    // What is remembered may have been closed since: where it was asked for, and where it was found.
    read: async (siteId, url, asker, caller) => {
      const refused = await closed(url);
      if (refused) return fail("permission_denied", refused);
      const page = await readOnce(siteId, url, asker, caller);
      const closedSince = page instanceof Failure ? undefined : await closed(new URL(page.info.url));
      return closedSince ? fail("permission_denied", closedSince) : page;
    },
  };
};
