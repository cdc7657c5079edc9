/** Requests of one probe by Streamable HTTP (MCP revision 2025-11-25, "Transports"): bounded in bytes, time and redirects. */
import { isSameSite } from "../../domain/names/domain-name.ts";
import type { Visit } from "../../egress/polite.ts";
import type { FetchFailure, FetchOptions } from "../../ports/http.ts";
import type { PresenceReading } from "../reading.ts";
import { answerIn, EventReader, type McpPage, mayAnswer, type RpcAnswer, SHORT } from "./messages.ts";

/** Bytes of all replies of a probe. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Of one. */
const MAX_REPLY_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
/** A notification has no answer: a server that holds its reply open does not use up the time of the others. */
const NOTIFICATION_MS = 1_000;
const ACCEPT = "application/json, text/event-stream";
/** 303 asks for another method: nothing that this protocol does. */
const SAME_METHOD = new Set([301, 302, 307, 308]);

/** What can be asked: nothing of it has an effect. */
type Method = "server/discover" | "initialize" | "notifications/initialized" | "tools/list";

export type McpReply =
  | { failure: FetchFailure; detail: string }
  | {
      failure?: undefined;
      status: number;
      headers: Record<string, string>;
      /** Beginning of the body. */
      text: string;
      answer: RpcAnswer | undefined;
      /** What the answer is read from; undefined for that to a notification. */
      page: McpPage | undefined;
      /** Nobody read it: it takes too long, or too much waits. */
      isUnread: boolean;
    };

export class McpExchange {
  readonly #visit: Pick<Visit, "fetch">;
  readonly #reading: Pick<PresenceReading, "mcpAnswer">;
  #endpoint: URL;
  #leftMs: number;
  #leftBytes = MAX_BYTES;
  #id = 0;
  session: string | undefined;
  revision: string | undefined;

  /** @param timeoutMs of all its requests together */
  constructor(
    visit: Pick<Visit, "fetch">,
    endpoint: URL,
    reading: Pick<PresenceReading, "mcpAnswer">,
    timeoutMs: number,
  ) {
    this.#visit = visit;
    this.#reading = reading;
    this.#endpoint = endpoint;
    this.#leftMs = timeoutMs;
  }

  async ask(method: Method, params: Record<string, unknown>): Promise<McpReply> {
    const isNotification = method.startsWith("notifications/");
    const id = isNotification ? undefined : ++this.#id;
    const body = JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });
    const headers = {
      accept: ACCEPT,
      "content-type": "application/json",
      ...(this.session !== undefined && { "mcp-session-id": this.session }),
      ...(this.revision !== undefined && { "mcp-protocol-version": this.revision }),
      ...(this.revision === "2026-07-28" && { "mcp-method": method }),
    };
    const options = { method: "POST", headers, body, statusOnly: isNotification } as const;
    for (let redirects = 0; ; redirects++) {
      const reply = await this.#send(options, id);
      const to = redirects < MAX_REDIRECTS ? this.#redirectOf(reply) : undefined;
      if (to === undefined) return reply;
      this.#endpoint = to;
    }
  }

  /** Whether a GET opens the stream of the transport HTTP+SSE (revision 2024-11-05). */
  async opensStream(): Promise<boolean> {
    let opened = false;
    const reader = new EventReader();
    const reply = await this.#fetch({
      headers: { accept: "text/event-stream" },
      until: (chunk) => {
        opened ||= reader.push(chunk).some(({ event }) => event === "endpoint");
        return opened;
      },
    });
    return opened && reply.ok && reply.status === 200;
  }

  async #send(options: FetchOptions, id: number | undefined): Promise<McpReply> {
    let event: Uint8Array | undefined;
    const reader = new EventReader();
    const until = (chunk: Uint8Array): boolean => {
      for (const { data } of reader.push(chunk))
        if (id !== undefined && mayAnswer(data, id)) event ??= Buffer.from(data);
      return event !== undefined;
    };
    const result = await this.#fetch({ ...options, until });
    if (!result.ok) return { failure: result.failure, detail: result.detail };
    const { status, headers, body } = result;
    const text = Buffer.from(body.subarray(0, 4_096)).toString("utf8");
    if (id === undefined)
      return { status, headers, text, answer: undefined, page: undefined, isUnread: false };
    // A stream whose body was coded, or ended without the blank line after its last event, is read as a whole.
    const page = event
      ? { body: event, id, isStream: false }
      : { body, id, isStream: /^text\/event-stream\b/i.test(headers["content-type"] ?? "") };
    const isShort = page.body.length <= SHORT;
    const read = isShort ? { answer: answerIn(page) } : await this.#reading.mcpAnswer(page);
    return { status, headers, text, answer: read?.answer, page, isUnread: read === undefined };
  }

  async #fetch(options: FetchOptions) {
    const result = await this.#visit.fetch(this.#endpoint.href, {
      ...options,
      timeoutMs: Math.max(1, Math.min(this.#leftMs, options.statusOnly ? NOTIFICATION_MS : this.#leftMs)),
      maxBodyBytes: Math.max(1, Math.min(this.#leftBytes, MAX_REPLY_BYTES)),
    });
    this.#leftMs -= result.tookMs;
    if (result.ok) this.#leftBytes -= result.body.length;
    return result;
  }

  /** Where the same site moved the endpoint to; the request goes there as it is. Never to a page to log in at. */
  #redirectOf(reply: McpReply): URL | undefined {
    if (reply.failure !== undefined || !SAME_METHOD.has(reply.status)) return undefined;
    const to = URL.parse(reply.headers.location ?? "", this.#endpoint.href);
    if (!to || isLogin(to) || !isSameSite(to.hostname, this.#endpoint.hostname)) return undefined;
    return this.#endpoint.protocol === "https:" && to.protocol !== "https:" ? undefined : to;
  }
}

export const isLogin = (url: URL): boolean =>
  /\/(?:log-?in|sign-?in|auth|oauth2?|authorize|sso|accounts?)(?:[/.]|$)/i.test(url.pathname);
