/**
 * Speaks to an MCP endpoint as far as nothing has an effect: `server/discover` (revision 2026-07-28), else `initialize`, then
 * `tools/list`. Requests go through the guarded, polite client alone, which bounds what the endpoint can cost.
 */
import {
  type AgentService,
  MAX_TOOLS,
  type ServiceObservation,
  type ServiceTool,
} from "../../../schemas/agent-web.ts";
import { label } from "../../domain/strangers-text.ts";
import type { Visit } from "../../egress/polite.ts";
import { DAY_MS } from "../../ports/time.ts";
import type { PresenceReading } from "../reading.ts";
import { type Told, told } from "./classify.ts";
import { McpExchange, type McpReply } from "./exchange.ts";
import { LONGEST_CURSOR, type McpPage, type McpResult } from "./messages.ts";

const STATELESS = "2026-07-28";
const HANDSHAKE = "2025-11-25";
const CLIENT = { name: "bridge", version: "1.0.0" };
/** Of all requests together; turns that the endpoint's host is waited for count, too. */
const TIMEOUT_MS = 15_000;
const MAX_PAGES = 5;
const DEAD_AFTER_FAILURES = 3;
const DEAD_AFTER_MS = 2 * DAY_MS;

export interface ProbeOptions {
  /** Long answers, and tools, are read in a thread. */
  reading: Pick<PresenceReading, "mcpAnswer" | "mcpTools">;
  /** Broker milliseconds. */
  now: () => number;
  previous?: ServiceObservation | null;
  failing?: AgentService["failing"];
  /** Default 15 s. */
  timeoutMs?: number;
}

export interface Probed {
  observation: ServiceObservation;
  tools: ServiceTool[];
  auth: AgentService["auth"];
  transports: string[];
  failing: AgentService["failing"];
  /** Of the server, as it says itself. */
  version: string | null;
  /** Tools left out. */
  cut: number;
}

type Opening = { reply: McpReply; told: Told | undefined };
type Listing = { pages: McpPage[]; listed: number; told: Told | undefined; isCut: boolean };

/** A day is between two probes. */
export const isProbeDue = (previous: ServiceObservation | null, now: number): boolean =>
  previous === null || now - Date.parse(previous.seen_at) >= DAY_MS;

/** Never rejects for what an endpoint does. @param visit of the endpoint's host */
export async function probeMcp(
  visit: Pick<Visit, "fetch">,
  endpoint: string,
  options: ProbeOptions,
): Promise<Probed> {
  const url = URL.parse(endpoint);
  if (/[{}]|%7b|%7d/i.test(endpoint))
    return outcome(options, { class: "template_url", detail: "its address has placeholders" });
  if (!url) return outcome(options, { class: "unknown", detail: "its address is none" });
  const startedMs = performance.now();
  const exchange = new McpExchange(visit, url, options.reading, options.timeoutMs ?? TIMEOUT_MS);
  const opened = await open(exchange, options.previous?.revision ?? null);
  const latency_ms = Math.round(performance.now() - startedMs);
  if (opened.told) {
    if (await isOldTransport(exchange, url, opened.reply)) {
      const detail = "the transport HTTP+SSE of revision 2024-11-05: tools not listed";
      const old = { revision: "2024-11-05", latency_ms };
      return { ...outcome(options, { class: "open", detail }, old), transports: ["sse"] };
    }
    return outcome(options, opened.told, { latency_ms });
  }
  const result = resultOf(opened.reply);
  const seen = { latency_ms, revision: exchange.revision ?? null, name: result?.name ?? null };
  const more = { transports: ["streamable-http"], version: result?.version ?? null };
  if (!result?.offersTools)
    return { ...outcome(options, { class: "open", detail: "it offers no tools" }, seen), ...more };
  const { pages, listed, told: refused, isCut } = await listTools(exchange);
  if (refused) return { ...outcome(options, ofListing(refused), seen), ...more };
  const read = await options.reading.mcpTools(pages);
  if (!read) {
    const detail = "its list of tools took too long to read";
    return { ...outcome(options, { class: "open", detail }, seen), cut: listed, ...more };
  }
  const { tools, cut, sha256 } = read;
  const detail = detailOf(options.previous, sha256, isCut);
  const observed = { ...seen, tools: tools.length, tools_sha256: sha256 };
  return { ...outcome(options, { class: "open", detail }, observed), tools, cut, ...more };
}

/** By the revision that it spoke the last time, else the newest first. */
async function open(exchange: McpExchange, known: string | null): Promise<Opening> {
  if (known === null || known >= STATELESS) {
    exchange.revision = STATELESS;
    const reply = await exchange.ask("server/discover", stateless());
    if (resultOf(reply)?.versions.includes(STATELESS)) return { reply, told: undefined };
    exchange.revision = undefined;
    const discovered = told(reply);
    // What an older server answers to a method that it does not know says nothing of it.
    const isFinal = reply.failure !== undefined || ["auth", "rate_limited"].includes(discovered?.class ?? "");
    if (discovered && isFinal) return { reply, told: discovered };
  }
  return initialize(exchange);
}

