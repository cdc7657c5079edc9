/**
 * Polite outgoing requests: every hop holds a lease on its host and its address, waits its turn, and reports its outcome
 * to the gate. Used by whatever reads strangers' sites: the crawl, provider checks, page reads.
 */

import type { Clock } from "../ports/clock.ts";
import type { Fetcher, FetchOptions, FetchResult, Hop, HopEnded, HopPermit } from "../ports/http.ts";
import { DAY_MS } from "../ports/time.ts";
import type { AskerBackOff } from "./asker-back-off.ts";
import { addressGateKey, type Gate, hostGateKey, type Lease } from "./gate.ts";

const ROBOTS_PATH = "/robots.txt";
/** A site slower than this gets proportionally longer pauses, at most this many times the delay. */
const SLOW_MS = 1_000;
const MAX_SLOWDOWN = 10;
/** An address that served this many requests without an error is a large host: it is asked more often. */
const TRUSTED_STREAK = 1_000;
const TRUSTED_IP_DELAY_MS = 50;
const MAX_CRAWL_DELAY_MS = 30_000;
/**
 * The other side notes the end of an exchange later than we do, by its own load and the way back; after one that we
 * broke off, by as much again as it takes to notice. A pause is what the site sees, so it is lengthened by that.
 */
const LENGTHENED = 1.1;
const BROKEN_OFF_MS = 100;
const MAX_RETRY_AFTER_MS = DAY_MS;
/** A visit that lost a lease (its process was stopped for longer than the lease) is tried again after this long. */
const RETRY_LOST_MS = 5_000;

export interface PoliteOptions {
  gate: Gate;
  fetcher: Fetcher;
  /** Broker milliseconds. */
  now: () => number;
  /** The most that `now` may be off, milliseconds. */
  clockErrorMs: () => number;
  clock: Clock;
  /** Duration of the gate's leases: no request is sent later than half of it after its leases were confirmed. */
  leaseMs: number;
  hostDelayMs: number;
  ipDelayMs: number;
  /** Where askers' back-off is kept; without it every visit counts as the crawl's. */
  askers?: AskerBackOff;
  /** Why the owner of an address closes it to agents, or undefined; without it nobody closes anything. */
  closed?: (url: URL) => Promise<string | undefined>;
  /** Why robots.txt, read in the visit's own turn, does not let this address be asked for; without it nothing is forbidden. */
  robots?: (visit: Visit, url: URL) => Promise<HopRefusal | undefined>;
}

/** Why a hop is not made. */
export type HopRefusal = Pick<FetchResult & { ok: false }, "failure" | "detail">;

/** `await using` gives its leases back at the end of a block. */
export interface Visit extends AsyncDisposable {
  /** Like Fetcher.fetch, after waiting for this host's and this address's turn. "not_admitted" when neither comes soon. */
  fetch(url: string, options?: FetchOptions): Promise<FetchResult>;
  /** Why robots.txt does not let this address be asked for, or undefined; read in this visit's turn. */
  robotsRefusal(url: URL): Promise<HopRefusal | undefined>;
  /** A pause the site asked for (robots.txt crawl-delay), honored up to 30 s. */
  slowTo(delayMs: number): void;
  /** When a request may be tried again that was not admitted because others hold its place; broker milliseconds. */
  readonly retryAt: number | undefined;
  /**
   * Why requests were held back that says nothing of the site: the gate did not answer (its error), or the host's lease
   * was lost to another visit. What was seen since is not what the site is.
   */
  readonly interruption: { kind: "gate"; error: unknown } | { kind: "overtaken" } | undefined;
  /** Whether the host is still this visit's alone. */
  holds(): boolean;
  /** Keeps the leases of a long visit. */
  renew(): Promise<void>;
  /** Never rejects: a lease that cannot be given back runs out. */
  close(): Promise<void>;
}

