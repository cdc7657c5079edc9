/**
 * Fetches a page: one polite visit that asks robots.txt, the owner's configuration and the site's bounds before every
 * request, follows redirects by itself (each may set cookies), and returns the page at the end of the chain.
 */

import type { CookieJar } from "../../../src/browser/cookie-jar.ts";
import { isMarkup, type PageReply } from "../../../src/browser/page-source.ts";
import type { CommandFailure } from "../../../src/browser/plan.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";
import { isSameSite, parseHost } from "../../../src/domain/names/domain-name.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import {
  type KnownRobots,
  knownRobots,
  refusalByRobots,
  robotsOf,
  robotsRefusal,
} from "../../../src/egress/site-robots.ts";
import type { FetchResult } from "../../../src/ports/http.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";

const MAX_REDIRECTS = 10;
const MAX_PAGE_BYTES = 1024 * 1024;
/** Longest wait for the host's turn, and longest single exchange. */
const MAX_WAIT_MS = 12_000;
const EXCHANGE_MS = 10_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface FetchPageOptions {
  polite: Polite;
  /** Pause after each request to a host; the crawl's when it is not given. */
  hostDelayMs?: number;
  robotsToken: string;
  now: () => number;
}

export interface Navigation {
  /** The site that may be visited: its registrable domain bounds every step. */
  siteId: string;
  jar: CookieJar;
  /** Who backs off for failing pages of the site: src/egress/polite.ts. */
  asker: string;
  /** Address of the page that the request comes from. */
  referrer?: URL | undefined;
  /** Why the owner of an address closes it, or undefined. Asked at every hop. */
  closed: (url: URL) => Promise<string | undefined>;
  signal?: AbortSignal;
  /** The first request changes the site, whatever its method is; told right before it leaves, and once it is answered. */
  effect?: SentEffect | undefined;
}

/** Who keeps a record of a request that changes the site. */
export interface SentEffect {
  /** @returns false where it must not be sent */
  before(): Promise<boolean>;
  answered(status: number, location: string | undefined): Promise<void>;
}

export interface LoadedPage {
  kind: "page";
  reply: PageReply;
  method: "GET" | "POST";
  /** Addresses that redirects led to, in order. */
  redirects: string[];
}

export interface FailedNavigation {
  kind: "failed";
  code: CommandFailure;
  message: string;
  url: string;
  /** Something that may have changed the site was sent. */
  sent: boolean;
  retryAfterSeconds?: number;
}

export type NavigationOutcome = LoadedPage | FailedNavigation;

type Denied = Failure<"permission_denied">;

const FAILURES: Partial<Record<(FetchResult & { ok: false })["failure"], CommandFailure>> = {
  redirect_refused: "redirect_refused",
  too_many_redirects: "too_many_redirects",
  not_admitted: "site_busy",
  refused_scheme: "unsupported_address",
  refused_credentials: "unsupported_address",
  invalid_url: "unsupported_address",
};

interface Step {
  request: PageRequest;
  redirects: string[];
  /** Something that may have changed the site was sent. */
  sent: boolean;
}

/** Who refuses an address, as lists of actions name it. */
export type RefusedBy = "other_site" | "denied_paths" | "robots_txt";
interface Refusal {
  by: RefusedBy;
  detail: string;
}
type Bounds = Pick<Navigation, "siteId" | "closed">;

/** Origins whose robots.txt is asked for so that a list can say what it closes, and the longest wait for the turn of one. */
const MAX_ROBOTS_ASKED = 3;
const MAX_ROBOTS_WAIT_MS = 3_000;

/** Why an address lies outside of the site, or undefined. Addresses by number have no registrable domain. */
export function outsideOf(siteId: string, url: URL): string | undefined {
  if (url.username !== "" || url.password !== "") return "Addresses with credentials are not visited.";
  const parsed = parseHost(url.hostname);
  return parsed.ok && isSameSite(parsed.host, siteId)
    ? undefined
    : `${url.hostname.slice(0, 253)} is not of the site ${siteId}.`;
}

/**
 * Why requests would be refused, by the rules of `fetchSessionPage`, without making them; undefined of those that would not, as far
 * as is known: of an origin whose robots.txt cannot be asked for now nothing is said.
 */
