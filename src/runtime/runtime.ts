/** The dependencies of a role: ports, stores and settings, opened once per process (or thread). */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Networks } from "../domain/names/address.ts";
import type { OwnWay } from "../egress/own-way.ts";
import type { Polite } from "../egress/polite.ts";
import type { FullResolver } from "../ports/dns.ts";
import type { Frontier } from "../ports/frontier.ts";
import type { Fetcher } from "../ports/http.ts";
import type { TransparencyLog } from "../ports/log.ts";
import type { Mailer } from "../ports/mail.ts";
import type { RunningService } from "../rpc/serving.ts";
import type { Block } from "../stores/block-list.ts";
import type { Contents } from "../stores/contents.ts";
import type { Records } from "../stores/records.ts";
import type { Core } from "./core.ts";

export interface Runtime extends Core {
  resolver: FullResolver;
  fetcher: Fetcher;
  /** Whether our own way out works, as resolver and fetcher show. */
  way: OwnWay;
  frontier: Frontier;
  contents: Contents;
  blocks: Records<Block>;
  /** What the fetcher refuses to reach; a role that visits sites has it follow the block list. */
  blockedNetworks: Networks;
  polite: Polite;
  /** The registry's own discovery document, as served. */
  ownDocument: () => Promise<DiscoveryDocument>;
  /** The transparency log. Opened on first use. */
  transparency(): Promise<TransparencyLog>;
  /** The operator's mail server. Opened on first use; undefined: none is set. */
  mailer(): Promise<Mailer | undefined>;
  /** Where certificates for names of sites come from; undefined: the registry serves none. */
  /** Module of the threads that read pages; default: the crawl's own. Tests pass one that hangs. */
  pageThread?: string | undefined;
}

/** Outcomes of visits. */
export interface CrawlerStats {
  visits: number;
  verified: number;
  partial: number;
  failed: number;
  deferred: number;
  deadLetters: number;
}

/** The result of an actor's `start`. */
export interface RunningRole {
  /** Counts, for status and metrics. */
  read: () => Promise<Record<string, number>>;
  /** Why it does not do its work now although its process runs, for a person; undefined: it does. */
  trouble?: () => string | undefined;
  drain(): Promise<void>;
  /** The services it serves. */
  servings?: RunningService[];
  /** Counts of visits, if it makes any. */
  crawler?: CrawlerStats;
}