/** How a visit differs from the crawl's. */
export interface Manners {
  /**
   * The caller has a schedule of its own for a host that refuses: 429 and 5xx then do not make the gate back off (pauses
   * and Retry-After hold as ever).
   */
  ownBackOff?: boolean;
  /**
   * Who chose what is asked for, where that is not the crawl: 5xx and 429 then make it wait, by path (asker-back-off.ts),
   * and nobody else. Names a group: a network, a license.
   */
  asker?: string;
  /** Reads pages for somebody who asked: what an owner closes to agents is not asked for, at any hop ("closed_to_agents"). */
  forCaller?: boolean;
  /** Reads pages: what robots.txt forbids is not asked for, at any hop ("robots_disallowed"). */
  obeysRobots?: boolean;
  /** Pause after each of this visit's requests, instead of the crawl's; what the site itself asks for holds as ever. */
  hostDelayMs?: number;
}

export interface Polite {
  /** Takes a host for one visit; at most one visit a host is open anywhere, whoever opened it. */
  open(
    host: string,
    maxWaitMs: number,
    signal?: AbortSignal,
    manners?: Manners,
  ): Promise<{ ok: true; visit: Visit } | { ok: false; retryAt: number }>;
}

interface Hold {
  key: string;
  lease: Lease;
  nextAt: number;
  /** 429 or 5xx: this visit asks no more. */
  pushedBack: boolean;
  /** … and nobody else backs off for it. */
  spared?: boolean;
  failed: boolean;
}

const isPushBack = (status: number | undefined): boolean =>
  status === 429 || (status !== undefined && status >= 500);

/** Longest exchange where the caller sets no bound (src/ports/http.ts, FetchOptions). */
const FETCH_TIMEOUT_MS = 10_000;

class PoliteVisit implements Visit {
  retryAt: number | undefined;
  interruption: Visit["interruption"];
  readonly #host: Hold;
  readonly #options: PoliteOptions & Manners;
  readonly #maxWaitMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #hosts = new Map<string, Hold>();
  #address: Hold | undefined;
  #delayMs: number;

  constructor(
    options: PoliteOptions & Manners,
    host: string,
    lease: Lease,
    maxWaitMs: number,
    signal?: AbortSignal,
  ) {
    this.#options = options;
    this.#maxWaitMs = maxWaitMs;
    this.#signal = signal;
    this.#delayMs = options.hostDelayMs;
    this.#host = this.#holdOf(hostGateKey(host), lease, this.#delayMs);
    this.#hosts.set(host, this.#host);
  }

  holds(): boolean {
    return this.#host.lease.until > this.#latest();
  }

