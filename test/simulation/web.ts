/**
 * The web of a simulation: sites that sign, lapse, fail and are slow, by virtual time, behind the ports of DNS and HTTP.
 * Sites note when each request began and ended, and so judge whether their visitor is polite.
 */
import { createHash } from "node:crypto";
import { type KeyPair, keyFromSeed } from "../../src/domain/trust/ed25519.ts";
import { signDocument } from "../../src/domain/trust/manifest.ts";
import { formatTxtRecord } from "../../src/domain/trust/txt-record.ts";
import type { DnsAnswer, Resolver } from "../../src/ports/dns.ts";
import type { Fetcher, FetchFailure, FetchOptions, FetchResult, HopEnded } from "../../src/ports/http.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Random } from "../../world/random.ts";
import { documentOf } from "../workers/crawler/observations.ts";
import { EPOCH_MS, type Machine, type World } from "./virtual-time.ts";

/** What a site does over the years. */
export const KINDS = ["steady", "changing", "lapsing", "unsigned", "flaky", "slow", "away", "gone"] as const;
/** "late": each request takes about as long as a lease; asked for by name alone. */
export type Kind = (typeof KINDS)[number] | "late";

const MANIFEST_LIFE_MS = 30 * DAY_MS;
/** A site's owner signs anew at half of a manifest's life. */
const SIGN_EVERY_MS = MANIFEST_LIFE_MS / 2;
/** A lapsing site is signed for so long, and then no more. */
const LAPSES_AFTER_MS = 5 * DAY_MS;
/** A lease of the gate. */
const LATE_MS = 20_000;

export interface Site {
  host: string;
  kind: Kind;
  address: string;
  /** When its manifest of now ends, wall milliseconds; undefined where it has none. */
  validUntil(nowMs: number): number | undefined;
}

interface Exchange {
  site: SimulatedSite;
  who: string;
  beganAt: number;
  endedAt: number | undefined;
}

export interface Rudeness {
  rule: "host at once" | "host pause" | "address at once" | "address pause";
  host: string;
  who: string;
  before: string;
  atMs: number;
  /** How long the pause was; negative: they overlapped by so much. */
  gapMs: number;
}

class SimulatedSite implements Site {
  readonly host: string;
  readonly kind: Kind;
  readonly address: string;
  readonly key: KeyPair;
  readonly #bornMs: number;
  #signed: { epoch: number; body: Buffer; etag: string } | undefined;

  constructor(host: string, kind: Kind, address: string) {
    this.host = host;
    this.kind = kind;
    this.address = address;
    this.key = keyFromSeed(createHash("sha256").update(host).digest());
    this.#bornMs = EPOCH_MS - DAY_MS;
  }

  /** Number of the manifest of now: each is of another time. */
  #epoch(nowMs: number): number {
    const everyMs = this.kind === "changing" ? DAY_MS : SIGN_EVERY_MS;
    const signedUntil = this.kind === "lapsing" ? this.#bornMs + LAPSES_AFTER_MS : Number.POSITIVE_INFINITY;
    return Math.floor((Math.min(nowMs, signedUntil - 1) - this.#bornMs) / everyMs);
  }

  #issuedMs(epoch: number): number {
    return this.#bornMs + epoch * (this.kind === "changing" ? DAY_MS : SIGN_EVERY_MS);
  }

