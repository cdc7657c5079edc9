/** Observes a domain: DNS by the resolver, pages by the guarded client through the gate; what the caller sends goes first. */
import { stopAfter } from "../../../src/concurrency/stop-after.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { setCookieFields } from "../../../src/domain/protocols/header-fields.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import type { DnsAnswer, Resolver } from "../../../src/ports/dns.ts";
import type { FetchResult } from "../../../src/ports/http.ts";
import { fetchPageIn, isPageType, whyNotFetched } from "../common/observed-page.ts";
import { fetchedText, type SentText } from "../common/page-text.ts";
import { parseSetCookie } from "./cookies.ts";
import type { ComplianceObservation, DnsObservation } from "./observation.ts";
import { readSecurityTxt, type SecurityTxt } from "./security-txt.ts";

export interface ObserveDeps {
  polite: Polite;
  resolver: Resolver;
  httpsPort: number;
  now: () => number;
}

/** What a caller observed: taken as such, and marked as sent. */
export interface SentObservation {
  html?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  cookies?: readonly string[] | undefined;
  dns?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ObservedSite {
  observation: Omit<ComplianceObservation, "page">;
  html: SentText | undefined;
  /** The page is longer than what was fetched of it. */
  isPart: boolean;
  url: URL;
  /** What could not be observed, and why. */
  notObserved: { what: string; reason: string }[];
  /** Parts that the caller sent. */
  sent: string[];
}

const MAX_WAIT_MS = 3_000;
const SECURITY_TXT_BYTES = 32_768;
const MAX_LABELS = 10;

interface Home {
  result: FetchResult | undefined;
  securityTxt: SecurityTxt | undefined;
}

/**
 * @param host canonical
 * @returns "busy" when another visit holds the host for longer than this may wait
 */
export async function observeSite(
  deps: ObserveDeps,
  host: string,
  sent: SentObservation,
  timeoutMs: number,
  gone?: AbortSignal,
): Promise<ObservedSite | "busy"> {
  const signal = stopAfter(timeoutMs, gone);
  const withPage = sent.html === undefined || sent.headers === undefined;
  const [dns, home] = await Promise.all([
    lookUp(deps, host, sent.dns, signal),
    visitSite(deps, host, withPage, signal),
  ]);
  if (home === "busy") return "busy";
  const { result, securityTxt } = home;
  const answered = result?.ok ? result : undefined;
  const { headers, setCookies } = headersOf(sent, answered);
  const fields = sent.cookies ?? setCookies;
  const html = sent.html ?? htmlOf(result);
  const url = answered?.url ?? new URL(`https://${host}/`);
  const notObserved: ObservedSite["notObserved"] = [];
  if (html === undefined) notObserved.push({ what: "page", reason: whyNot(result) });
  if (!headers) notObserved.push({ what: "headers", reason: whyNot(result) });
  if (!securityTxt) notObserved.push({ what: "security.txt", reason: "the site did not answer" });
  if (answered?.truncated) notObserved.push({ what: "rest of the page", reason: "longer than 2 MiB" });
  notObserved.push({ what: "other pages", reason: "only the home page is read" });
  const now = deps.now();
  return {
    observation: {
      host,
      now,
      isHttps: answered ? url.protocol === "https:" : undefined,
      headers,
      cookies: fields?.slice(0, 200).flatMap((field) => parseSetCookie(field, now) ?? []),
      securityTxt,
      dns,
    },
    html,
    isPart: sent.html === undefined && answered?.truncated === true,
    url,
    notObserved,
    sent: Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  };
}

async function lookUp(
  { resolver }: ObserveDeps,
  host: string,
  sent: SentObservation["dns"],
  signal: AbortSignal,
): Promise<ComplianceObservation["dns"]> {
  const owner = registrableDomain(host);
  const given = (name: string, type: string): DnsAnswer<string> | undefined => {
    const records = sent?.[`${name} ${type}`];
    return records ? sentAnswer(records) : undefined;
  };
  const [caa, dmarc, spf, address] = await Promise.all([
    given(host, "CAA") ?? closestCaa(resolver, host, signal),
    given(`_dmarc.${owner}`, "TXT") ?? resolver.txt(`_dmarc.${owner}`, signal),
    given(owner, "TXT") ?? resolver.txt(owner, signal),
    resolver.addresses(host, signal),
  ]);
  return { caa, dmarc, spf, address };
}

const sentAnswer = (records: readonly string[]): DnsAnswer<string> => ({
  outcome: "found",
  records: [...records],
  ttlSeconds: 0,
  dnssec: "unknown",
});

/** The closest CAA records from the domain up to the registrable domain (RFC 8659 section 3, as far as one owner goes). */
async function closestCaa(resolver: Resolver, host: string, signal: AbortSignal): Promise<DnsObservation> {
  const top = registrableDomain(host);
  let name = host;
  for (let steps = 0; steps < MAX_LABELS; steps++) {
    const answer = await resolver.caa(name, signal);
    if (answer.outcome !== "none" || name === top || !name.includes(".")) return answer;
    name = name.slice(name.indexOf(".") + 1);
  }
  return undefined;
}

async function visitSite(
  deps: ObserveDeps,
  host: string,
  withPage: boolean,
  signal: AbortSignal,
): Promise<Home | "busy"> {
  const entry = await deps.polite.open(host, MAX_WAIT_MS, signal, {
    asker: "gateway",
    forCaller: true,
    obeysRobots: true,
  });
  if (!entry.ok) return "busy";
  await using visit = entry.visit;
  const origin = new URL(`https://${host}:${deps.httpsPort}`).origin;
  const result = withPage ? await fetchPageIn(visit, new URL(`${origin}/`), { signal }) : undefined;
  const securityTxt = await readSecurity(visit, origin, deps.now(), signal);
  return { result, securityTxt };
}

async function readSecurity(
  visit: Visit,
  origin: string,
  now: number,
  signal: AbortSignal,
): Promise<SecurityTxt | undefined> {
  for (const path of ["/.well-known/security.txt", "/security.txt"]) {
    const result = await visit.fetch(origin + path, {
      maxBodyBytes: SECURITY_TXT_BYTES,
      truncate: true,
      maxRedirects: 2,
      signal,
    });
    if (!result.ok) return undefined;
    const type = result.headers["content-type"] ?? "";
    // Sites that answer every path with a page have none.
    if (result.status !== 200 || /html/i.test(type)) continue;
    return readSecurityTxt(Buffer.from(result.body).toString("utf8"), result.url.href, type, now);
  }
  return { found: false };
}

/** The header fields that were sent, else those of an answer that is no error. */
function headersOf(sent: SentObservation, answered: (FetchResult & { ok: true }) | undefined) {
  if (sent.headers) {
    const headers = lowerCaseNames(sent.headers);
    const joined = headers["set-cookie"];
    return { headers, setCookies: joined === undefined ? [] : setCookieFields(joined) };
  }
  const isUsable = answered !== undefined && answered.status < 400;
  return isUsable
    ? { headers: answered.headers, setCookies: answered.setCookies }
    : { headers: undefined, setCookies: undefined };
}

const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function htmlOf(result: FetchResult | undefined): SentText | undefined {
  if (!result?.ok || result.status >= 400) return undefined;
  const type = result.headers["content-type"] ?? "";
  return isPageType(type) ? fetchedText(result.body, type) : undefined;
}

function whyNot(result: FetchResult | undefined): string {
  if (!result) return "not asked for";
  if (!result.ok) return whyNotFetched(result.failure);
  return result.status >= 400 ? `the server answered ${result.status}` : "is not HTML";
}
