/** Requests that leave: one guarded client for all of them. Nothing here throws for an expected failure. */

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
  /** The owner of the address closes it to agents, and the request was for a caller (polite.ts). */
  | "closed_to_agents"
  | "protocol_error"
  | "not_admitted"
  | "aborted";

/** One request about to leave: `address` is the one that will be connected to. */
export interface Hop {
  url: URL;
  address: string;
}

export interface FetchOptions {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Longest whole exchange, redirects included, waits for `admit` excluded. Default 10,000. */
  timeoutMs?: number;
  /** Default 2 MiB. A longer body is a failure ("body_too_large") unless `truncate` keeps what came. */
  maxBodyBytes?: number;
  truncate?: boolean;
  /** Default 0: a redirect comes back as its 3xx reply. At most 5; each hop is checked again. */
  maxRedirects?: number;
  /** Called before every redirect is followed; false ends the exchange with "redirect_refused". */
  allowRedirect?: (from: URL, to: URL) => boolean | Promise<boolean>;
  /**
   * Called before each hop is sent, after its addresses are resolved and found public: the hook of the
   * politeness gate. Resolves to undefined when the hop may not be sent ("not_admitted").
   */
  admit?: (hop: Hop) => Promise<Admission | undefined>;
  signal?: AbortSignal;
}

/** Permission to send one hop. */
export interface Admission {
  /**
   * Called in the very turn that writes the request, however long connecting took: false when the permission has expired
   * ("not_admitted").
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
      /** Set-Cookie fields, one by one, of the reply that answered (not of redirects on the way). */
      setCookies: string[];
      body: Uint8Array;
      truncated: boolean;
      /** The URL that answered, after redirects. */
      url: URL;
      address: string;
      tookMs: number;
    }
  | { ok: false; failure: FetchFailure; detail: string; url: string; address?: string; tookMs: number };

/** The one guarded client for everything that leaves. */
export interface Fetcher {
  fetch(url: string, options?: FetchOptions): Promise<FetchResult>;
  close(): Promise<void>;
}
