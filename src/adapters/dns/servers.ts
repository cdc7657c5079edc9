/** Which name servers to ask, in which order, and how long to wait for each. */
import { getServers } from "node:dns";
import { isIP } from "node:net";
import type { ServerAddress } from "./exchange.ts";

const DEFAULT_PORT = 53;

/** Tries in a row without an answer after which a server is taken for dead. */
const DEAD_AFTER = 4;
const REST_MS = 5_000;
const FIRST_TIMEOUT_MS = 1_000;
/** A first try is short, so that a lost datagram costs little; the last leaves a resolver time to walk a slow zone. */
const SECOND_TRY_FACTOR = 4;

export interface TimeoutBounds {
  minTimeoutMs: number;
  maxTimeoutMs: number;
}

/** What experience says of one server. */
export class ServerHealth {
  readonly #bounds: TimeoutBounds;
  /** Exponentially weighted, newest sample 1/8 (as RFC 6298 does for round trips). */
  #meanMs: number | undefined;
  #unansweredInRow = 0;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: TimeoutBounds) {
    this.#bounds = bounds;
  }

  get meanMs(): number {
    return this.#meanMs ?? 0;
  }

  isResting(nowMs: number): boolean {
    return nowMs < this.#restsUntilMs;
  }

  /** Five times the mean latency, within the bounds; four times that for a second try. */
  timeoutMs(round: number): number {
    const { minTimeoutMs, maxTimeoutMs } = this.#bounds;
    const base = this.#meanMs === undefined ? FIRST_TIMEOUT_MS : 5 * this.#meanMs;
    const bounded = Math.min(maxTimeoutMs, Math.max(minTimeoutMs, base));
    return Math.min(maxTimeoutMs, round === 0 ? bounded : bounded * SECOND_TRY_FACTOR);
  }

  answered(tookMs: number): void {
    this.#sample(tookMs);
    this.#unansweredInRow = 0;
    this.#restsUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** No answer in `waitedMs`: it takes at least as long as that. */
  timedOut(waitedMs: number, nowMs: number): void {
    this.#sample(waitedMs);
    this.unreachable(nowMs);
  }

  /** Not even a wait: the system says that it cannot be reached. */
  unreachable(nowMs: number): void {
    if (++this.#unansweredInRow >= DEAD_AFTER) this.#restsUntilMs = nowMs + REST_MS;
  }

  #sample(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + (ms - this.#meanMs) / 8;
  }
}

/** The system's name servers (node:dns getServers, that is resolv.conf or its like). */
export const systemDnsServers = (): ServerAddress[] =>
  getServers()
    .map(parseDnsServer)
    .filter((server) => server !== undefined);

/** "192.0.2.1", "192.0.2.1:5353", "2001:db8::1" or "[2001:db8::1]:5353"; undefined for anything else. */
export function parseDnsServer(text: string): ServerAddress | undefined {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const port = portText === undefined ? DEFAULT_PORT : Number(portText);
  if (isIP(address) === 0 || port < 1 || port > 65_535) return undefined;
  return { address, port };
}
