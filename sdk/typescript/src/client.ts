/** The calls of one registry. It keeps no state but its options. */
import type {
  AuthenticateReply,
  EvidenceReply,
  ObservationsReply,
  PriceHistoryQuery,
  PriceHistoryReply,
  ReadPage,
  Receipt,
  ReceiptsReply,
  ScanBody,
  ScanReply,
  SearchQuery,
  SearchReply,
  SitePermissions,
  VerdictReply,
} from "./api.ts";
import { AuthenticationError, InvalidRequestError } from "./errors.ts";
import { Http, type HttpOptions, type SaidProblem } from "./http.ts";
import { Session, type SessionGrant } from "./session.ts";
import type { LogState } from "./verify/log.ts";
import {
  type ObservationsOptions,
  type ObservedHistory,
  subjectSha256,
  verifyObservations,
} from "./verify/observations.ts";
import { type Seen, type Verification, type VerifyOptions, verifyEvidence } from "./verify/verify.ts";

/** One license a site: domain → license key. */
export type Wallet = Readonly<Record<string, string>>;

export interface BridgeOptions extends HttpOptions {
  /** An agent's token: its account's wallet opens sites, and it asks for access. */
  token?: string;
  /** Licenses that lie here, not in the account. */
  wallet?: Wallet;
  /** A key of the module gateway, for `scan` and `priceHistory`. Default: the agent's token. */
  apiKey?: string;
  /** How evidence is checked, for all calls of `verify`. */
  verify?: VerifyOptions;
  /** What the agent is called; stays with its sessions. */
  agent?: { id?: string; name?: string };
}

export interface SearchOptions {
  category?: string;
  /** A country, region or city, or `lat,lon,km`. */
  near?: string;
  intent?: string;
  /** Least ring, 0 to 4. */
  minRing?: number;
  minNeutrality?: number;
  /** Least share of the words, 0 to 1; above 0.5 none that is near in meaning alone. */
  minRelevance?: number;
  /** How agents get permission: none, request or open. */
  access?: "none" | "request" | "open";
  /** At most 100. Default 20. */
  limit?: number;
  signal?: AbortSignal;
}

export type Permission = keyof SitePermissions;

export interface OpenOptions {
  /** Why: the site's owner may read it. */
  purpose?: string;
  /** Fewer than the license has. */
  permissions?: readonly Permission[];
}

export interface PageOptions {
  /** The most that the Markdown may take. */
  maxTokens?: number;
  /** `next_offset` of the part before, to read on. */
  offset?: number;
}

export interface AccessOptions {
  /** Why, for the site's owner; at most 500 characters. */
  purpose: string;
  permissions?: readonly Permission[];
}

/** A request for access, as its owner left it. */
export interface AccessRequest {
  request_id: string;
  state: "pending" | "approved" | "denied" | "collected" | "expired";
  domain: string;
  [member: string]: unknown;
}

/** A tool's result as the registry sends it (Model Context Protocol, CallToolResult). */
export interface SentResult {
  content: readonly { text?: string }[];
  structuredContent?: Record<string, unknown>;
}

export type Listing = SearchReply["results"][number];

