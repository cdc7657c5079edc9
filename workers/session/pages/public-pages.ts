/**
 * Pages read without a session: fetched politely, within robots.txt, the site and what its owner leaves open, and
 * remembered for a minute.
 */
import { LRUCache } from "lru-cache";
import { openCookieJar } from "../../../src/browser/cookie-jar.ts";
import type { PageReply } from "../../../src/browser/page-source.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Caller, TaskFailure } from "../../../src/threads/thread-tasks.ts";
import { type FetchPageOptions, fetchSessionPage } from "./fetch-page.ts";
import type { ReadFor } from "./page-reader.ts";

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

export interface PublicPages<Page> {
  /** @param asker whom failing pages of the site make wait, such as a network */
  read(siteId: string, url: URL, asker: string, caller: Caller): Promise<Page | PageFailure>;
}

const UNREADABLE: Partial<Record<string, "invalid_url" | "unavailable">> = {
  unsupported_address: "invalid_url",
  unsupported_content: "invalid_url",
  site_busy: "unavailable",
};

interface Sources<Page> {
  fetching: FetchPageOptions;
  /** What is made of a page that came; in a thread. @param asked the address that was asked for */
  describe: (
    reply: PageReply,
    fetchedAt: number,
    reading: ReadFor,
    asked: URL,
  ) => Promise<Page | TaskFailure>;
  /** Where a page was found, after redirects. */
  addressOf: (page: Page) => string;
  /** Why the owner of an address closes it to readers, or undefined: asked anew for every reader. */
  closed: (url: URL) => Promise<string | undefined>;
}

export function openPublicPages<Page>(sources: Sources<Page>): PublicPages<Page> {
  const { closed, addressOf } = sources;
  const known = new LRUCache<string, Promise<Page | PageFailure>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  });
  const reading: string[] = [];

  const readOnce = (siteId: string, url: URL, asker: string, caller: Caller): Promise<Page | PageFailure> => {
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
      const closedSince = page instanceof Failure ? undefined : await closed(new URL(addressOf(page)));
      return closedSince ? fail("permission_denied", closedSince) : page;
    },
  };
}

async function readPage<Page>(
  { fetching, describe, closed }: Sources<Page>,
  siteId: string,
  url: URL,
  asker: string,
  caller: Caller,
): Promise<Page | PageFailure> {
  const outcome = await fetchSessionPage(
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
  return describe(outcome.reply, fetching.now(), { caller, siteId }, url);
}
