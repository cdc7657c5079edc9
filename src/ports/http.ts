/** Outgoing HTTP requests, all through one guarded client. Nothing here throws for an expected failure. */

export type FetchFailure =
  | "invalid_url"
  | "refused_scheme"
  | "refused_port"
  | "refused_credentials"
  | "refused_address"
  | "dns_none"
  | "dns_failed"
  | "connect_failed"
  | "tls_failed"
  | "timeout"
  | "body_too_large"
  | "headers_too_large"
  | "too_many_redirects"
  | "redirect_refused"
  /** The owner of the address closes it to agents, and the request is for a caller (polite.ts). */
  | "closed_to_agents"
  /** robots.txt forbids the address, or could not be read, and pages are read (polite.ts). */
  | "robots_disallowed"
  | "protocol_error"
  | "not_admitted"
  | "aborted";

/** One request to send; `address` is the IP address to connect to. */
export interface Hop {
  url: URL;
  address: string;
}

export interface FetchOptions {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Timeout of the whole exchange with its redirects, without waits for `admit`. Default 10,000. */
  timeoutMs?: number;
  /** Default 2 MiB. A longer body fails with "body_too_large", unless `truncate` keeps its beginning. */
  maxBodyBytes?: number;
  truncate?: boolean;
  /**
   * Asked with each piece of the body, as it comes over the wire: true ends the exchange, and what came is the body. For streams that
   * stay open behind what was awaited: no Content-Encoding is asked for.
   */
  until?: (piece: Uint8Array) => boolean;
  /** The reply's body is of no use: the result has none, and stands although the body is late, broken or cannot be decoded. */
  statusOnly?: boolean;
  /** Default 0: a redirect is returned as its 3xx reply. At most 5; each hop passes all checks. */
  maxRedirects?: number;
  /** Called before a redirect is followed; false ends the exchange with "redirect_refused". */
  allowRedirect?: (from: URL, to: URL) => boolean | Promise<boolean>;
  /**
   * Called before each hop, after its address is resolved and found public: the hook of the politeness gate. Undefined
   * refuses the hop ("not_admitted").
   */
  admit?: (hop: Hop) => Promise<HopPermit | undefined>;
  signal?: AbortSignal;
}

/** Permission to send one hop. */
export interface HopPermit {
  /**
   * Called in the same turn of the event loop that writes the request, however long connecting took; false if the
   * permission has expired ("not_admitted").
   */
  holds(): boolean;
  /** Called once on completion. */
  ended(ended: HopEnded): void | Promise<void>;
}

export interface HopEnded {
  status?: number;
  failure?: FetchFailure;
  retryAfter?: string;
  tookMs: number;
}

export type FetchResult =
  | {
      ok: true;
      status: number;
      /** Lower-case names; repeated fields joined with ", ". */
      headers: Record<string, string>;
      /** Set-Cookie fields of the final reply, one by one (not of redirects). */
      setCookies: string[];
      body: Uint8Array;
      truncated: boolean;
      /** The final URL, after redirects. */
      url: URL;
      address: string;
      tookMs: number;
    }
  | { ok: false; failure: FetchFailure; detail: string; url: string; address?: string; tookMs: number };

/** The guarded client for all outgoing requests. */
export interface Fetcher {
  fetch(url: string, options?: FetchOptions): Promise<FetchResult>;
  close(): Promise<void>;
}