export class Client {
  readonly #http: Http;
  readonly #seen: Seen = { sites: {}, log: null };
  #logKey: Promise<string> | undefined;
  readonly #options: BridgeOptions;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#http = new Http(options);
  }

  /** Listings of the sites that the registry verified, the best first. */
  async listings(query: string, options: SearchOptions = {}): Promise<Listing[]> {
    const { near, minRing, minNeutrality, minRelevance, signal, ...same } = options;
    const sent: SearchQuery = {
      q: query,
      ...same,
      ...(near !== undefined && { location: near }),
      ...(minRing !== undefined && { trust_ring: minRing as SearchQuery["trust_ring"] & {} }),
      ...(minNeutrality !== undefined && { min_neutrality: minNeutrality }),
      ...(minRelevance !== undefined && { min_relevance: minRelevance }),
    };
    const { results } = await this.#http.get<SearchReply>("/api/discovery/search", {
      query: sent,
      bearer: this.#options.token,
      signal,
    });
    return results;
  }

  /** What the registry says of a site, and why. */
  async verdict(domain: string): Promise<VerdictReply> {
    return this.#http.get(`/api/registry/sites/${encodeURIComponent(domain)}`, {
      bearer: this.#options.token,
    });
  }

  /** A page of a registered site as Markdown, without a session. @param path begins with "/" */
  async page(domain: string, path = "/", { maxTokens, offset }: PageOptions = {}): Promise<ReadPage> {
    return this.#http.get("/api/bridge/read-page", {
      query: { siteId: domain, url: path, max_tokens: maxTokens, offset },
      bearer: this.#options.token,
    });
  }

  /** Opens a session, with the license of the wallet here, else with that of the account's wallet. */
  async open(domain: string, options: OpenOptions = {}): Promise<Session> {
    const authenticate = () => this.#authenticate(domain, options);
    return new Session(this.#http, domain, authenticate, await authenticate());
  }

  /**
   * Checks here, without trusting the registry, that a site is what it is said to be.
   * @throws VerificationError with the step that failed
   */
  async verify(domain: string, options: VerifyOptions = {}): Promise<Verification> {
    const host = canonicalHost(domain);
    const seen = options.seen ?? this.#options.verify?.seen ?? this.#seen;
    const given = { ...this.#options.verify, ...options };
    const since = seen.log;
    const query = since && since.size > 0 ? { log_size: since.size } : undefined;
    const path = `/api/registry/sites/${encodeURIComponent(host)}/evidence`;
    const [evidence, logKey] = await Promise.all([
      this.#http.get<EvidenceReply>(path, { query, bearer: this.#options.token }),
      given.logKey ?? this.#ownLogKey(),
    ]);
    // The proof leads from the state that was asked with.
    const own: Seen = { sites: seen.sites, log: since };
    const checked = { ...given, logKey, seen: own, pinned: given.logKey !== undefined };
    const verified = await verifyEvidence(evidence, host, checked);
    keepNewest(seen, own.log!);
    return verified;
  }

  /**
   * History of a site's verdict, or of one of its services: checked here, entry by entry.
   * @throws VerificationError with the step that failed
   */
  async observations(
    domain: string,
    options: Omit<ObservationsOptions, "logKey" | "seen"> & Pick<VerifyOptions, "logKey" | "seen"> = {},
  ): Promise<ObservedHistory> {
    const host = canonicalHost(domain);
    const { service, follows } = options;
    const given = { ...this.#options.verify, ...options };
    const seen = given.seen ?? this.#seen;
    const since = seen.log;
    const query = {
      ...(service && { subject: await subjectSha256(host, service) }),
      ...(follows && { cursor: String(follows.index) }),
      ...(since && since.size > 0 && { log_size: since.size }),
    };
    const path = `/api/registry/sites/${encodeURIComponent(host)}/observations`;
    const [answer, logKey] = await Promise.all([
      this.#http.get<ObservationsReply>(path, { query, bearer: this.#options.token }),
      given.logKey ?? this.#ownLogKey(),
    ]);
    const pinned = given.logKey !== undefined;
    const history = await verifyObservations(answer, host, { ...options, logKey, seen: since, pinned });
    keepNewest(seen, history.log);
    return history;
  }

  /** The log's key as the registry first said it. */
  #ownLogKey(): Promise<string> {
    this.#logKey ??= this.#http.text("/.well-known/bridge-log/key");
    this.#logKey.catch(() => {
      this.#logKey = undefined;
    });
    return this.#logKey;
  }

  /** Asks the owner for access. The same request again is the same request. */
  async requestAccess(domain: string, options: AccessOptions): Promise<AccessRequest> {
    const { purpose, permissions } = options;
    return this.#http.post("/api/bridge/access-requests", {
      bearer: this.#agentToken("ask for access"),
      body: { domain, purpose, ...(permissions && { permissions }) },
      idempotencyKey: crypto.randomUUID(),
    });
  }

  async accessRequest(requestId: string): Promise<AccessRequest> {
    return this.#http.get(`/api/bridge/access-requests/${encodeURIComponent(requestId)}`, {
      bearer: this.#agentToken("read its requests"),
    });
  }

  /** Takes an approved license, once: into the account's wallet, or as the reply. */
  async collect(requestId: string, to: "wallet" | "reply" = "wallet"): Promise<Record<string, unknown>> {
    return this.#http.post(`/api/bridge/access-requests/${encodeURIComponent(requestId)}/collect`, {
      bearer: this.#agentToken("collect a license"),
      body: { to },
      idempotencyKey: crypto.randomUUID(),
    });
  }

  /** What the agent has sent to sites that had an effect, over all sessions that its token opened, the newest first. */
  async receipts(): Promise<Receipt[]> {
    const bearer = this.#agentToken("read its receipts");
    return (await this.#http.get<ReceiptsReply>("/api/bridge/receipts", { bearer })).receipts;
  }

  /** Scans an address, a page or a text before an agent reads it. */
  async scan(input: ScanBody): Promise<ScanReply> {
    // Scanning changes nothing, so a second scan for one that was lost does no harm.
    return this.#http.post("/api/v1/firewall/scan", {
      bearer: this.#options.apiKey ?? this.#options.token,
      body: input,
      idempotencyKey: crypto.randomUUID(),
    });
  }

  /** What a product cost, and whether a reduction is one. */
  async priceHistory(
    platform: string,
    productId: string,
    query: PriceHistoryQuery = {},
  ): Promise<PriceHistoryReply> {
    const path = `/api/v1/price/history/${encodeURIComponent(platform)}/${encodeURIComponent(productId)}`;
    return this.#http.get(path, { query, bearer: this.#options.apiKey ?? this.#options.token });
  }

  /**
   * Calls a tool of `/mcp`, which knows no sessions of its own: one message is one request, and may be sent again.
   * @internal Tools call it.
   */
  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<SentResult> {
    const { wallet = {}, token, apiKey } = this.#options;
    const domain = name === "open_session" ? String(args.domain) : "";
    const license = Object.hasOwn(wallet, domain) ? wallet[domain] : undefined;
    const { result } = await this.#http.post<{ result: SentResult }>("/mcp", {
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: args,
          _meta: {
            [`${META}protocolVersion`]: REVISION,
            [`${META}clientInfo`]: { name: "agent-web-bridge-sdk", version: "1.2.0" },
            [`${META}clientCapabilities`]: {},
            ...(license !== undefined && { "bridge/license": license }),
          },
        },
      },
      bearer: token,
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": "tools/call",
        "mcp-name": name,
        ...(apiKey !== undefined && { "x-bridge-key": apiKey }),
      },
      failureIn: failureOf,
    });
    return result;
  }

  #agentToken(what: string): string {
    const { token } = this.#options;
    if (token !== undefined) return token;
    throw new AuthenticationError(`Only an agent can ${what}, and there is no agent's token.`, {
      code: "authentication_required",
      next: "Make an agent in its owner's account (POST /api/account/keys), and give its token as `token`.",
    });
  }

  async #authenticate(domain: string, { purpose, permissions }: OpenOptions): Promise<SessionGrant> {
    const { wallet = {}, token, agent } = this.#options;
    const licenseKey = Object.hasOwn(wallet, domain) ? wallet[domain] : undefined;
    if (licenseKey === undefined && token === undefined)
      throw new AuthenticationError(`There is no license for ${domain}.`, {
        code: "license_missing",
        next: `Add one to the wallet, or ask for one: requestAccess("${domain}", …).`,
      });
    const { session } = await this.#http.post<AuthenticateReply>("/api/bridge/authenticate", {
      body: {
        ...(licenseKey === undefined ? { siteId: domain } : { licenseKey }),
        ...(agent?.id !== undefined && { agentId: agent.id }),
        ...(agent?.name !== undefined && { agentName: agent.name }),
        ...(purpose !== undefined && { purpose }),
        ...(permissions && { permissions }),
      },
      bearer: licenseKey === undefined ? token : undefined,
      // A session that nobody uses does no harm: this may be sent again.
      idempotencyKey: crypto.randomUUID(),
    });
    return session;
  }
}

/** Revision of the Model Context Protocol. */
const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";

/** Another call may have seen a later state since. */
function keepNewest(seen: Seen, log: LogState): void {
  if (!seen.log || seen.log.origin !== log.origin || log.size > seen.log.size) seen.log = log;
}

/** Lower case, A-labels, without a final dot: as evidence names a site. */
function canonicalHost(domain: string): string {
  try {
    return new URL(`https://${domain.trim()}`).hostname.replace(/\.$/, "");
  } catch {
    throw new InvalidRequestError(`${domain} is no domain.`, {
      code: "invalid_domain",
      next: "Send a domain such as shop.example.",
    });
  }
}

/** What went wrong in a call of a tool whose reply came: the protocol answers 200 all the same. */
function failureOf(reply: unknown): SaidProblem | undefined {
  const { result, error } = reply as {
    result?: { isError?: boolean; _meta?: Record<string, unknown> };
    error?: { message?: string };
  };
  if (result?.isError) return result._meta?.["bridge/error"] as SaidProblem;
  const detail = error?.message ?? "The reply is none of the protocol.";
  return result ? undefined : ({ status: 400, code: "invalid_reply", detail } as SaidProblem);
}
