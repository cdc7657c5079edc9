/**
 * The one guarded client for everything that leaves: parse → refuse → resolve once → check all addresses → ask the
 * gate → connect to that address → check again. Every redirect starts over with the first step.
 */
import type { SecureContext } from "node:tls";
import type { AddressException, Networks } from "../../domain/names/address.ts";
import { checkAddresses, parseTarget, type Target } from "../../domain/names/target.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Resolver } from "../../ports/dns.ts";
import type { Fetcher, FetchOptions, FetchResult, HopEnded } from "../../ports/http.ts";
import { Connections } from "./connections.ts";
import { ACCEPT_ENCODING, decode } from "./content-encoding.ts";
import { dial, trustContext } from "./dial.ts";
import { type ExchangeFailed, exchange, type HttpReply, type HttpRequest } from "./exchange.ts";
import { beforeStop, createStop, type ExchangeEnd, type Refusal, refusal } from "./stop.ts";

/**
 * Header fields by which a site can tell whose a request is. Asked once an address was admitted, for each hop anew.
 * @param authority host, and port unless it is the scheme's own
 * @param address that the request goes to
 */
export type RequestSigner = (authority: string, address: string) => Record<string, string>;

export interface FetcherOptions {
  resolver: Resolver;
  clock: Clock;
  /** Sent with every request; names the service and a way to reach its operator. */
  userAgent: string;
  /** Blocks and ports that may be reached although they are not public. */
  allow: readonly AddressException[];
  sign?: RequestSigner;
  /** Networks that are not reached although they are public: what operators blocked. */
  blocked?: Pick<Networks, "has">;
  /** Certificates (PEM) trusted beside Node's own and NODE_EXTRA_CA_CERTS. */
  ca?: readonly string[];
  /** For TCP and TLS together. Default 5,000. */
  connectTimeoutMs?: number;
  /** Open at once, used or not. Default 512. */
  maxConnections?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_BODY_BYTES = 2 * 1024 * 1024;
const MAX_HEADER_BYTES = 32 * 1024;
const IDLE_MS = 4_000;
const NO_BODY = new Uint8Array(0);
/** As many as RFC 9309 section 2.3.1.2 asks to be followed for robots.txt; nothing else asks for more than three. */
const MAX_REDIRECTS = 5;
/** Addresses of one name that are tried when connecting fails. */
const MAX_ADDRESSES = 2;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Fields that frame or identify the request: this client's own. */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "signature",
  "signature-agent",
  "signature-input",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
/** Fields that speak to the first origin alone. */
const CREDENTIAL_HEADERS = ["authorization", "cookie"];

interface HttpClient {
  resolver: Resolver;
  clock: Clock;
  userAgent: string;
  allow: readonly AddressException[];
  blocked: Pick<Networks, "has"> | undefined;
  sign: RequestSigner;
  connections: Connections;
  secureContext: SecureContext;
  connectTimeoutMs: number;
}

type Answered = { reply: HttpReply; address: string };
/** A failure, with the address that it happened at when it came so far. */
type Failed = Refusal & { address?: string };

interface AdmittedHop {
  holds: () => boolean;
  ended: (ended: Omit<HopEnded, "tookMs">) => Promise<void>;
}

/** One request that was admitted. */
interface Sending {
  target: Target;
  address: string;
  request: HttpRequest;
  stop: ExchangeEnd;
  holds: AdmittedHop["holds"];
}

/** The client of `src/ports/http.ts`. `close` ends what is under way ("aborted") and resolves when every socket is closed. */
export function createFetcher(options: FetcherOptions): Fetcher {
  const closing = new AbortController();
  const client: HttpClient = {
    resolver: options.resolver,
    clock: options.clock,
    userAgent: options.userAgent,
    allow: options.allow,
    blocked: options.blocked,
    sign: options.sign ?? (() => ({})),
    secureContext: trustContext(options.ca ?? []),
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    connections: new Connections({
      maxConnections: options.maxConnections ?? 512,
      idleMs: IDLE_MS,
      maxHeaderBytes: MAX_HEADER_BYTES,
    }),
  };
  return {
    fetch: async (url, fetchOptions = {}) => {
      const timeoutMs = fetchOptions.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      const stop = createStop(client.clock, timeoutMs, [fetchOptions.signal, closing.signal]);
      try {
        return await run(client, url, fetchOptions, stop);
      } finally {
        stop.dispose();
      }
    },
    close: async () => {
      closing.abort();
      await client.connections.close();
    },
  };
}

async function run(
  client: HttpClient,
  text: string,
  options: FetchOptions,
  stop: ExchangeEnd,
): Promise<FetchResult> {
  const startedMs = client.clock.monotonicMs();
  const tookMs = () => client.clock.monotonicMs() - startedMs;
  let url = text;
  const failed = ({ failure, detail, address }: Failed): FetchResult => {
    const stopped = stop.signal.aborted;
    return {
      ok: false,
      failure: stopped ? stop.reason() : failure,
      detail: stopped ? stopDetail(stop, detail) : detail,
      url: url.slice(0, 2_048),
      ...(address === undefined ? {} : { address }),
      tookMs: tookMs(),
    };
  };

  if (stop.signal.aborted) return failed(refusal("aborted", "stopped before it began"));
  const maxRedirects = Math.min(options.maxRedirects ?? 0, MAX_REDIRECTS);
  let target = parseTarget(text, client.allow);
  let headers = requestHeaders(client, options);
  if (!("fields" in headers)) return failed(headers);
  for (let redirects = 0; ; redirects++) {
    if (!target.ok) return failed(target);
    url = target.url.href;
    const answered = await hop(client, target, headers.fields, options, stop);
    if (!("reply" in answered)) return failed(answered);

    const { reply, address } = answered;
    const location = maxRedirects === 0 || options.method === "POST" ? undefined : locationOf(reply);
    if (location === undefined) {
      const final = await decodedReply(reply, options, stop);
      if (!final.ok) return failed({ ...final, address });
      return { ...final, url: target.url, address, tookMs: tookMs() };
    }
    if (redirects === maxRedirects) {
      return failed({ ...refusal("too_many_redirects", `more than ${maxRedirects} redirects`), address });
    }
    const from: Target = target;
    target = parseTarget(location, client.allow, from.url);
    if (!target.ok) {
      url = URL.parse(location, from.url.href)?.href ?? url;
      return failed(target);
    }
    const refused = await refuseRedirect(from.url, target.url, options);
    if (refused !== undefined) return failed({ ...refused, address });
    if (from.url.origin !== target.url.origin) headers = { fields: withoutCredentials(headers.fields) };
  }
}

function stopDetail(stop: ExchangeEnd, detail: string): string {
  return stop.reason() === "timeout" ? `out of time: ${detail}` : detail;
}

function requestHeaders(
  client: HttpClient,
  { headers: given = {}, until }: FetchOptions,
): { fields: Record<string, string> } | Refusal {
  const fields: Record<string, string> = {
    "user-agent": client.userAgent,
    "accept-encoding": until ? "identity" : ACCEPT_ENCODING,
  };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower)) return refusal("protocol_error", `the field ${lower} is the client's own`);
    // RFC 9110 sections 5.1 and 5.5: a token, and no control characters.
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      return refusal("protocol_error", `the field ${JSON.stringify(lower)} cannot be sent`);
    }
    fields[lower] = value;
  }
  return { fields };
}

