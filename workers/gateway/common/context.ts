/** What the modules of one process share: opened once, handed to each (modules.ts). */
import type { Logger } from "pino";
import type { Polite } from "../../../src/egress/polite.ts";
import type { Broker } from "../../../src/ports/broker.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Counters } from "../../../src/ports/counters.ts";
import type { Resolver } from "../../../src/ports/dns.ts";
import type { Frontier } from "../../../src/ports/frontier.ts";
import type { TransparencyLog } from "../../../src/ports/log.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import { createFetchPage, type FetchPage } from "./observed-page.ts";
import { createReadOfferPage, type ReadOfferPage } from "./offer-page.ts";
import { openScans, type Scans } from "./scans.ts";

export interface GatewayContext {
  fetchPage: FetchPage;
  readOfferPage: ReadOfferPage;
  /** The pool of threads that all modules but the Neural Engine share. */
  scans: Scans;
  /** The process's sentence encoder, started for the first who asks. */
  encoder: Runtime["encoder"];
  polite: Polite;
  resolver: Resolver;
  counters: Counters;
  limiter: Limiter;
  buckets: Broker["buckets"];
  /** The crawl's records. */
  sites: Runtime["sites"];
  frontier: Pick<Frontier, "bringForward">;
  identity: Identity;
  /** Key of the HMACs that hide accounts and addresses. */
  secret: string;
  clock: Clock;
  /** Broker milliseconds. */
  now: () => number;
  publicUrl: string;
  /** Port of every site but a synthetic web's: 443. */
  httpsPort: number;
  log: Logger;
  transparency(): Promise<TransparencyLog>;
  /** Has something closed when the role ends, after the last request. */
  onClose(close: () => void | Promise<void>): void;
}

/** `close` closes what the context opened and what modules registered, the last first. */
export function openContext(runtime: Runtime): { context: GatewayContext; close(): Promise<void> } {
  const {
    broker,
    clock,
    config,
    encoder,
    frontier,
    identity,
    limiter,
    log,
    polite,
    publicUrl,
    resolver,
    sites,
  } = runtime;
  const { buckets, counters, now } = broker;
  const httpsPort = config.BRIDGE_HTTPS_PORT;
  const { scans, close: closeScans } = openScans();
  const closers: (() => void | Promise<void>)[] = [closeScans];
  const context: GatewayContext = {
    fetchPage: createFetchPage(polite),
    readOfferPage: createReadOfferPage({ polite, httpsPort, scans, now }),
    scans,
    encoder,
    polite,
    resolver,
    counters,
    limiter,
    buckets,
    sites,
    frontier,
    identity,
    secret: identity.secret,
    clock,
    now,
    publicUrl,
    httpsPort,
    log,
    transparency: () => runtime.transparency(),
    onClose: (close) => closers.push(close),
  };
  return {
    context,
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}