async function initialize(exchange: McpExchange): Promise<Opening> {
  const params = { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: CLIENT };
  const reply = await exchange.ask("initialize", params);
  const refused = told(reply);
  if (refused) return { reply, told: refused };
  const protocolVersion = resultOf(reply)?.protocolVersion;
  if (protocolVersion === undefined || !/^\d{4}-\d\d-\d\d$/.test(protocolVersion))
    return { reply, told: { class: "not_protocol", detail: "initialize names no revision of MCP" } };
  exchange.revision = protocolVersion;
  if (reply.failure === undefined) {
    const session = reply.headers["mcp-session-id"];
    // Visible ASCII alone (revision 2025-11-25, "Session Management").
    if (session !== undefined && /^[\x21-\x7e]{1,1024}$/.test(session)) exchange.session = session;
  }
  await exchange.ask("notifications/initialized", {});
  return { reply, told: undefined };
}

/** To the end of the list, or of the bounds; a cursor that comes again ends it. */
async function listTools(exchange: McpExchange): Promise<Listing> {
  const pages: McpPage[] = [];
  const cursors = new Set<string>();
  let listed = 0;
  let cursor: string | undefined;
  while (pages.length < MAX_PAGES) {
    const params = exchange.revision === STATELESS ? stateless() : {};
    const reply = await exchange.ask("tools/list", { ...params, ...(cursor !== undefined && { cursor }) });
    const refused = told(reply);
    if (refused) return { pages, listed, told: pages.length === 0 ? refused : undefined, isCut: true };
    const { listed: more, nextCursor = "" } = resultOf(reply) ?? {};
    if (reply.failure !== undefined || more === undefined) {
      const none: Told = { class: "not_protocol", detail: "tools/list gives no list" };
      return { pages, listed, told: none, isCut: false };
    }
    pages.push(reply.page!);
    listed += more;
    if (nextCursor === "") return { pages, listed, told: undefined, isCut: false };
    if (cursors.has(nextCursor) || nextCursor.length > LONGEST_CURSOR || listed >= MAX_TOOLS) break;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { pages, listed, told: undefined, isCut: true };
}

/** The old transport takes no POST at its address. */
async function isOldTransport(exchange: McpExchange, { pathname }: URL, reply: McpReply): Promise<boolean> {
  if (reply.failure !== undefined) return false;
  const mayBe = [405, 415].includes(reply.status) || (reply.status < 500 && /\/sse\/?$/.test(pathname));
  return mayBe && ![401, 402, 403, 407, 429].includes(reply.status) && exchange.opensStream();
}

/** It opened by its protocol: only what keeps its tools from everybody says more. */
const ofListing = (refused: Told): Told =>
  refused.class === "auth" || refused.class === "rate_limited"
    ? refused
    : { class: "open", detail: `tools not listed: ${refused.detail}` };

function detailOf(previous: ProbeOptions["previous"], sha256: string, isCut: boolean): string {
  const before = previous?.tools_sha256 ?? null;
  const changed =
    before !== null && before !== sha256 ? "its tools are others than before" : "lists its tools";
  return isCut ? `${changed}; the list goes on, or does not end` : changed;
}

function outcome(
  { now, failing = null }: ProbeOptions,
  { class: kind, detail, isFailure }: Told,
  seen: Partial<ServiceObservation> = {},
): Probed {
  const at = new Date(now()).toISOString();
  const isNews = kind !== "unknown" && kind !== "template_url" && kind !== "rate_limited";
  const times = (failing?.times ?? 0) + 1;
  const failed = isFailure ? { times, since: failing?.since ?? at } : isNews ? null : failing;
  const isDead =
    isFailure && times >= DEAD_AFTER_FAILURES && now() - Date.parse(failed!.since) >= DEAD_AFTER_MS;
  const observation: ServiceObservation = {
    class: isDead ? "dead" : kind,
    detail: label(detail, 300),
    revision: null,
    name: null,
    tools: null,
    tools_sha256: null,
    latency_ms: null,
    seen_at: at,
    ...seen,
  };
  const auth = authOf(kind, detail);
  return { observation, tools: [], auth, transports: [], failing: failed, version: null, cut: 0 };
}

function authOf(kind: Told["class"], detail: string): AgentService["auth"] {
  if (kind === "open") return "none";
  if (kind !== "auth") return "unknown";
  return detail.includes("RFC 9728") ? "oauth" : /api[ _-]?key/i.test(detail) ? "api_key" : "other";
}

const resultOf = (reply: McpReply): McpResult | undefined =>
  reply.failure === undefined ? reply.answer?.result : undefined;

/** Each request of the stateless revision says who asks and by which revision. */
const stateless = () => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  },
});
