/** What a reply says of an MCP endpoint. */
import type { ObservedClass } from "../../../schemas/agent-web.ts";
import { isHtmlPage } from "../formats/document.ts";
import { isLogin, type McpReply } from "./exchange.ts";

export interface Told {
  class: ObservedClass;
  detail: string;
  /** Nobody was there: one of the failures that make it dead. */
  isFailure?: true;
}

/** The server ended the connection before a reply; other breaches of HTTP come from somebody who is there. */
const CUT_OFF = /ECONNRESET|EPIPE|closed the connection before/;
/** Pages by which guards in front of servers hold back programs: they say nothing of the server. */
const WALL =
  /just a moment|captcha|attention required|pardon our interruption|access denied|verify you are human/i;
const CREDENTIAL = /\b(?:bearer|tokens?|api[ _-]?keys?|credentials?|authoriz\w*|authentic\w*)\b/i;
const WANTED = /\b(?:required|missing|invalid|expired|provide|needs?|must|failed)\b/i;
const UNAUTHORIZED = /\b(?:unauthori[sz]ed|unauthenticated|not authenticated|authentication required)\b/i;

const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

/** @returns undefined where it answered with a result */
export function told(reply: McpReply): Told | undefined {
  if (reply.failure !== undefined) return ofFailure(reply);
  if (reply.answer?.result && reply.status < 300) return undefined;
  const { status, headers, text, answer } = reply;
  if (reply.isUnread) return { class: "unknown", detail: "its answer took too long to read" };
  const isHtml = /^text\/html\b/i.test(headers["content-type"] ?? "") || isHtmlPage(text);
  if (status === 429) return { class: "rate_limited", detail: "429 Too Many Requests" };
  if (headers["cf-mitigated"] !== undefined || (isHtml && status !== 401 && WALL.test(text)))
    return { class: "unknown", detail: `${status}: a guard in front of it holds programs back` };
  if ([401, 402, 403, 407].includes(status)) return { class: "auth", detail: authDetail(status, headers) };
  if (status >= 500 || status === 408 || status === 425)
    return { class: "unknown", detail: `${status}: an error of the server` };
  if (status >= 300 && status < 400) return ofRedirect(status, headers.location);
  if (answer?.error) return ofError(answer.error.code, answer.error.message);
  if (!isHtml && asksForCredentials(text))
    return { class: "auth", detail: `${status}: asks for credentials` };
  if (isHtml && status < 300) return { class: "html", detail: `${status}: a page for people` };
  return { class: "not_protocol", detail: `${status}: no answer to a request of MCP` };
}

function ofFailure({ failure, detail }: McpReply & { failure: string; detail: string }): Told {
  const said = `${failure}: ${detail}`;
  if (failure === "dns_none") return { class: "dead", detail: said, isFailure: true };
  const isFailure =
    failure === "connect_failed" ||
    failure === "tls_failed" ||
    (failure === "protocol_error" && CUT_OFF.test(detail));
  return { class: "unknown", detail: said, ...(isFailure && { isFailure }) };
}

function authDetail(status: number, headers: Record<string, string>): string {
  const metadata = /resource_metadata="?([^",\s]{1,200})/i.exec(headers["www-authenticate"] ?? "")?.[1];
  return metadata === undefined ? `${status}` : `${status}, metadata at ${metadata} (RFC 9728)`;
}

function ofRedirect(status: number, location: string | undefined): Told {
  const to = URL.parse(location ?? "", "https://redirect.invalid/");
  if (to && isLogin(to)) return { class: "auth", detail: `${status} to a page to log in at` };
  return { class: "unknown", detail: `${status} to ${(location ?? "").slice(0, 200)}: not followed` };
}

function ofError(code: number, message: string): Told {
  const detail = `error ${code}: ${message}`;
  if (asksForCredentials(message)) return { class: "auth", detail };
  if (code === METHOD_NOT_FOUND) return { class: "not_protocol", detail };
  return { class: code === INTERNAL_ERROR ? "unknown" : "open", detail };
}

const asksForCredentials = (text: string): boolean =>
  UNAUTHORIZED.test(text) || (CREDENTIAL.test(text) && WANTED.test(text) && text.length < 2_000);
