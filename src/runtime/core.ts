/** What every role needs, opened once per process (or thread). */
import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import type { StaticVectors } from "../domain/search/embeddings/static-vectors.ts";
import type { Broker } from "../ports/broker.ts";
import type { Clock } from "../ports/clock.ts";
import type { Encoder } from "../ports/encoder.ts";
import type { IndexGenerations, SiteIndex } from "../ports/index.ts";
import type { Handlers, Service } from "../rpc/contract.ts";
import type { Limiter } from "../rpc/limits.ts";
import type { RunningService } from "../rpc/serving.ts";
import type { Identity } from "../stores/identity.ts";
import type { Records } from "../stores/records.ts";
import type { Config } from "./config.ts";

/** What every role needs: its settings, the broker with the records on it, and the index. */
export interface Core {
  config: Config;
  clock: Clock;
  /** Id of this process. */
  id: string;
  log: Logger;
  broker: Broker;
  identity: Identity;
  /** Charges the cost of strangers' requests to the limit table. */
  limiter: Limiter;
  sites: Records<SiteRecord>;
  publicUrl: string;
  /**
   * The registry's own ring, from its site record if it is crawled like any other site; otherwise 1: a document, no
   * known TXT record.
   */
  ownRing: () => Promise<number>;
  indexGenerations: IndexGenerations;
  /** The active index. Opened on first use; while its engine is away, each call rejects with IndexUnavailable. */
  index(): Promise<SiteIndex>;
  toolGenerations: IndexGenerations;
  /** The active index of what can be done at sites (src/agent-web/search); as `index`. */
  toolIndex(): Promise<SiteIndex>;
  /** Embedding vectors of sites and queries; undefined if search uses words alone. Loaded on first use. */
  embeddings(): StaticVectors | undefined;
  /** The sentence encoder, where it is installed and not turned off; starts on first use, and ends with the process. */
  encoder(): Encoder | undefined;
  /** Serves a service's requests, load-balanced with other processes. */
  serve<S extends Service>(service: S, handlers: Handlers<S>): RunningService;
}
