/** What a module looks at: sent by the caller, or fetched by the guarded client. What was not seen is said. */
import { z } from "zod";
import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import type { NotObserved } from "../../../schemas/finding.ts";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import type { Polite } from "../../../src/egress/polite.ts";
import { decodeBody } from "../../../src/pages/body-encoding.ts";
import type { FetchFailure } from "../../../src/ports/http.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import { WEB_ADDRESS_PATTERN } from "../../../src/rpc/validation.ts";
import { sha256 } from "./digest.ts";

/** HTML of 2 MiB, written as JSON. */
export const PAGE_BODY_LIMIT_BYTES = 5 * 1024 * 1024;

const Headers = z
  .record(z.string().max(128), z.string().max(16_384))
  .refine((headers) => Object.keys(headers).length <= 200, { error: "must not have more than 200 fields" });

/** Members of a request that describe one page; every one may be missing, none is trusted. */
export const PageInput = z.object({
  url: z.string().min(1).max(2_048).optional().meta({
    pattern: WEB_ADDRESS_PATTERN,
    description: "Address of the page. Fetched when no html is sent",
    example: "https://shop.example/",
  }),
  html: z
    .string()
    .max(MAX_HTML_CHARS)
    .optional()
    .meta({ description: "The page's HTML, at most 2 Mi units", "x-any-text": true }),
  text: z
    .string()
    .max(MAX_HTML_CHARS)
    .optional()
    .meta({ description: "Plain text, at most 2 Mi units", "x-any-text": true }),
  headers: Headers.optional().meta({ description: "Header fields the page came with, by name" }),
  dns: z
    .record(z.string().max(280), z.array(z.string().max(4_096)).max(64))
    .optional()
    .meta({
      description: "DNS records by owner name and type",
      example: { "_dmarc.shop.example TXT": ["v=DMARC1"] },
    }),
  cookies: z
    .array(z.string().max(4_096).meta({ "x-any-text": true }))
    .max(200)
    .optional()
    .meta({ description: "Set-Cookie field values the page came with" }),
});
export type PageInput = z.output<typeof PageInput>;

/** What JSON Schema says of a body in which one of these members is needed; `observe` refuses one without. */
export const oneOfThese = (...names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });

/** A page as it was seen. Members that are undefined were not. */
export interface Observed {
  url: URL | undefined;
  html: string | undefined;
  text: string | undefined;
  /** Lower-case names. */
  headers: Record<string, string> | undefined;
  cookies: string[] | undefined;
  dns: Record<string, string[]> | undefined;
  status: number | undefined;
  notObserved: NotObserved[];
  sha256: string;
}

export type FetchedPage =
  | {
      ok: true;
      url: URL;
      status: number;
      headers: Record<string, string>;
      body: Uint8Array;
      truncated: boolean;
    }
  | { ok: false; reason: FetchFailure | "busy" };

/** Fetches one page for a module. */
export type FetchPage = (url: URL, timeoutMs: number) => Promise<FetchedPage>;

const MAX_WAIT_MS = 3_000;

/** The guarded client, through the gate: at most three redirects, 2 MiB, whoever the host belongs to. */
export const createFetchPage =
  (polite: Polite): FetchPage =>
  async (url, timeoutMs) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const entry = await polite.open(url.hostname, Math.min(MAX_WAIT_MS, timeoutMs / 2), signal, {
      asker: "gateway",
      forCaller: true,
    });
    if (!entry.ok) return { ok: false, reason: "busy" };
    try {
      const result = await entry.visit.fetch(url.href, {
        headers: { accept: "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1" },
        timeoutMs,
        maxBodyBytes: MAX_HTML_CHARS,
        truncate: true,
        maxRedirects: 3,
        signal,
      });
      if (!result.ok) return { ok: false, reason: result.failure };
      const { status, headers, body, truncated } = result;
      return { ok: true, url: result.url, status, headers, body, truncated };
    } finally {
      await entry.visit.close();
    }
  };

/** An http or https address, or what is wrong with it. */
export const parseWebUrl = (text: string): URL | Failure<"invalid_url"> => {
  const parsed = parseWebAddress(text);
  if (parsed.ok) return parsed.url;
  const message = `must be an absolute http or https address: ${parsed.detail}`;
  return fail("invalid_url", `url: ${message}.`, {
    errors: [{ pointer: "/body/url", code: "invalid_url", message }],
  });
};

const lowerCaseNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** SHA-256 of what was looked at. */
export const digestOf = ({
  url,
  html,
  text,
}: Pick<Observed, "html" | "text"> & { url: URL | undefined }): string =>
  sha256(url?.href, "\n", html, "\n", text);

const parts = ["html", "headers", "cookies", "dns"] as const;

/**
 * Takes what was sent; fetches the page when there is an address and no html or text. A page that cannot be fetched is
 * no error: its parts are among `notObserved`, and rules that need them say so.
 */
export const observe = async (
  input: PageInput,
  fetchPage: FetchPage,
  timeoutMs: number,
): Promise<Observed | Failure<"invalid_url" | "invalid_request">> => {
  const url = input.url === undefined ? undefined : parseWebUrl(input.url);
  if (url && !(url instanceof URL)) return url;
  const { html, text, cookies, dns } = input;
  if (!url && html === undefined && text === undefined)
    return fail("invalid_request", "Send at least one of url, html and text.");
  const seen: Observed = {
    url,
    html,
    text,
    headers: input.headers && lowerCaseNames(input.headers),
    cookies,
    dns,
    status: undefined,
    notObserved: [],
    sha256: "",
  };
  let reason = "not sent";
  if (url && html === undefined && text === undefined) {
    const page = await fetchPage(url, timeoutMs);
    reason = page.ok ? readFetched(seen, page) : `the page could not be fetched: ${page.reason}`;
  }
  for (const what of parts) if (seen[what] === undefined) seen.notObserved.push({ what, reason });
  seen.sha256 = digestOf({ url, html: seen.html, text: seen.text });
  return seen;
};

/** Puts what was fetched into what was seen. @returns why the rest is not there */
const readFetched = (seen: Observed, page: FetchedPage & { ok: true }): string => {
  const type = page.headers["content-type"] ?? "";
  seen.url = page.url;
  seen.status = page.status;
  seen.headers ??= page.headers;
  // The client joins repeated fields with ", ": a comma before a name and "=" parts two cookies, one in a date does not.
  seen.cookies ??= page.headers["set-cookie"]?.split(/,\s*(?=[^;,=\s]+=)/) ?? [];
  const body = decodeBody(page.body, type);
  if (type === "" || /html|xml/i.test(type)) seen.html = body;
  else if (/^text\/|json/i.test(type)) seen.text = body;
  if (page.truncated) seen.notObserved.push({ what: "rest of the page", reason: "longer than 2 MiB" });
  if (page.status >= 400)
    seen.notObserved.push({ what: "page", reason: `the server answered ${page.status}` });
  return seen.html === undefined ? `the page is ${type.split(";")[0] || "not HTML"}` : "not looked up";
};