  slowTo(delayMs: number): void {
    this.#delayMs = Math.max(this.#delayMs, Math.min(delayMs, MAX_CRAWL_DELAY_MS / LENGTHENED));
    const now = this.#latest();
    for (const hold of this.#hosts.values())
      if (hold.nextAt > 0) hold.nextAt = Math.max(hold.nextAt, now + this.#delayMs * LENGTHENED);
  }

  async robotsRefusal(url: URL): Promise<HopRefusal | undefined> {
    return this.#options.robots?.(this, url);
  }

  async fetch(url: string, options: FetchOptions = {}): Promise<FetchResult> {
    const signal =
      this.#signal && options.signal ? AbortSignal.any([this.#signal, options.signal]) : this.#signal;
    const { fetcher, leaseMs } = this.#options;
    const own = {
      ...options,
      ...(signal && { signal }),
      timeoutMs: Math.min(options.timeoutMs ?? FETCH_TIMEOUT_MS, leaseMs / 2),
      admit: (hop: Hop) => this.#admit(hop),
    };
    const first = URL.parse(url);
    const refusing = this.#refusing(first?.pathname === ROBOTS_PATH);
    return first && refusing ? fetchWhere(refusing, fetcher, first, own) : fetcher.fetch(url, own);
  }

  /** Who is asked before each hop; undefined when nobody is. robots.txt itself may always be asked for (RFC 9309 section 2.2.2). */
  #refusing(isRobots: boolean): ((url: URL) => Promise<HopRefusal | undefined>) | undefined {
    const { forCaller, obeysRobots } = this.#options;
    const closed = forCaller ? this.#options.closed : undefined;
    const robots = obeysRobots && !isRobots;
    if (!closed && !robots) return undefined;
    return async (url) => {
      const detail = await closed?.(url);
      if (detail !== undefined) return { failure: "closed_to_agents", detail };
      return robots ? this.robotsRefusal(url) : undefined;
    };
  }

  async renew(): Promise<void> {
    const holds = [...this.#hosts.values(), ...(this.#address ? [this.#address] : [])];
    const kept = await Promise.all(holds.map(({ lease }) => lease.renew()));
    if (kept.every(Boolean)) return;
    // Another may be sending by now: this visit must not.
    this.#interrupt({ kind: "overtaken" });
    this.retryAt ??= this.#options.now() + RETRY_LOST_MS;
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#releaseAddress(),
      ...[...this.#hosts.values()].map((hold) => this.#release(hold)),
    ]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #admit(hop: Hop): Promise<HopPermit | undefined> {
    if (!(await this.#mayAsk(hop.url))) return undefined;
    const host = await this.#hold(hop.url.hostname);
    if (!host || host.pushedBack || this.interruption) return undefined;
    await this.#wait(host.nextAt);
    const address = await this.#holdAddress(hop.address);
    if (!address) return undefined;
    await this.#wait(address.nextAt);
    if (!(await this.#isOurs(host)) || !(await this.#isOurs(address))) return undefined;
    return {
      holds: () => this.#bothHold(host, address),
      ended: (ended) => this.#ended(hop.url, host, address, ended),
    };
  }

  async #mayAsk(url: URL): Promise<boolean> {
    const { asker, askers } = this.#options;
    if (asker === undefined || !askers) return true;
    const until = await askers
      .restsUntil(asker, url)
      .catch((error: unknown) => this.#interrupt({ kind: "gate", error }));
    if (until === 0) return true;
    if (until !== undefined) this.retryAt = until;
    return false;
  }

  /** By the clock alone: a renewal that was answered before this process stood still says nothing of now. */
  #bothHold(host: Hold, address: Hold): boolean {
    const latest = this.#latest();
    if (host.lease.until > latest && address.lease.until > latest) return true;
    this.#interrupt({ kind: "overtaken" });
    this.retryAt ??= latest + RETRY_LOST_MS;
    return false;
  }

  /** What the broker's clock may show at most, and what it shows at least. */
  #latest(): number {
    return this.#options.now() + this.#options.clockErrorMs();
  }
  #earliest(): number {
    return this.#options.now() - this.#options.clockErrorMs();
  }

  /** A key whose last holder fell silent pauses as after a request: it may have sent until its lease expired. */
  #holdOf(key: string, lease: Lease, delayMs: number): Hold {
    const nextAt = lease.expiredAt === 0 ? 0 : lease.expiredAt + delayMs * LENGTHENED;
    return { key, lease, nextAt, pushedBack: false, failed: false };
  }

  async #hold(host: string): Promise<Hold | undefined> {
    const held = this.#hosts.get(host);
    if (held) return held;
    const taken = await this.#take(hostGateKey(host), this.#delayMs);
    if (taken) this.#hosts.set(host, taken);
    return taken;
  }

  async #holdAddress(address: string): Promise<Hold | undefined> {
    const key = addressGateKey(address);
    if (this.#address?.key === key) return this.#address;
    await this.#releaseAddress();
    this.#address = await this.#take(key, this.#options.ipDelayMs);
    return this.#address;
  }

  /** A process that was stopped for a while wakes up with leases that others have taken since. */
  async #isOurs({ lease }: Hold): Promise<boolean> {
    if (lease.until - this.#latest() >= this.#options.leaseMs / 2) return true;
    const kept = await lease.renew().catch((error: unknown) => this.#interrupt({ kind: "gate", error }));
    if (kept === false) this.#interrupt({ kind: "overtaken" });
    return kept === true;
  }

  #interrupt(why: NonNullable<Visit["interruption"]>): undefined {
    this.interruption ??= why;
  }

  async #take(key: string, delayMs: number): Promise<Hold | undefined> {
    const entry = await this.#options.gate
      .enter(key, this.#maxWaitMs, this.#signal)
      .catch((error: unknown) => this.#interrupt({ kind: "gate", error }));
    if (!entry) return undefined;
    if (entry.ok) return this.#holdOf(key, entry.lease, delayMs);
    this.retryAt = entry.retryAt;
    return undefined;
  }

  async #wait(untilMs: number): Promise<void> {
    const ms = untilMs - this.#earliest();
    if (ms > 0) await this.#options.clock.sleep(Math.ceil(ms), this.#signal);
  }

  async #ended(url: URL, host: Hold, address: Hold, ended: HopEnded): Promise<void> {
    const slowdown = Math.min(MAX_SLOWDOWN, Math.max(1, ended.tookMs / SLOW_MS));
    const { asker, askers, ownBackOff } = this.#options;
    const forOther = asker !== undefined && askers !== undefined;
    const saidMs = retryAfterMs(ended.retryAfter, this.#options.clock.now());
    const pushedBack = isPushBack(ended.status) && !ownBackOff;
    // A page that a stranger chose speaks of that page and that stranger: what it asks for is no pause for others.
    const askedMs = forOther ? 0 : saidMs;
    const brokenOffMs = ended.failure === undefined || this.#delayMs === 0 ? 0 : BROKEN_OFF_MS;
    // Where none is asked for, the clock's error must not become a pause.
    const after = (pauseMs: number) => (pauseMs > 0 ? this.#latest() + pauseMs : this.#earliest());
    host.nextAt = after(brokenOffMs + Math.max(this.#delayMs * LENGTHENED * slowdown, askedMs));
    host.pushedBack = pushedBack;
    host.spared = forOther;
    address.failed = ended.failure !== undefined || host.pushedBack;
    const most = address.lease.streak >= TRUSTED_STREAK ? TRUSTED_IP_DELAY_MS : Number.POSITIVE_INFINITY;
    address.nextAt = after(brokenOffMs + Math.min(this.#options.ipDelayMs, most) * LENGTHENED);
    // Noted last: whatever a broker takes for it, the pauses stand.
    if (forOther && (pushedBack || saidMs > 0))
      await askers.note(asker, url, this.#latest() + saidMs, pushedBack).catch(() => undefined);
    // While this host rests longer than the address must, others of the same address may have their turn.
    if (host.nextAt > address.nextAt) await this.#releaseAddress();
  }

  async #releaseAddress(): Promise<void> {
    const hold = this.#address;
    this.#address = undefined;
    if (hold) await this.#release(hold);
  }

  async #release(hold: Hold): Promise<void> {
    const { nextAt, spared, failed } = hold;
    const pushedBack = hold.pushedBack && !spared;
    await hold.lease.release({ nextAt, pushedBack, failed }).catch(() => undefined);
  }
}

/** Retry-After as seconds or an HTTP date (RFC 9110 section 10.2.3), in milliseconds from now. */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (!value) return 0;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : 0;
}

/** Binds the guarded client to a gate. */
export const createPolite = (options: PoliteOptions): Polite => ({
  open: async (host, maxWaitMs, signal, manners = {}) => {
    const entry = await options.gate.enter(hostGateKey(host), maxWaitMs, signal);
    if (!entry.ok) return entry;
    const visit = new PoliteVisit({ ...options, ...manners }, host, entry.lease, maxWaitMs, signal);
    return { ok: true, visit };
  },
});

/** A fetch that asks before each hop whether it may be made. */
async function fetchWhere(
  refusing: (url: URL) => Promise<HopRefusal | undefined>,
  fetcher: Fetcher,
  first: URL,
  options: FetchOptions,
): Promise<FetchResult> {
  const refused = await refusing(first);
  if (refused) return { ok: false, url: first.href.slice(0, 2_048), tookMs: 0, ...refused };
  let led: HopRefusal | undefined;
  const result = await fetcher.fetch(first.href, {
    ...options,
    allowRedirect: async (from, to) => {
      led = await refusing(to);
      return led === undefined && (await options.allowRedirect?.(from, to)) !== false;
    },
  });
  return led === undefined || result.ok ? result : { ...result, ...led };
}