export async function refusalsOf(
  options: FetchPageOptions,
  requests: readonly { url: URL; closed: Navigation["closed"] }[],
  navigation: Omit<Navigation, "closed" | "jar">,
): Promise<(Refusal | undefined)[]> {
  const rules = new Map<string, KnownRobots | undefined>();
  let asked = 0;
  const refusals: (Refusal | undefined)[] = [];
  for (const { url, closed } of requests) {
    const bounds = await boundsRefusal(url, { siteId: navigation.siteId, closed });
    const { origin } = url;
    if (!bounds && !rules.has(origin)) {
      const known = knownRobots(origin);
      rules.set(
        origin,
        known ?? (asked++ < MAX_ROBOTS_ASKED ? await rulesOf(options, origin, navigation) : undefined),
      );
    }
    const robots = rules.get(origin);
    const byRobots = robots && refusalByRobots(robots, url, options.robotsToken);
    refusals.push(bounds ?? (byRobots && { by: "robots_txt", detail: `${byRobots.detail}.` }));
  }
  return refusals;
}

/** Why the license's bounds or the site's owner close an address, or undefined. */
async function boundsRefusal(url: URL, { siteId, closed }: Bounds): Promise<Refusal | undefined> {
  const outside = outsideOf(siteId, url);
  if (outside) return { by: "other_site", detail: outside };
  const detail = await closed(url);
  return detail === undefined ? undefined : { by: "denied_paths", detail };
}

/** The rules of an origin, asked for politely where they are not known; undefined where its turn does not come. */
async function rulesOf(
  { polite, robotsToken, hostDelayMs }: FetchPageOptions,
  origin: string,
  { asker, signal }: Pick<Navigation, "asker" | "signal">,
): Promise<KnownRobots | undefined> {
  const entry = await polite.open(new URL(origin).hostname, MAX_ROBOTS_WAIT_MS, signal, {
    asker,
    ...(hostDelayMs !== undefined && { hostDelayMs }),
  });
  if (!entry.ok) return undefined;
  await using visit = entry.visit;
  const robots = await robotsOf(visit, origin, robotsToken);
  return robots.read || visit.retryAt === undefined ? robots : undefined;
}

/**
 * Sends a request and follows where it leads.
 * @returns a page; why there is none; or `permission_denied` when the first step is already forbidden: then nothing was sent
 */
export async function fetchSessionPage(
  { polite, robotsToken, now, hostDelayMs }: FetchPageOptions,
  request: PageRequest,
  navigation: Navigation,
): Promise<NavigationOutcome | Denied> {
  let step: Step = { request, redirects: [], sent: false };
  const refusal = await boundsRefusal(request.url, navigation);
  if (refusal) return fail("permission_denied", refusal.detail);
  const entry = await polite.open(request.url.hostname, MAX_WAIT_MS, navigation.signal, {
    asker: navigation.asker,
    ...(hostDelayMs !== undefined && { hostDelayMs }),
  });
  const busy = (retryAt: number): NavigationOutcome => ({
    ...stopped(
      step,
      "site_busy",
      "The site's turn has not come: others are asking it, or it asked for a pause.",
    ),
    retryAfterSeconds: Math.max(1, Math.ceil((retryAt - now()) / 1_000)),
  });
  if (!entry.ok) return busy(entry.retryAt);
  await using visit = entry.visit;
  for (let redirects = 0; ; redirects++) {
    const next = await advance(visit, step, navigation, robotsToken);
    if (next instanceof Failure) return visit.retryAt === undefined ? next : busy(visit.retryAt);
    if ("kind" in next)
      return next.kind === "failed" && next.code === "site_busy" ? busy(visit.retryAt ?? now()) : next;
    if (redirects === MAX_REDIRECTS)
      return stopped(next, "too_many_redirects", `More than ${MAX_REDIRECTS} redirects.`);
    step = next;
    await visit.renew();
  }
}

const stopped = (step: Step, code: CommandFailure, message: string): FailedNavigation => ({
  kind: "failed",
  code,
  message: message.slice(0, 500),
  url: step.request.url.href.slice(0, 2_048),
  sent: step.sent,
});

