/** An upstream query: one question to the configured servers, until one gives a usable answer or none is left. */
import { setMaxListeners } from "node:events";
import { acquire, Semaphore } from "../../concurrency/semaphore.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DnsFailure, DnssecState } from "../../ports/dns.ts";
import { type Exchange, failedExchange, type ServerAddress } from "./exchange.ts";
import { type DnsMessage, RCODE } from "./message.ts";
import { encodeQuery, type QueryOptions, type QueryType } from "./query.ts";
import { isReferral } from "./reading.ts";
import { ServerHealth, type TimeoutBounds } from "./servers.ts";
import { exchangeTcp } from "./tcp.ts";
import { exchangeUdp } from "./udp.ts";

/** A NOERROR or NXDOMAIN answer, or why there is none. */
export type UpstreamAnswer =
  | { ok: true; message: DnsMessage; dnssec: DnssecState }
  | { ok: false; reason: DnsFailure; detail: string };

export interface UpstreamQueryOptions extends TimeoutBounds {
  servers: ServerAddress[];
  validating: boolean;
  clock: Clock;
}

interface Server {
  address: ServerAddress;
  health: ServerHealth;
}

type Failed = Extract<Exchange, { kind: "failed" }>;

const TRIES_PER_SERVER = 2;
const MAX_TCP = 64;
const MAX_TCP_WAITING = 4096;
/** RFC 8914: bogus, signature expired, not yet valid, no DNSKEY, no RRSIG, no zone key, no NSEC, expired before valid. */
const BOGUS_ERRORS = new Set([6, 7, 8, 9, 10, 11, 12, 25]);
const BADVERS = 16;
/** What tells most about a lookup that failed everywhere comes first. */
const TELLING: DnsFailure[] = ["bogus", "servfail", "refused", "malformed", "timeout", "unreachable"];
const CLOSED = failedExchange("unreachable", "the resolver is closed");

export class UpstreamQuery {
  readonly #options: UpstreamQueryOptions;
  readonly #clock: Clock;
  readonly #servers: Server[];
  readonly #tcpConnections = new Semaphore(MAX_TCP, MAX_TCP_WAITING);
  readonly #closed = new AbortController();

