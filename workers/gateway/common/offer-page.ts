/**
 * The service's own look at an offer: one page of a site, by the guarded client, in the gate's turn and within robots.txt,
 * without cookies or sign-in. What it says was seen by the registry; everything else is somebody's claim.
 */
import { createHash } from "node:crypto";
import { isWithin, parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import { robotsAllow, robotsOf } from "../../../src/egress/site-robots.ts";
import { decodeBody } from "../../../src/pages/body-encoding.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { PageOffer } from "./offers.ts";
import type { Scans } from "./scans.ts";

const MAX_PAGE_BYTES = 1 << 20;
const MAX_REDIRECTS = 3;

export type OfferPage =
  | {
      ok: true;
      /** Where the redirects ended. */
      url: URL;
      /** Milliseconds: when the page had been read. */
      at: number;
      offers: PageOffer[];
      /** Of the body's bytes. */
      sha256: string;
    }
  | { ok: false; reason: string };

/**
 * Looks at an address; why nothing was seen is a reason for people.
 * @param caller whom the look is for; it takes no longer than the caller's `timeoutMs`
 */
export type LookAtOffers = (url: URL, caller: Caller, stop?: AbortSignal) => Promise<OfferPage>;

export interface OfferPageDeps {
  polite: Polite;
  /** First part of the User-Agent: the name that robots.txt knows. */
  robotsToken: string;
  /** Port of every site but a synthetic web's: 443. */
  httpsPort: number;
  scans: Scans;
  now: () => number;
}

const failed = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });

/** Whether an address can be one of a site's own pages: a name by https at the usual port, without credentials. */
const refusalOf = (url: URL, host: string, httpsPort: number): string | undefined => {
  if (url.protocol !== "https:" || Number(url.port || 443) !== httpsPort)
    return "the page is not served by https at its usual port";
  if (!parseHost(url.hostname).ok || url.username !== "" || url.password !== "")
    return "the address does not name a site";
  return isWithin(url.hostname, registrableDomain(host)) ? undefined : "it leads to another site";
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Follows redirects within the site, robots.txt asked before every step. */
const readPage = async (deps: OfferPageDeps, visit: Visit, first: URL, timeoutMs: number) => {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const refusal = refusalOf(url, first.hostname, deps.httpsPort);
    if (refusal) return failed(refusal);
    const robots = await robotsOf(visit, url.origin, deps.robotsToken);
    if (!robotsAllow(robots, url, deps.robotsToken)) return failed("robots.txt does not allow it");
    const result = await visit.fetch(url.href, {
      headers: { accept: "text/html,application/xhtml+xml" },
      maxBodyBytes: MAX_PAGE_BYTES,
      truncate: true,
      timeoutMs,
    });
    if (!result.ok) return failed(`the page could not be fetched (${result.failure})`);
    const { location } = result.headers;
    if (!REDIRECTS.has(result.status) || location === undefined) return { ok: true as const, url, result };
    const next = URL.parse(location, url.href);
    if (!next) return failed("it leads to no address");
    url = next;
  }
  return failed(`more than ${MAX_REDIRECTS} redirects`);
};

export const createLookAtOffers =
  (deps: OfferPageDeps): LookAtOffers =>
  async (url, caller, stop) => {
    const { timeoutMs } = caller;
    const refusal = refusalOf(url, url.hostname, deps.httpsPort);
    if (refusal) return failed(refusal);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    // A stranger named the address: what it answers must not make the crawl stay away from its site.
    const entry = await deps.polite.open(url.hostname, timeoutMs / 2, signal, { ownBackOff: true });
    if (!entry.ok) return failed("the site is being visited by others; try again later");
    try {
      const page = await readPage(deps, entry.visit, url, timeoutMs);
      if (!page.ok) return page;
      const { status, headers, body, truncated } = page.result;
      if (status !== 200) return failed(`the page answered ${status}`);
      if (truncated) return failed(`the page is longer than ${MAX_PAGE_BYTES} bytes`);
      const html = decodeBody(body, headers["content-type"] ?? "");
      const at = deps.now();
      const offers = await deps.scans.run<PageOffer[]>(
        "offers",
        html,
        caller,
        registrableDomain(url.hostname),
      );
      if (offers instanceof Failure) return failed("the page could not be read in time");
      return { ok: true, url: page.url, at, offers, sha256: createHash("sha256").update(body).digest("hex") };
    } finally {
      await entry.visit.close();
    }
  };

/** The same, bound to this process. */
export const lookAtOffersOf = ({ polite, config, broker }: Runtime, scans: Scans): LookAtOffers =>
  createLookAtOffers({
    polite,
    robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
    httpsPort: config.BRIDGE_HTTPS_PORT,
    scans,
    now: broker.now,
  });