  #lifeMs(): number {
    return this.kind === "lapsing" ? LAPSES_AFTER_MS : MANIFEST_LIFE_MS;
  }

  validUntil(nowMs: number): number | undefined {
    if (this.kind === "unsigned" || this.kind === "gone") return undefined;
    return this.#issuedMs(this.#epoch(nowMs)) + this.#lifeMs();
  }

  document(nowMs: number): { body: Buffer; etag: string } {
    const epoch = this.#epoch(nowMs);
    if (this.#signed?.epoch === epoch) return this.#signed;
    const issuedMs = this.#issuedMs(epoch);
    const description = this.kind === "changing" ? `Kettles, list ${epoch}.` : "Kettles.";
    const plain = documentOf({
      provider: { name: "Shop", domain: this.host, category: "retail", description },
    });
    const signed =
      this.kind === "unsigned"
        ? plain
        : signDocument(plain, this.key, {
            endpoint: `https://${this.host}`,
            issuedAt: iso(issuedMs),
            expiresAt: iso(issuedMs + this.#lifeMs()),
            serial: epoch + 1,
            trustProfile: { capabilities: [], constraints: [], ttl_seconds: 3_600 },
          });
    this.#signed = { epoch, body: Buffer.from(JSON.stringify(signed)), etag: `"${epoch}"` };
    return this.#signed;
  }

  txt(): string[] {
    if (this.kind === "gone") return [];
    return [formatTxtRecord({ publicKey: this.key.publicKey, endpoint: `https://${this.host}` })];
  }
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** An address that served so many requests is a large host, and may be asked this often (src/egress/polite.ts). */
const TRUSTED_AFTER = 1_000;
const TRUSTED_PAUSE_MS = 50;

/** Clocks tick in fractions; what is shorter is no rudeness. */
const TOLERANCE_MS = 0.001;

export class SimulatedWeb {
  readonly sites = new Map<string, SimulatedSite>();
  readonly rude: Rudeness[] = [];
  requests = 0;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #lastOfHost = new Map<string, Exchange>();
  readonly #lastOfAddress = new Map<string, Exchange>();
  readonly #open = new Set<Exchange>();
  readonly #served = new Map<string, number>();
  readonly #pauses: { hostMs: number; addressMs: number };

  /** @param perAddress hosts that share an address */
  constructor(
    world: World,
    hosts: number,
    kinds: readonly Kind[],
    pauses: { hostMs: number; addressMs: number },
    perAddress = 3,
  ) {
    this.#world = world;
    this.#machine = world.machine("web");
    this.#random = world.randomFor("sites");
    this.#pauses = pauses;
    for (let i = 0; i < hosts; i++) {
      const host = `site-${i}.example`;
      const address = `192.0.${2 + Math.floor(i / perAddress / 250)}.${1 + (Math.floor(i / perAddress) % 250)}`;
      this.sites.set(host, new SimulatedSite(host, kinds[i % kinds.length]!, address));
    }
  }

  /** Wall milliseconds of sites: they know the time. */
  get nowMs(): number {
    return EPOCH_MS + this.#world.now;
  }

  // ------------------------------------------------------------ what sites see

  #judge(site: SimulatedSite, who: string, last: Exchange | undefined, of: "host" | "address"): void {
    if (!last) return;
    const { now } = this.#world;
    const gapMs = now - (last.endedAt ?? now);
    const isTrusted = (this.#served.get(site.address) ?? 0) >= TRUSTED_AFTER;
    const addressMs = isTrusted ? TRUSTED_PAUSE_MS : this.#pauses.addressMs;
    const pauseMs = of === "host" ? this.#pauses.hostMs : addressMs;
    if (last.endedAt !== undefined && gapMs >= pauseMs - TOLERANCE_MS) return;
    const rule = last.endedAt === undefined ? (`${of} at once` as const) : (`${of} pause` as const);
    const found = { host: site.host, who, before: last.who, atMs: now };
    this.rude.push({ rule, ...found, gapMs: last.endedAt === undefined ? last.beganAt - now : gapMs });
  }

  #began(site: SimulatedSite, who: string): Exchange {
    this.requests++;
    this.#judge(site, who, this.#lastOfHost.get(site.host), "host");
    this.#judge(site, who, this.#lastOfAddress.get(site.address), "address");
    const exchange: Exchange = { site, who, beganAt: this.#world.now, endedAt: undefined };
    this.#open.add(exchange);
    this.#lastOfHost.set(site.host, exchange);
    this.#lastOfAddress.set(site.address, exchange);
    this.#served.set(site.address, (this.#served.get(site.address) ?? 0) + 1);
    this.#world.note(`request ${site.host} ${who}`);
    return exchange;
  }

  #answer(site: SimulatedSite, url: URL, options: FetchOptions): Answer {
    const random = this.#random.next();
    if (site.kind === "flaky" && random < 0.2)
      return { status: random < 0.1 ? 503 : 429, headers: {}, body: NOTHING };
    if (url.pathname !== "/.well-known/bridge.json") return { status: 404, headers: {}, body: NOTHING };
    const { body, etag } = site.document(this.nowMs);
    if (options.headers?.["if-none-match"] === etag) return { status: 304, headers: { etag }, body: NOTHING };
    return { status: 200, headers: { "content-type": "application/json", etag }, body };
  }

  #serviceMs({ kind }: SimulatedSite): number {
    if (kind === "late") return LATE_MS * (0.4 + 0.6 * this.#random.next());
    const ms = 5 + 50 * this.#random.next();
    return kind === "slow" ? ms * (this.#random.next() < 0.1 ? 200 : 10) : ms;
  }

  /** A site that is away takes no connections, for days at a time. */
  isAway({ kind, host }: Site): boolean {
    if (kind !== "away") return false;
    const days = Math.floor(this.#world.now / DAY_MS) + host.length;
    return days % 12 < 4;
  }

  // ------------------------------------------------------------ the ports of one visitor

  resolver(machine: Machine): Resolver {
    const answer = async <T>(records: T[], name: string): Promise<DnsAnswer<T>> => {
      await machine.clock.sleep(1 + 20 * machine.random.next());
      const known = this.sites.has(name.replace(/^_bridge\./, ""));
      return records.length > 0
        ? { outcome: "found", records, ttlSeconds: 60, dnssec: "insecure" }
        : { outcome: "none", nxdomain: !known, ttlSeconds: 60, dnssec: "insecure" };
    };
    return {
      txt: (name) => answer(this.sites.get(name.replace(/^_bridge\./, ""))?.txt() ?? [], name),
      addresses: (name) => {
        const site = this.sites.get(name);
        return answer(site ? [site.address] : [], name);
      },
      caa: (name) => answer<string>([], name),
      nameServers: (name) => answer<string>([], name),
      close: () => undefined,
    };
  }

  fetcher(machine: Machine): Fetcher {
    return {
      fetch: (url, options = {}) => this.#fetch(machine, new URL(url), options),
      close: async () => undefined,
    };
  }

  async #fetch(machine: Machine, url: URL, options: FetchOptions): Promise<FetchResult> {
    const startedMs = machine.clock.monotonicMs();
    const tookMs = (): number => machine.clock.monotonicMs() - startedMs;
    const site = this.sites.get(url.hostname);
    const failed = (failure: FetchFailure): FetchResult => ({
      ok: false,
      failure,
      detail: failure,
      url: url.href,
      tookMs: tookMs(),
    });
    if (!site || site.kind === "gone") return failed("dns_none");
    const admission = await options.admit?.({ url, address: site.address });
    if (!admission) return failed("not_admitted");
    const end = async (ended: Omit<HopEnded, "tookMs">): Promise<void> =>
      admission.ended({ ...ended, tookMs: tookMs() });
    await machine.clock.sleep(1 + 30 * machine.random.next());
    if (!admission.holds()) {
      await end({ failure: "not_admitted" });
      return failed("not_admitted");
    }
    const answer = this.isAway(site)
      ? ("connect_failed" as const)
      : await this.#exchange(machine, site, url, options);
    if (typeof answer === "string") {
      await end({ failure: answer });
      return failed(answer);
    }
    await end({ status: answer.status });
    const { status, headers, body } = answer;
    const rest = { setCookies: [], truncated: false, url, address: site.address, tookMs: tookMs() };
    return { ok: true, status, headers, body, ...rest };
  }

  /** One request on its way, at the site, and its answer on the way back. */
  #exchange(
    machine: Machine,
    site: SimulatedSite,
    url: URL,
    options: FetchOptions,
  ): Promise<Answer | "timeout" | "aborted"> {
    const way = (): number => 0.5 + 10 * machine.random.next();
    const { timeoutMs = 10_000, signal } = options;
    const serviceMs = this.#serviceMs(site);
    return new Promise((resolve) => {
      let exchange: Exchange | undefined;
      let isOver = false;
      const give = (outcome: Answer | "timeout" | "aborted"): void => {
        if (isOver) return;
        isOver = true;
        resolve(outcome);
        if (typeof outcome === "string")
          // The site notices that its visitor has gone.
          this.#world.schedule(this.#machine, way(), () => this.#ended(exchange));
      };
      this.#world.schedule(this.#machine, way(), () => {
        exchange = this.#began(site, machine.name);
        this.#world.schedule(this.#machine, serviceMs, () => {
          this.#ended(exchange);
          const answer = this.#answer(site, url, options);
          this.#world.schedule(machine, way(), () => give(answer));
        });
      });
      this.#world.schedule(machine, timeoutMs, () => give("timeout"));
      signal?.addEventListener("abort", () => give("aborted"), { once: true });
    });
  }

  /** A visitor's process ended, and its connections with it. */
  hungUp({ name }: Machine): void {
    for (const exchange of this.#open)
      if (exchange.who === name)
        this.#world.schedule(this.#machine, 5 * this.#random.next(), () => this.#ended(exchange));
  }

  #ended(exchange: Exchange | undefined): void {
    if (exchange) this.#open.delete(exchange);

    if (exchange) exchange.endedAt ??= this.#world.now;
  }
}
