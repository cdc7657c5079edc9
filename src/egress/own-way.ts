/**
 * Whether our own way out works: name servers that answer, and a network that reaches sites. Where it does not, what
 * fails says nothing of the sites: nothing is charged to them, and the crawl stands still until the way is there again
 * (docs/decisions/0116).
 *
 * No stranger can have it doubted. That DNS answers is asked with random names below the top-level domains, whose servers are
 * nobody's sites. That the network is gone is believed only where sites of several registrable domains fail that were well
 * until now, and no site at all has answered since the first of them did.
 */
import { randomBytes } from "node:crypto";
import { registrableDomain } from "../domain/names/domain-name.ts";
import type { Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/dns.ts";
import type { Fetcher, FetchFailure, FetchResult } from "../ports/http.ts";

export type WayCause = "dns" | "network";

/** A visit that reached no conclusion. */
export interface FailedVisit {
  host: string;
  cause: WayCause;
  /** Whether its last visit, some time ago, found it well. */
  wasWell: boolean;
  /** Monotonic. */
  beganMs: number;
}

export interface OwnWay {
  /** Why nothing is to be visited now, for a person; undefined: the way out works, as far as is known. */
  readonly trouble: string | undefined;
  readonly cause: WayCause | undefined;
  /** Whether a failure may be ours: then the visit is made again later, and nothing is charged. Asks DNS where that is in doubt. */
  mayBeOurs(failed: FailedVisit): Promise<boolean>;
  /** DNS answered for this host just now: its top-level domain is one that answers. */
  dnsAnswered(host: string): void;
  /** Looks whether DNS answers again. What sites answer is seen by itself. @returns whether the way out works */
  look(): Promise<boolean>;
  /** The same fetcher, whose answers are seen. */
  watching(fetcher: Fetcher): Fetcher;
}

/** So many sites of as many registrable domains that were well until now. */
const TELLING_DOMAINS = 8;
/** From so many on, what fails is visited a second time before it is charged. */
const SUSPECT_DOMAINS = 3;
/** An answer of DNS stands for so long. */
const ANSWER_STANDS_MS = 2_000;
const LOOK_TIMEOUT_MS = 5_000;
/** Asked beside the top-level domains of what failed and of what answered last. */
const TOP_LEVEL = ["com", "org"] as const;
const MOST_ANSWERING = 3;

const lastLabel = (host: string): string => host.slice(host.lastIndexOf(".") + 1);
/** Hosts that were let off are remembered, so many and so long. */
const MAX_SECOND_LOOKS = 10_000;
const SECOND_LOOK_MS = 600_000;

/** Nothing came back. Other failures, such as of TLS, came from somebody. */
const UNANSWERED: ReadonlySet<FetchFailure> = new Set(["connect_failed", "timeout"]);
/** Nothing was sent. */
const UNSENT: ReadonlySet<FetchFailure> = new Set([
  "invalid_url",
  "refused_scheme",
  "refused_port",
  "refused_credentials",
  "refused_address",
  "dns_none",
  "dns_failed",
  "closed_to_agents",
  "not_admitted",
  "aborted",
]);

const cameBack = (result: FetchResult): boolean =>
  result.ok || !(UNANSWERED.has(result.failure) || UNSENT.has(result.failure));

interface WayDeps {
  resolver: Pick<Resolver, "txt">;
  clock: Pick<Clock, "monotonicMs">;
}

class Way implements OwnWay {
  readonly #resolver: Pick<Resolver, "txt">;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #dnsAnsweredMs = Number.NEGATIVE_INFINITY;
  #siteAnsweredMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<string | undefined> | undefined;
  #dnsTrouble: string | undefined;
  /** Domains of well sites that failed since a site last answered. */
  readonly #failed = new Set<string>();
  /** Hosts that were not charged once, and when. */
  readonly #secondLooks = new Map<string, number>();
  /** Top-level domain of what failed last. */
  #failing: string = TOP_LEVEL[0];
  /** Those that answered last. */
  readonly #answering = new Set<string>();

  constructor({ resolver, clock }: WayDeps) {
    this.#resolver = resolver;
    this.#clock = clock;
  }

  get cause(): WayCause | undefined {
    if (this.#dnsTrouble !== undefined) return "dns";
    return this.#failed.size >= TELLING_DOMAINS ? "network" : undefined;
  }

  get trouble(): string | undefined {
    switch (this.cause) {
      case "dns":
        return `no name server answers (${this.#dnsTrouble}): look at BRIDGE_DNS_SERVERS. The crawl stands still, and no site is charged`;
      case "network":
        return `${this.#failed.size} sites that were well do not answer, and no other does: look at this machine's way out. The crawl stands still, and no site is charged`;
      default:
        return undefined;
    }
  }

  async mayBeOurs({ host, cause, wasWell, beganMs }: FailedVisit): Promise<boolean> {
    if (cause === "dns") {
      this.#failing = lastLabel(host);
      return !(await this.look());
    }
    if (this.#siteAnsweredMs >= beganMs) return false;
    if (wasWell) this.#failed.add(registrableDomain(host));
    if (this.cause !== undefined) return true;
    return this.#failed.size >= SUSPECT_DOMAINS && this.#isFirstTime(host);
  }

  /** Whether a host has not been let off a moment ago. */
  #isFirstTime(host: string): boolean {
    const now = this.#clock.monotonicMs();
    const before = this.#secondLooks.get(host);
    this.#secondLooks.delete(host);
    if (before !== undefined && now - before < SECOND_LOOK_MS) return false;
    this.#secondLooks.set(host, now);
    if (this.#secondLooks.size > MAX_SECOND_LOOKS)
      this.#secondLooks.delete(this.#secondLooks.keys().next().value!);
    return true;
  }

  dnsAnswered(host: string): void {
    const name = lastLabel(host);
    this.#answering.delete(name);
    this.#answering.add(name);
    if (this.#answering.size > MOST_ANSWERING) this.#answering.delete(this.#answering.values().next().value!);
  }

  async look(): Promise<boolean> {
    if (this.#clock.monotonicMs() - this.#dnsAnsweredMs <= ANSWER_STANDS_MS) return this.cause === undefined;
    this.#looking ??= this.#askDns().finally(() => {
      this.#looking = undefined;
    });
    this.#dnsTrouble = await this.#looking;
    if (this.#dnsTrouble === undefined) this.#dnsAnsweredMs = this.#clock.monotonicMs();
    return this.cause === undefined;
  }

  /** @returns why DNS does not answer; undefined: it does. That there is no such name is an answer. */
  async #askDns(): Promise<string | undefined> {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const names = [...new Set([this.#failing, ...this.#answering, ...TOP_LEVEL])];
    const asked = names.map(async (name) => {
      const answer = await this.#resolver.txt(`bridge-${randomBytes(8).toString("hex")}.${name}`, signal);
      if (answer.outcome === "failed") throw new Error(answer.detail);
    });
    try {
      await Promise.any(asked);
      return undefined;
    } catch (error) {
      const [first] = (error as AggregateError).errors as Error[];
      return signal.aborted ? `none within ${LOOK_TIMEOUT_MS / 1_000} s` : first!.message;
    }
  }

  watching(fetcher: Fetcher): Fetcher {
    return {
      fetch: async (url, options) => {
        const result = await fetcher.fetch(url, options);
        if (cameBack(result)) {
          this.#siteAnsweredMs = this.#clock.monotonicMs();
          this.#failed.clear();
        }
        return result;
      },
      close: () => fetcher.close(),
    };
  }
}

export const openOwnWay = (deps: WayDeps): OwnWay => new Way(deps);
