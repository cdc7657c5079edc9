/** The page that a module analyzes: sent by the caller, or fetched by the guarded client. What is missing is reported. */

import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import type { NotObserved } from "../../../schemas/finding.ts";
import { stopAfter } from "../../../src/concurrency/stop-after.ts";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import type { FetchFailure, FetchResult } from "../../../src/ports/http.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import type { PageInput } from "./page-input.ts";
import { fetchedText, type SentText } from "./page-text.ts";

/** A page as it was sent or fetched; a member that is undefined was neither. */
export interface ObservedPage {
  /** Of a fetched page: after redirects. */
  url: URL | undefined;
  html: SentText | undefined;
  text: SentText | undefined;
  /** HTTP status of a fetched page. */
  status: number | undefined;
  /** How much of the page was seen: an error that a server answers with is not the page. What was sent is whole. */
  seen: "whole" | "part" | "none";
  notObserved: NotObserved[];
}

export type PageFetchResult =
  | {
      ok: true;
      url: URL;
      status: number;
      contentType: string;
      body: Uint8Array;
      truncated: boolean;
    }
  | { ok: false; reason: FetchFailure | "busy" };

/** Fetches one page for a module. */
/** @param signal aborts when nobody waits for the page any more */
export type FetchPage = (url: URL, timeoutMs: number, signal?: AbortSignal) => Promise<PageFetchResult>;

const MAX_WAIT_MS = 3_000;

/** Whether an answer is a page of markup; one that does not say what it is, is taken for one. */
export const isPageType = (contentType: string): boolean =>
  contentType === "" || /html|xml/i.test(contentType);

/** By the guarded client, in the politeness gate's turn, whoever the host belongs to. */
export const createFetchPage =
  (polite: Polite): FetchPage =>
  async (url, timeoutMs, gone) => {
    const signal = stopAfter(timeoutMs, gone);
    const entry = await polite.open(url.hostname, Math.min(MAX_WAIT_MS, timeoutMs / 2), signal, {
      asker: "gateway",
      forCaller: true,
      obeysRobots: true,
    });
    if (!entry.ok) return { ok: false, reason: "busy" };
    await using visit = entry.visit;
    const result = await fetchPageIn(visit, url, { signal, timeoutMs });
    if (!result.ok) return { ok: false, reason: result.failure };
    const { status, headers, body, truncated } = result;
    const contentType = headers["content-type"] ?? "";
    return { ok: true, url: result.url, status, contentType, body, truncated };
  };

/** The one way in which modules fetch a page, within a visit: at most three redirects, 2 MiB. */
export const fetchPageIn = (
  visit: Visit,
  url: URL,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs?: number },
): Promise<FetchResult> =>
  visit.fetch(url.href, {
    headers: { accept: "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1" },
    ...(timeoutMs !== undefined && { timeoutMs }),
    maxBodyBytes: MAX_HTML_CHARS,
    truncate: true,
    maxRedirects: 3,
    signal,
  });

/**
 * Takes what was sent; fetches the page when there is an address and no html or text. A page that cannot be fetched is
 * not an error: it is listed in `notObserved`, and rules that need it say so.
 */
export async function observePage(
  input: PageInput,
  fetchPage: FetchPage,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ObservedPage | Failure<"invalid_url" | "invalid_request">> {
  const url = input.url === undefined ? undefined : parseWebUrl(input.url);
  if (url && !(url instanceof URL)) return url;
  const { html, text } = input;
  if (html !== undefined || text !== undefined)
    return { url, html, text, status: undefined, seen: "whole", notObserved: [] };
  if (!url) return fail("invalid_request", "Send at least one of url, html and text.");
  const page = await fetchPage(url, timeoutMs, signal);
  if (page.ok) return observedOf(page);
  const reason = whyNotFetched(page.reason);
  return { url, html, text, status: undefined, seen: "none", notObserved: [{ what: "html", reason }] };
}

/** An http or https address, or what is wrong with it. */
export function parseWebUrl(text: string): URL | Failure<"invalid_url"> {
  const parsed = parseWebAddress(text);
  if (parsed.ok) return parsed.url;
  const message = `must be an absolute http or https address: ${parsed.detail}`;
  return fail("invalid_url", `url: ${message}.`, {
    errors: [{ pointer: "/body/url", code: "invalid_url", message }],
  });
}

function observedOf({
  url,
  status,
  contentType,
  body,
  truncated,
}: PageFetchResult & { ok: true }): ObservedPage {
  const content = fetchedText(body, contentType);
  const isHtml = isPageType(contentType);
  const isText = !isHtml && /^text\/|json/i.test(contentType);
  const notObserved: NotObserved[] = [];
  if (truncated) notObserved.push({ what: "rest of the page", reason: "longer than 2 MiB" });
  if (status >= 400) notObserved.push({ what: "page", reason: `the server answered ${status}` });
  if (!isHtml && !isText)
    notObserved.push({ what: "html", reason: `the page is ${contentType.split(";")[0] || "not HTML"}` });
  return {
    url,
    html: isHtml ? content : undefined,
    text: isText ? content : undefined,
    status,
    seen: status >= 400 || !(isHtml || isText) ? "none" : truncated ? "part" : "whole",
    notObserved,
  };
}

/** A text for people. */
export const whyNotFetched = (failure: FetchFailure | "busy"): string =>
  failure === "robots_disallowed"
    ? "the site's robots.txt does not allow it"
    : `the page could not be fetched: ${failure}`;
