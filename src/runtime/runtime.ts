/** What a role is given to work with: ports, stores and settings, opened once a process (or thread). */
import type { Logger } from "pino";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { StaticVectors } from "../domain/search/embeddings/static-vectors.ts";
import type { Polite } from "../egress/polite.ts";
import type { Broker } from "../ports/broker.ts";
import type { Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/dns.ts";
import type { Frontier } from "../ports/frontier.ts";
import type { Fetcher } from "../ports/http.ts";
import type { IndexGenerations, SiteIndex } from "../ports/index.ts";
import type { TransparencyLog } from "../ports/log.ts";
import type { Handlers, Service } from "../rpc/contract.ts";
import type { Limiter } from "../rpc/limits.ts";
import type { Block } from "../stores/block-list.ts";
import type { Contents } from "../stores/contents.ts";
import type { Identity } from "../stores/identity.ts";
import type { Records } from "../stores/records.ts";
import type { Serving } from "../transport/serve.ts";
import type { Config } from "./config.ts";

/** What every role needs: its settings, the broker with the records on it, and the index. */
export interface Core {
  config: Config;
  clock: Clock;
  /** Names this process to others. */
  id: string;
  log: Logger;
  broker: Broker;
  identity: Identity;
  /** Charges what strangers cost us to the rows of the table of limits. */
  limiter: Limiter;
  sites: Records<SiteRecord>;
  publicUrl: string;
  /** The registry's own ring, from its own record when it is crawled like any other site; else 1: a document, no TXT known. */
  ownRing: () => Promise<number>;
  indexGenerations: IndexGenerations;
  /** The index in use. Opened when a role first needs it. */
  index(): Promise<SiteIndex>;
  /** What sites and queries are compared by meaning with; undefined where searches go by words alone. Read when first asked for. */
  embeddings(): StaticVectors | undefined;
  /** Answers a service's requests, beside every other process that does. */
  serve<S extends Service>(service: S, handlers: Handlers<S>): Serving;
}

export interface Runtime extends Core {
  resolver: Resolver;
  fetcher: Fetcher;
  frontier: Frontier;
  contents: Contents;
  blocks: Records<Block>;
  polite: Polite;
  /** The registry's own discovery document, as it is served. */
  ownDocument: () => Promise<DiscoveryDocument>;
  /** The transparency log. Opened when a role first needs it. */
  transparency(): Promise<TransparencyLog>;
  /** Folder of this home where a process that hung left its visits (src/threads/endings.ts). */
  endings: string;
  /** Module of the threads that read the crawl's pages; default: the crawl's own. A test brings one that hangs. */
  pageThread?: string | undefined;
}

/** What became of visits. */
export interface CrawlerStats {
  visits: number;
  verified: number;
  partial: number;
  failed: number;
  deferred: number;
  deadLetters: number;
}

/** What an actor's `start` gives back. */
export interface RunningRole {
  /** Counts, for status and metrics. */
  read: () => Promise<Record<string, number>>;
  drain(): Promise<void>;
  /** The services it answers. */
  servings?: Serving[];
  /** Counts of visits, where it makes any. */
  crawler?: CrawlerStats;
}
