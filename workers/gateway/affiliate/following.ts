/** Follows a link's redirects itself, so that each hop can be reported. */

import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import { stopAfter } from "../../../src/concurrency/stop-after.ts";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import type { Polite, Visit } from "../../../src/egress/polite.ts";
import type { FetchResult } from "../../../src/ports/http.ts";
import { whyNotFetched } from "../common/observed-page.ts";
import { fetchedText, type SentText } from "../common/page-text.ts";
import { hopOf, type RedirectHop } from "./hops.ts";

const MAX_HOPS = 10;
const MAX_WAIT_MS = 3_000;
const HOP_TIMEOUT_MS = 6_000;

export interface RedirectChain {
  hops: RedirectHop[];
  finalUrl: URL;
  html: SentText | undefined;
  /** Why there is no page, else empty. */
  why: string;
}

const ACCEPT = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1" };

/** At most 10 hops by the guarded client, each through the gate. "busy": the first host is being visited. */
export async function follow(
  polite: Polite,
  start: URL,
  timeoutMs: number,
  gone?: AbortSignal,
): Promise<RedirectChain | "busy"> {
  const signal = stopAfter(timeoutMs, gone);
  const entry = await polite.open(start.hostname, MAX_WAIT_MS, signal, {
    asker: "gateway",
    forCaller: true,
  });
  if (!entry.ok) return "busy";
  await using visit = entry.visit;
  return await walk(visit, start, signal);
}

async function walk(visit: Visit, start: URL, signal: AbortSignal): Promise<RedirectChain> {
  const hops: RedirectHop[] = [];
  const seen = new Set<string>();
  let url = start;
  for (;;) {
    const result = await visit.fetch(url.href, {
      headers: ACCEPT,
      timeoutMs: HOP_TIMEOUT_MS,
      maxBodyBytes: MAX_HTML_CHARS,
      truncate: true,
      signal,
    });
    if (!result.ok) {
      hops.push(hopOf(url, null, [], result.failure));
      return {
        hops,
        finalUrl: url,
        html: undefined,
        why: `the page could not be fetched: ${result.failure}`,
      };
    }
    hops.push(hopOf(url, result.status, result.setCookies));
    seen.add(url.href);
    const next = locationOf(result, url);
    if (!next) {
      // Of a hop nothing is read but where it leads; this one leads nowhere: it is a page, and read as any other.
      const refused = await visit.robotsRefusal(url);
      const page = refused ? { html: undefined, why: whyNotFetched(refused.failure) } : pageOf(result);
      return { hops, finalUrl: url, ...page };
    }
    if (hops.length >= MAX_HOPS || seen.has(next.href)) {
      const why = seen.has(next.href) ? "the redirects go in a circle" : `more than ${MAX_HOPS} hops`;
      return { hops, finalUrl: next, html: undefined, why };
    }
    url = next;
  }
}

function locationOf(result: FetchResult & { ok: true }, url: URL): URL | undefined {
  const { location } = result.headers;
  if (result.status < 300 || result.status >= 400 || !location) return undefined;
  const next = parseWebAddress(location, url);
  return next.ok ? next.url : undefined;
}

function pageOf(result: FetchResult & { ok: true }): Pick<RedirectChain, "html" | "why"> {
  const type = result.headers["content-type"] ?? "";
  if (type !== "" && !/html|xml/i.test(type))
    return { html: undefined, why: `the page is ${type.split(";")[0]}` };
  const why =
    result.status >= 400
      ? `the server answered ${result.status}`
      : result.truncated
        ? "longer than 2 MiB"
        : "";
  return { html: fetchedText(result.body, type), why };
}
