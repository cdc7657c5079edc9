/**
 * Pages of a registry with the MCP Registry's API v0.1: `GET /v0.1/servers` with `limit`, `cursor`, `version=latest` and `updated_since`,
 * which also gives deleted entries (modelcontextprotocol.io/registry/registry-aggregators). The registry is a stranger: bytes, time,
 * attempts and waits are bounded, and it is not followed to another host.
 */
import { z } from "zod";
import { OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetcher, FetchResult } from "../ports/http.ts";
import { parseServer } from "./entry.ts";
import type { ImportPage, ImportSource } from "./import.ts";
import { lookAtLog } from "./seen-log.ts";

const OFFICIAL_HOST = "registry.modelcontextprotocol.io";
/** Of the list, below the registry's address. */
export const SERVERS_PATH = "/v0.1/servers";
const LIMIT = 100;
/** Asked for where a page of a hundred has too many bytes. */
const LEAST = 10;
/** Of a registry that ignores the limit. */
const MAX_ENTRIES = 200;
const MAX_PAGE_BYTES = 4 << 20;
/** Brackets, braces, commas and colons of a page: more of them keep a parser busy for too long. A hundred entries have 10,000. */
const MAX_PAGE_PARTS = 50_000;
const MAX_CURSOR_CHARS = 2_000;
const TIMEOUT_MS = 30_000;
/** One that asks for a longer pause is read at the next time. */
const MAX_WAIT_MS = 120_000;
/** Before each further attempt, where the registry names no pause. */
const WAITS_MS = [1_000, 4_000, 16_000];

const Listing = z.looseObject({
  servers: z.array(z.unknown()),
  metadata: z.looseObject({ nextCursor: z.string().max(MAX_CURSOR_CHARS).nullish() }).nullish(),
});

/** @param address its origin, or the whole address of its list */
export function registryPages(
  fetcher: Pick<Fetcher, "fetch">,
  clock: Pick<Clock, "now" | "sleep">,
  address: URL,
): ImportSource {
  const list = new URL(address.href.split(/[?#]/, 1)[0]!);
  if (!list.pathname.endsWith(SERVERS_PATH))
    list.pathname += list.pathname.endsWith("/") ? SERVERS_PATH.slice(1) : SERVERS_PATH;
  const registry = new URL(list.href.slice(0, -SERVERS_PATH.length));
  const name =
    list.host === OFFICIAL_HOST ? OFFICIAL_SOURCE : `${OFFICIAL_SOURCE}:${list.host}`.slice(0, 100);
  return {
    name,
    from: list.href,
    hasChanges: true,
    parse: (value) => parseServer(value, name),
    page: async (cursor, since, signal) => {
      const url = new URL(list);
      url.searchParams.set("version", "latest");
      if (cursor) url.searchParams.set("cursor", cursor);
      if (since) url.searchParams.set("updated_since", since);
      url.searchParams.set("limit", String(LIMIT));
      const result = await read(fetcher, clock, url, signal);
      if (result.ok || result.failure !== "body_too_large") return pageOf(result, url);
      url.searchParams.set("limit", String(LEAST));
      return pageOf(await read(fetcher, clock, url, signal), url);
    },
    log: (known, signal) => lookAtLog(fetcher, registry, known, { now: clock.now(), signal }),
  };
}

/** The answer, after as many attempts as it takes. */
async function read(
  fetcher: Pick<Fetcher, "fetch">,
  clock: Pick<Clock, "now" | "sleep">,
  url: URL,
  signal: AbortSignal,
): Promise<FetchResult> {
  for (let attempt = 0; ; attempt++) {
    const result = await fetcher.fetch(url.href, {
      headers: { accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_PAGE_BYTES,
      maxRedirects: 2,
      allowRedirect: (from, to) => from.origin === to.origin,
      signal,
    });
    const wait = waitAfter(result, attempt, clock.now());
    if (wait === undefined || wait > MAX_WAIT_MS || signal.aborted) return result;
    await clock.sleep(wait, signal);
  }
}

/** Milliseconds until the next attempt; undefined: another would end as this one did. */
function waitAfter(result: FetchResult, attempt: number, now: number): number | undefined {
  const own = WAITS_MS[attempt];
  if (!result.ok)
    return ["timeout", "connect_failed", "dns_failed", "protocol_error"].includes(result.failure)
      ? own
      : undefined;
  if (result.status < 500 && result.status !== 429) return undefined;
  return own === undefined ? undefined : Math.max(own, retryAfterMs(result.headers["retry-after"], now));
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function retryAfterMs(field: string | undefined, now: number): number {
  if (field === undefined) return 0;
  const ms = /^\d+$/.test(field) ? Number(field) * 1_000 : Date.parse(field) - now;
  return Number.isNaN(ms) ? 0 : ms;
}

function pageOf(result: FetchResult, { host, searchParams }: URL): ImportPage {
  if (!result.ok) {
    const next = result.failure.startsWith("refused_") ? " BRIDGE_EGRESS_ALLOW lets more be reached." : "";
    return trouble(`${host} was not read: ${result.detail}.${next}`);
  }
  const { status, headers, body } = result;
  const pause = headers["retry-after"]
    ? ` and asks to come back later (Retry-After: ${headers["retry-after"]})`
    : "";
  if (status !== 200)
    return {
      ...trouble(`${host} answered ${status}${pause}.`),
      isLost: isLost(status) && searchParams.has("cursor"),
    };
  const listing = Listing.safeParse(jsonOf(body));
  if (!listing.success)
    return trouble(`${host} did not answer with {"servers": […]}: is this the address of an MCP registry?`);
  const { servers, metadata } = listing.data;
  if (servers.length > MAX_ENTRIES)
    return trouble(`${host} gave more than ${MAX_ENTRIES} entries in a page.`);
  return { ok: true, entries: servers, next: metadata?.nextCursor || undefined };
}

/** How registries answer for a cursor that they know no more. */
const isLost = (status: number): boolean => [400, 404, 410, 422].includes(status);

/** Bytes that begin values or part them. */
function partsOf(body: Uint8Array): number {
  let parts = 0;
  // An iterator takes ten times as long.
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === 0x2c || byte === 0x3a || byte === 0x5b || byte === 0x7b) parts++;
  }
  return parts;
}

const trouble = (text: string) => ({ ok: false, trouble: text }) as const;

function jsonOf(body: Uint8Array): unknown {
  try {
    if (partsOf(body) > MAX_PAGE_PARTS) return undefined;
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