/** Resolves, checks, asks the gate and sends, at one address after the other while connecting fails. */
async function hop(
  client: HttpClient,
  target: Target,
  headers: Record<string, string>,
  options: FetchOptions,
  stop: ExchangeEnd,
): Promise<Answered | Failed> {
  const addresses = await resolve(client, target, stop);
  if (!Array.isArray(addresses)) return addresses;
  const refused = checkAddresses(addresses, target.port, client.allow);
  if (refused !== undefined) return refused;
  const blocked = addresses.find((address) => client.blocked?.has(address));
  if (blocked !== undefined)
    return {
      ...refusal("refused_address", `${blocked} is in a network that this registry blocks`),
      address: blocked,
    };

  const kept = addresses.find((address) => client.connections.hasIdle(keyOf(target, address)));
  const order = kept === undefined ? addresses : [kept, ...addresses.filter((address) => address !== kept)];
  let last: Failed = refusal("dns_none", "the name has no address");
  for (const address of order.slice(0, MAX_ADDRESSES)) {
    const admitted = await admit(client, target, address, options, stop);
    if (!("ended" in admitted)) return { ...admitted, address };
    const request = requestOf(target, { ...headers, ...client.sign(target.url.host, address) }, options);
    const result = await send(client, { target, address, request, stop, holds: admitted.holds });
    const failure = result.ok ? undefined : stop.signal.aborted ? stop.reason() : result.failure;
    await admitted.ended(
      result.ok
        ? { status: result.status, ...retryAfterOf(result) }
        : failure === undefined
          ? {}
          : { failure },
    );
    if (result.ok) return { reply: result, address };
    last = { ...result, address };
    if (failure !== "connect_failed") break;
  }
  return last;
}

async function resolve(client: HttpClient, target: Target, stop: ExchangeEnd): Promise<string[] | Refusal> {
  if (target.literal) return [target.host];
  const answer = await beforeStop(client.resolver.addresses(target.host, stop.signal), stop);
  if (answer === undefined) return refusal("aborted", "stopped while resolving");
  const { value } = answer;
  if (value.outcome === "failed") return refusal("dns_failed", `${value.reason}: ${value.detail}`);
  if (value.dnssec === "bogus") return refusal("dns_failed", "bogus: the addresses do not validate");
  if (value.outcome === "none" || value.records.length === 0) {
    return refusal("dns_none", "the name has no address");
  }
  return value.records;
}

const keyOf = (target: Target, address: string): string => `${target.url.origin} ${address}`;