  constructor(options: UpstreamQueryOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#servers = options.servers.map((address) => ({ address, health: new ServerHealth(options) }));
    // Each exchange under way listens.
    setMaxListeners(0, this.#closed.signal);
  }

  /**
   * Asks, starting no try after `untilMs` (monotonic). Each server is tried at most twice, the healthiest first.
   * @param dnssecOk asks for the signatures over the answer too
   */
  async ask(name: string, type: QueryType, untilMs: number, dnssecOk = false): Promise<UpstreamAnswer> {
    const failures: Failed[] = [];
    // A server that answered with an error has said what it knows.
    const spent = new Set<Server>();
    let edns = true;
    for (let round = 0; round < TRIES_PER_SERVER; round++) {
      for (const server of this.#inOrder()) {
        if (spent.has(server)) continue;
        const timeoutMs = Math.min(server.health.timeoutMs(round), untilMs - this.#clock.monotonicMs());
        if (timeoutMs <= 0) break;
        const exchange = await this.#try(server, name, type, { edns, dnssecOk }, timeoutMs);
        if (this.#closed.signal.aborted) return asFailure(CLOSED);
        if (exchange.kind === "failed") {
          failures.push(exchange);
          continue;
        }
        const asked = await this.#judge(server, name, type, exchange.message, timeoutMs);
        if (asked.kind === "message") return this.#answer(asked.message);
        if (asked.reason === "bogus") return asFailure(asked);
        failures.push(asked);
        // RFC 6891 section 7: it may not know EDNS, and gets its second try without.
        if (edns && isEdnsTrouble(exchange.message)) edns = false;
        else spent.add(server);
      }
    }
    return asFailure(mostTelling(failures));
  }

  close(): void {
    this.#closed.abort();
  }

  /** The rested before the resting, then by mean latency; as configured where that says nothing. */
  #inOrder(): Server[] {
    if (this.#servers.length === 1) return this.#servers;
    const nowMs = this.#clock.monotonicMs();
    const rank = ({ health }: Server) => (health.isResting(nowMs) ? 1 : 0);
    return this.#servers.toSorted((a, b) => rank(a) - rank(b) || a.health.meanMs - b.health.meanMs);
  }

  /** One try: a datagram, then TCP where the datagram said so. */
  async #try(
    server: Server,
    name: string,
    type: QueryType,
    options: QueryOptions,
    timeoutMs: number,
  ): Promise<Exclude<Exchange, { kind: "case_differs" }>> {
    if (this.#closed.signal.aborted) return CLOSED;
    const startMs = this.#clock.monotonicMs();
    const exchange = await exchangeUdp(
      server.address,
      encodeQuery(name, type, options),
      timeoutMs,
      this.#closed.signal,
    );
    const nowMs = this.#clock.monotonicMs();
    if (exchange.kind === "failed") {
      if (exchange.reason === "unreachable") server.health.unreachable(nowMs);
      else server.health.timedOut(nowMs - startMs, nowMs);
      return exchange;
    }
    server.health.answered(nowMs - startMs);
    if (exchange.kind === "message" && !exchange.message.truncated) return exchange;
    return this.#tryTcp(server, name, type, options);
  }

  async #tryTcp(
    server: Server,
    name: string,
    type: QueryType,
    options: QueryOptions,
  ): Promise<Exclude<Exchange, { kind: "case_differs" }>> {
    if ((await acquire(this.#tcpConnections)) === "full")
      return failedExchange("unreachable", "too many queries wait for TCP");
    try {
      if (this.#closed.signal.aborted) return CLOSED;
      // A connection takes two round trips more than a datagram: it gets a second try's time.
      const timeoutMs = server.health.timeoutMs(1);
      const query = encodeQuery(name, type, options);
      const exchange = await exchangeTcp(server.address, query, timeoutMs, this.#closed.signal);
      return exchange.kind === "case_differs" ? failedExchange("malformed", "not our question") : exchange;
    } finally {
      this.#tcpConnections.release();
    }
  }

  /** Whether a message answers at all; a validating server's SERVFAIL is looked into. */
  async #judge(
    server: Server,
    name: string,
    type: QueryType,
    message: DnsMessage,
    timeoutMs: number,
  ): Promise<Failed | { kind: "message"; message: DnsMessage }> {
    if (isAnswer(message)) return { kind: "message", message };
    if (message.rcode === RCODE.REFUSED)
      return failedExchange("refused", "the name server refuses to answer");
    if (message.rcode === RCODE.NOERROR) return failedExchange("servfail", "a referral instead of an answer");
    if (message.rcode !== RCODE.SERVFAIL)
      return failedExchange("servfail", `the name server says rcode ${message.rcode}`);
    const servfail = failedExchange("servfail", "the name server failed to find out");
    if (!this.#options.validating) return servfail;
    const bogus = failedExchange("bogus", "DNSSEC validation failed");
    if (message.extendedErrors.some((code) => BOGUS_ERRORS.has(code))) return bogus;
    // It said why, and it is not validation.
    if (message.extendedErrors.length > 0) return servfail;
    // Older servers say no reason. Answered with checking disabled and again not without: validation it was.
    const unchecked = await this.#try(server, name, type, { checkingDisabled: true }, timeoutMs);
    if (unchecked.kind === "failed" || !isAnswer(unchecked.message)) return servfail;
    const again = await this.#try(server, name, type, {}, timeoutMs);
    if (again.kind === "failed") return servfail;
    if (isAnswer(again.message)) return again;
    return again.message.rcode === RCODE.SERVFAIL ? bogus : servfail;
  }

  #answer(message: DnsMessage): UpstreamAnswer {
    const validated = message.authentic ? "secure" : "insecure";
    return { ok: true, message, dnssec: this.#options.validating ? validated : "unknown" };
  }
}

/** A referral answers nothing: a resolver that does not resolve sends it. */
const isAnswer = (message: DnsMessage): boolean =>
  message.rcode === RCODE.NXDOMAIN || (message.rcode === RCODE.NOERROR && !isReferral(message));

const isEdnsTrouble = ({ rcode }: DnsMessage): boolean =>
  rcode === RCODE.FORMERR || rcode === RCODE.NOTIMP || rcode === BADVERS;

const asFailure = ({ reason, detail }: Failed): UpstreamAnswer => ({ ok: false, reason, detail });

function mostTelling(failures: Failed[]): Failed {
  for (const reason of TELLING) {
    const failure = failures.find((candidate) => candidate.reason === reason);
    if (failure) return failure;
  }
  return failedExchange("unreachable", "no name server is configured, or no time is left");
}