/** One request. @returns the next step of a redirect, or the end of the redirect chain */
async function advance(
  visit: Visit,
  step: Step,
  navigation: Navigation,
  token: string,
): Promise<Step | NavigationOutcome | Denied> {
  const { request } = step;
  const refused = await refusalAt(visit, request.url, navigation, token);
  // What was sent before the redirect cannot be taken back: that is no refusal any more.
  if (refused) return step.redirects.length > 0 ? stopped(step, "redirect_refused", refused.detail) : refused;
  const effect = step.redirects.length === 0 ? navigation.effect : undefined;
  if (effect && !(await effect.before())) return fail("permission_denied", "It was sent before.");
  const result = await visit.fetch(request.url.href, {
    method: request.method,
    headers: headersOf(step, navigation),
    ...(request.body && { body: request.body }),
    maxBodyBytes: MAX_PAGE_BYTES,
    truncate: true,
    timeoutMs: EXCHANGE_MS,
    ...(navigation.signal && { signal: navigation.signal }),
  });
  // A request that was not admitted never left; any other failure may have come after the site read it.
  const sent =
    step.sent ||
    ((request.method === "POST" || effect !== undefined) && (result.ok || result.failure !== "not_admitted"));
  const now = { ...step, sent };
  if (!result.ok)
    return stopped(
      now,
      FAILURES[result.failure] ?? "site_unreachable",
      `${result.failure}: ${result.detail}`,
    );
  navigation.jar.take(result.setCookies, request.url);
  const location = REDIRECTS.has(result.status) ? result.headers.location : undefined;
  await effect?.answered(result.status, location);
  if (location === undefined) return readReply(now, result);
  const to = URL.parse(location, request.url.href);
  if (!to || !/^https?:$/.test(to.protocol))
    return stopped(now, "unsupported_address", "A redirect to no web address.");
  if (request.url.protocol === "https:" && to.protocol === "http:")
    return stopped(now, "redirect_refused", "A redirect from https to http.");
  return redirected(now, result.status, to);
}

/** May this address be asked for at all? 403 where the site's owner, robots.txt or the license's bounds say no. */
async function refusalAt(
  visit: Visit,
  url: URL,
  navigation: Navigation,
  token: string,
): Promise<Denied | undefined> {
  const bounds = await boundsRefusal(url, navigation);
  if (bounds) return fail("permission_denied", bounds.detail);
  const refused = await robotsRefusal(visit, url, token);
  return refused && fail("permission_denied", `${refused.detail}.`);
}

/** Fetch standard section 3.2 and Referrer Policy's default, strict-origin-when-cross-origin. */
function headersOf({ request }: Step, { jar, referrer }: Navigation): Record<string, string> {
  const { url, method, contentType } = request;
  const cookie = jar.header(url);
  const sameOrigin = referrer?.origin === url.origin;
  const downgrade = referrer?.protocol === "https:" && url.protocol === "http:";
  const from = referrer && new URL(referrer);
  if (from) from.hash = "";
  return {
    accept: "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1",
    ...(cookie && { cookie }),
    ...(from && !downgrade && { referer: sameOrigin ? from.href : `${from.origin}/` }),
    ...(method === "POST" && referrer && { origin: referrer.origin }),
    ...(contentType && { "content-type": contentType }),
  };
}

function readReply(step: Step, result: FetchResult & { ok: true }): NavigationOutcome {
  const mediaType = mediaTypeOf(result.headers["content-type"]);
  const contentType = result.headers["content-type"] ?? "text/html";
  if (/^\s*attachment/i.test(result.headers["content-disposition"] ?? "") || !isTextual(mediaType))
    return stopped(
      step,
      "unsupported_content",
      `The address gives ${mediaType.slice(0, 100)}, which is no page.`,
    );
  return {
    kind: "page",
    method: step.request.method,
    redirects: step.redirects,
    reply: {
      url: step.request.url.href,
      status: result.status,
      mediaType,
      contentType,
      body: result.body,
      ...(result.truncated && { cut: true }),
    },
  };
}

const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase() || "text/html";

const isTextual = (mediaType: string): boolean =>
  isMarkup(mediaType) ||
  mediaType.startsWith("text/") ||
  /^application\/(?:json|xml|.+\+(?:json|xml))$/.test(mediaType);

/** RFC 9110 section 15.4: 303 always, 301 and 302 after POST (as browsers do) go on with GET; 307 and 308 send again. */
function redirected(step: Step, status: number, to: URL): Step {
  const { request, redirects } = step;
  const again = request.method === "POST" && (status === 307 || status === 308);
  if (to.hash === "") to.hash = request.url.hash;
  return {
    ...step,
    request: again ? { ...request, url: to } : { method: "GET", url: to },
    redirects: [...redirects, to.href.slice(0, 2_048)],
  };
}
