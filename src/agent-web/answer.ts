/**
 * What a host's answer for the address of a document is worth. Most hosts that answer 200 for an agent's file have none: a shell of
 * a single-page application, a parked page, a JSON error, one document for every name. A random name of the same folder and ending,
 * asked for beside it (the canary), tells them.
 */
import type { Answer } from "../../schemas/agent-web.ts";
import type { FetchResult } from "../ports/http.ts";
import { Findings, isHtmlPage, membersIn, readObject, readText } from "./formats/document.ts";
import type { Format } from "./formats/format.ts";

type Reply = Pick<FetchResult & { ok: true }, "ok" | "status" | "headers" | "body" | "truncated" | "url">;
type Failure = FetchResult & { ok: false };

/** Two answers of about the same bytes: pages carry times, nonces and the name that was asked for. */
const SAME_SHARE = 0.02;
const SAME_BYTES = 64;
/** A document of an error has few members beside it. */
const MAX_ERROR_MEMBERS = 8;
/** A name that is taken out wherever it stands: shorter ones stand everywhere. */
const SHORTEST_NAME = 4;
const ABSENT = [404, 410];
const REDIRECTS = [301, 302, 303, 307, 308];
/** Files that are pages: an answer in HTML is what was asked for. */
const PAGE = /(?:\/|\.html?)$/i;

/**
 * An address of the same folder and ending that nobody publishes.
 * @param name letters and digits, random
 */
export function canaryPath(path: string, name: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const dot = path.lastIndexOf(".");
  return `${folder}${name}${dot > folder.length ? path.slice(dot) : ""}`;
}

/**
 * Of status 200 the bytes are read, which is work for a thread: tens of milliseconds for the largest.
 * @param format what the address is for; undefined: no format of the table
 * @param canary the answer for `canaryPath`; undefined: it was not asked for
 */
export function answerOf(
  reply: Reply | Failure,
  format: Format | undefined,
  canary: Reply | Failure | undefined,
): Answer {
  // Too large for every format; all else that went wrong says nothing of the document.
  if (!reply.ok) return reply.failure === "body_too_large" ? "error" : "unknown";
  const { status, headers } = reply;
  const beside = canary?.ok ? canary : undefined;
  if (ABSENT.includes(status)) return "absent";
  if (status === 401 || status === 403) return "auth";
  if (status === 429 || (status === 503 && headers["retry-after"] !== undefined)) return "unknown";
  if (REDIRECTS.includes(status)) return redirectsAll(reply, beside) ? "soft_404" : "redirected";
  if (status !== 200) return "error";
  return answerOfBody(reply, format, beside);
}

function answerOfBody(reply: Reply, format: Format | undefined, canary: Reply | undefined): Answer {
  if (isError(reply.body)) return "soft_404";
  const isCanary = canary !== undefined && isSame(reply, canary);
  if (format !== undefined && reads(format, reply)) {
    // A document beside a host that answers everything: the random name's answer is none of this format, or another.
    // Of a random name's answer only the beginning may have been fetched, which no format reads.
    const isOfAnyName = canary !== undefined && isCanary && (canary.truncated || reads(format, canary));
    return isOfAnyName ? "soft_404" : "present";
  }
  // No format of the table is a page.
  const isPageAsked = format === undefined && PAGE.test(reply.url.pathname);
  if (isCanary || (isPage(reply) && !isPageAsked)) return "soft_404";
  return format === undefined && reply.body.length > 0 ? "present" : "error";
}

const reads = (format: Format, { body, url, headers }: Reply): boolean =>
  format.read(body, url, headers["content-type"] ?? "") !== undefined;

const isPage = ({ body }: Reply): boolean => isHtmlPage(readText(body) ?? "");

/** A front that answers every address with JSON says in it that there is nothing, under 200. */
function isError(body: Uint8Array): boolean {
  if (body.length > 4_096) return false;
  const members = membersIn(readObject(body, new Findings()));
  const names = Object.keys(members);
  if (names.length === 0 || names.length > MAX_ERROR_MEMBERS) return false;
  const { error, errors, success, ok, status, statusCode, code } = members;
  if ((error ?? errors ?? null) !== null || success === false || ok === false) return true;
  return [status, statusCode, code].some((value) => Number(value) >= 400 && Number(value) < 600);
}

/** One place for every address: the front page, or a form to log in with the address asked for in its query. */
function redirectsAll(reply: Reply, canary: Reply | undefined): boolean {
  if (canary === undefined || canary.status !== reply.status) return false;
  const [place, other] = [targetOf(reply), targetOf(canary)];
  return place !== undefined && place === other;
}

function targetOf({ headers, url }: Reply): string | undefined {
  const target = URL.parse(headers.location ?? "", url.href);
  return headers.location === undefined || target === null ? undefined : `${target.origin}${target.pathname}`;
}

/** The same status and type, and about the same bytes: all but the name that was asked for, a time or a nonce. */
function isSame(reply: Reply, canary: Reply): boolean {
  if (reply.status !== canary.status || essenceOf(reply) !== essenceOf(canary)) return false;
  const body = canary.truncated ? reply.body.subarray(0, canary.body.length) : reply.body;
  const [one, other] = [withoutName({ ...reply, body }), withoutName(canary)];
  const longest = Math.max(one.length, other.length);
  if (Math.abs(one.length - other.length) > Math.max(SAME_BYTES, SAME_SHARE * longest)) return false;
  return 2 * commonEnds(one, other) >= longest;
}

const essenceOf = ({ headers }: Reply): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();

function withoutName({ body, url }: Reply): string {
  const text = Buffer.from(body).toString("latin1");
  const name = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  return name.length < SHORTEST_NAME ? text : text.replaceAll(name, "");
}

/** Characters that two texts begin and end with alike. */
function commonEnds(one: string, other: string): number {
  const shortest = Math.min(one.length, other.length);
  let start = 0;
  while (start < shortest && one[start] === other[start]) start++;
  let end = 0;
  while (end < shortest - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return start + end;
}