/**
 * Asks the caller's gate. It is called once on completion of a hop that it admitted; the duration is measured here. A gate
 * that answers after the stop is called at once, so that no lease stays reserved; one that fails admits nothing.
 */
async function admit(
  client: HttpClient,
  target: Target,
  address: string,
  options: FetchOptions,
  stop: ExchangeEnd,
): Promise<AdmittedHop | Refusal> {
  const gate = options.admit;
  if (gate === undefined) return { holds: () => true, ended: () => Promise.resolve() };
  stop.pause();
  const asked = (async () => gate({ url: new URL(target.url), address }))();
  const answer = await beforeStop(
    asked.catch(() => undefined),
    stop,
  );
  stop.resume();
  if (answer === undefined) {
    void asked.then((late) => late?.ended({ failure: stop.reason(), tookMs: 0 })).catch(() => undefined);
    return refusal("aborted", "stopped while waiting for the gate");
  }
  const admission = answer.value;
  if (admission === undefined) return refusal("not_admitted", "the gate did not admit the request");
  const startedMs = client.clock.monotonicMs();
  return {
    holds: () => admission.holds(),
    ended: async (hopEnded) => {
      const noted = admission.ended({ ...hopEnded, tookMs: client.clock.monotonicMs() - startedMs });
      // What the gate does with it is the gate's to report; the reply stands all the same.
      await beforeStop(
        Promise.resolve(noted).catch(() => undefined),
        stop,
      );
    },
  };
}

function requestOf(target: Target, headers: Record<string, string>, options: FetchOptions): HttpRequest {
  const { body = null } = options;
  return {
    method: options.method ?? "GET",
    path: target.url.pathname + target.url.search,
    headers,
    body: typeof body === "string" ? Buffer.from(body) : body,
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_BODY_BYTES,
    truncate: options.truncate ?? false,
    until: options.until,
    statusOnly: options.statusOnly ?? false,
  };
}

/** A GET or HEAD whose kept connection turns out to have ended is sent once more on a new one (RFC 9110 section 9.2.2). */
async function send(client: HttpClient, sending: Sending): Promise<HttpReply | Refusal> {
  const { request, stop } = sending;
  const first = await sendOnce(client, sending, request.method === "POST");
  if (first.ok || !("stale" in first) || !first.stale || stop.signal.aborted) return first;
  return sendOnce(client, sending, true);
}

async function sendOnce(
  client: HttpClient,
  { target, address, request, stop, holds }: Sending,
  fresh: boolean,
): Promise<HttpReply | Refusal | ExchangeFailed> {
  const { connections, clock, secureContext, connectTimeoutMs } = client;
  const acquired = await connections.acquire(
    keyOf(target, address),
    target.url.origin,
    () => dial(target, address, { clock, secureContext, connectTimeoutMs, signal: stop.signal }),
    { signal: stop.signal, fresh },
  );
  if (!acquired.ok) return acquired;
  const { connection } = acquired;
  // A process that was stopped since it was admitted must not send now what it was allowed to send then.
  const late = !holds()
    ? refusal("not_admitted", "the permission to send expired before the request was sent")
    : stop.isOver()
      ? refusal("timeout", "out of time before the request was sent")
      : undefined;
  if (late) {
    connections.release(connection);
    return late;
  }
  const result = await exchange(connection, request, stop.signal);
  connections.release(connection);
  if (!result.ok && connection.uses === 0) return { ...result, stale: false };
  return result;
}

function retryAfterOf(reply: HttpReply): { retryAfter?: string } {
  const retryAfter = reply.headers["retry-after"];
  return retryAfter === undefined ? {} : { retryAfter };
}

function locationOf(reply: HttpReply): string | undefined {
  return REDIRECTS.has(reply.status) ? reply.headers.location : undefined;
}

/** The body of a final reply, decoded within its bound. */
async function decodedReply(
  { status, headers, setCookies, body: encoded, cut }: HttpReply,
  { maxBodyBytes = DEFAULT_BODY_BYTES, truncate = false, statusOnly = false }: FetchOptions,
  { signal }: ExchangeEnd,
) {
  if (statusOnly) return { ok: true, status, headers, setCookies, body: NO_BODY, truncated: true } as const;
  const decoded = await decode(encoded, headers["content-encoding"] ?? "", {
    maxBytes: maxBodyBytes,
    truncate,
    partial: cut,
    signal,
  });
  if (!decoded.ok) return decoded;
  const { bytes: body, truncated } = decoded;
  return { ok: true, status, headers, setCookies, body, truncated } as const;
}

async function refuseRedirect(from: URL, to: URL, options: FetchOptions): Promise<Refusal | undefined> {
  if (from.protocol === "https:" && to.protocol === "http:") {
    return refusal("redirect_refused", "from https to http");
  }
  if ((await options.allowRedirect?.(new URL(from), new URL(to))) === false) {
    return refusal("redirect_refused", "the caller refused the redirect");
  }
  return undefined;
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIAL_HEADERS.includes(name)));
}
