/**
 * The registry's own observation of an offer: one page of a site, by the guarded client, in the politeness gate's turn and
 * within robots.txt, without cookies or sign-in. What it says the registry observed; everything else is somebody's claim.
 */
import { stopAfter } from "../../../src/concurrency/stop-after.ts";
import { isWithin, parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import { whyNotFetched } from "./observed-page.ts";
import type * as offers from "./offers.ts";
import { fetchedText } from "./page-text.ts";
import type { Scans } from "./scans.ts";

const READ_OFFERS = tasksOf<typeof offers>(new URL("./offers.ts", import.meta.url))("offersOfPage");
const MAX_PAGE_BYTES = 1 << 20;
const MAX_REDIRECTS = 3;

export type OfferPage =
  | {
      ok: true;
      /** Where the redirects ended. */
      url: URL;
      /** Milliseconds: when the page had been read. */
      at: number;
      offers: offers.PageOffer[];
      /** Of the body's bytes. */
      sha256: string;
    }
  | { ok: false; reason: string };

/**
 * Reads the offers of one page; the reason for a failure is a text for people.
 * @param caller who caused it; it takes no longer than the caller's `timeoutMs`
 */
export type ReadOfferPage = (url: URL, caller: Caller, stop?: AbortSignal) => Promise<OfferPage>;

export interface OfferPageDeps {
  polite: Polite;
  /** Port of every site but a synthetic web's: 443. */
  httpsPort: number;
  scans: Scans;
  now: () => number;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export const createReadOfferPage =
  (deps: OfferPageDeps): ReadOfferPage =>
  async (url, caller, stop) => {
    const { timeoutMs } = caller;
    const refusal = refusalOf(url, url.hostname, deps.httpsPort);
    if (refusal) return failed(refusal);
    const signal = stopAfter(timeoutMs, stop ?? caller.signal);
    // A stranger named the address: what it answers must not make the crawl stay away from its site.
    const entry = await deps.polite.open(url.hostname, timeoutMs / 2, signal, {
      ownBackOff: true,
      obeysRobots: true,
    });
    if (!entry.ok) return failed("the site is being visited by others; try again later");
    await using visit = entry.visit;
    const page = await readPage(deps, visit, url, timeoutMs);
    if (!page.ok) return page;
    const { status, headers, body, truncated } = page.result;
    if (status !== 200) return failed(`the page answered ${status}`);
    if (truncated) return failed(`the page is longer than ${MAX_PAGE_BYTES} bytes`);
    const html = fetchedText(body, headers["content-type"] ?? "");
    const at = deps.now();
    const site = registrableDomain(url.hostname);
    const read = await deps.scans.run(READ_OFFERS, html, caller, site);
    if (read instanceof Failure) return failed("the page could not be read in time");
    return { ok: true, url: page.url, at, ...read };
  };

/** Whether an address can be one of a site's own pages: a name by https at the usual port, without credentials. */
function refusalOf(url: URL, host: string, httpsPort: number): string | undefined {
  if (url.protocol !== "https:" || Number(url.port || 443) !== httpsPort)
    return "the page is not served by https at its usual port";
  if (!parseHost(url.hostname).ok || url.username !== "" || url.password !== "")
    return "the address does not name a site";
  return isWithin(url.hostname, registrableDomain(host)) ? undefined : "it leads to another site";
}

const failed = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });

/** Follows redirects within the site. */
async function readPage(deps: OfferPageDeps, visit: Visit, first: URL, timeoutMs: number) {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const refusal = refusalOf(url, first.hostname, deps.httpsPort);
    if (refusal) return failed(refusal);
    const result = await visit.fetch(url.href, {
      headers: { accept: "text/html,application/xhtml+xml" },
      maxBodyBytes: MAX_PAGE_BYTES,
      truncate: true,
      timeoutMs,
    });
    if (!result.ok) return failed(whyNotFetched(result.failure));
    const { location } = result.headers;
    if (!REDIRECTS.has(result.status) || location === undefined) return { ok: true as const, url, result };
    const next = URL.parse(location, url.href);
    if (!next) return failed("it leads to no address");
    url = next;
  }
  return failed(`more than ${MAX_REDIRECTS} redirects`);
}
