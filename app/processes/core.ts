/** What every role stands on, built once a process (or thread) from the settings. */

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { errors } from "@nats-io/nats-core";
import pino, { type Logger } from "pino";
import { SiteRecord } from "../../schemas/site.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { certificateFault } from "../../src/adapters/nats/certificate-fault.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { embeddingModel } from "../../src/classifiers/embedding-model.ts";
import { ringOf } from "../../src/domain/listing/listing.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Clock } from "../../src/ports/clock.ts";
import {
  type IndexGenerations,
  IndexRefused,
  IndexUnavailable,
  type Reading,
  type SiteIndex,
} from "../../src/ports/index.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { openLimiter } from "../../src/rpc/limits.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import type { Core } from "../../src/runtime/runtime.ts";
import { openIdentity } from "../../src/stores/identity.ts";
import { openRecords, type Records } from "../../src/stores/records.ts";
import { serve } from "../../src/transport/serve.ts";
import { type IndexEngine, indexEngineOf } from "./index-engines.ts";

/** The core as composition sees it: with the broker's connection, and how it ends. */
export interface OpenedCore extends Core {
  /** What it was opened with, for a thread that opens its own. */
  natsUrl: string;
  extra: Extra;
  broker: NatsBroker;
  close(): Promise<void>;
}

export interface Extra {
  /** Certificates trusted beside the system's: the synthetic web's. */
  ca?: string[];
  publicUrl?: string;
  /** How long to try to reach the broker; default: once. */
  waitForBrokerMs?: number;
  /** Names this process to others; default: a new name. */
  id?: string;
  /** Where the embedded index is read; default: in threads of its own. */
  reading?: Reading;
  /** Module of the threads that read the crawl's pages; default: the crawl's own. A test brings one that hangs. */
  pageThread?: string;
}

export const createLogger = (config: Config): Logger =>
  pino({ level: config.BRIDGE_LOG_LEVEL }, pino.destination(2));

export const publicUrlOf = (config: Config, port = config.PORT): string => {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  const shown = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  return config.BRIDGE_PUBLIC_URL ?? `http://${shown}:${port}`;
};

const TLS_FILES = { ca: "BRIDGE_NATS_CA", cert: "BRIDGE_NATS_CERT", key: "BRIDGE_NATS_KEY" } as const;

/** What a connection to the broker shows, and what it asks to be shown. @throws ConfigError for a file that cannot be read */
const credentialsOf = (config: Config) => {
  const { BRIDGE_NATS_USER: user, BRIDGE_NATS_PASSWORD: password } = config;
  const files = Object.entries(TLS_FILES).flatMap(([name, setting]) => {
    const file = config[setting];
    if (!file) return [];
    try {
      return [[name, readFileSync(file, "utf8")] as const];
    } catch (error) {
      throw new ConfigError(`${setting}: ${(error as Error).message}`, { cause: error });
    }
  });
  return {
    ...(user && { user }),
    ...(password && { password }),
    ...(files.length > 0 && { tls: Object.fromEntries(files) }),
  };
};

/** What is wrong with the settings when a broker was not joined: the error itself where that does not say. */
const settingsFault = (error: unknown, { BRIDGE_NATS_USER: user }: Config): unknown => {
  const certificate = certificateFault(error);
  if (certificate !== undefined)
    return new ConfigError(`BRIDGE_NATS_CA: the broker is not trusted: ${certificate}.`, { cause: error });
  if (error instanceof errors.AuthorizationError)
    return new ConfigError(
      `BRIDGE_NATS_USER, BRIDGE_NATS_PASSWORD (or BRIDGE_NATS_URL): the broker refuses ${user ? `the user ${user}` : "these credentials"}.`,
      { cause: error },
    );
  const refused = error instanceof errors.RequestError ? error.cause : error;
  if (refused instanceof errors.PermissionViolationError)
    return new ConfigError(
      `BRIDGE_NATS_SETUP: the broker does not let this user ${refused.operation} to ${refused.subject}. A user of one role joins what \`bridge prepare\` made as the operator: set it to false, and give each role its own user.`,
      { cause: error },
    );
  return error;
};

const INDEX_PATIENCE_MS = 60_000;
const INDEX_PAUSE_MS = 1_000;
/**
 * Opens the index in use; an engine that is still starting, or away for a moment, is waited for.
 * @throws ConfigError when it refuses us
 */
const openIndex = async (
  generations: IndexGenerations,
  settings: IndexEngine["settings"],
  clock: Clock,
  log: Logger,
): Promise<SiteIndex> => {
  for (const giveUpAt = clock.monotonicMs() + INDEX_PATIENCE_MS; ; ) {
    try {
      return await generations.openLive();
    } catch (error) {
      if (error instanceof IndexRefused)
        throw new ConfigError(`${settings[error.wrong]}: ${error.message}`, { cause: error });
      if (!(error instanceof IndexUnavailable) || clock.monotonicMs() > giveUpAt) throw error;
      log.warn({ reason: error.message }, "waiting for the index");
      await clock.sleep(INDEX_PAUSE_MS);
    }
  }
};

const ownRingOf = (sites: Records<SiteRecord>, publicUrl: string) => {
  const host = new URL(publicUrl).hostname;
  return async (): Promise<number> => {
    const record = (await sites.get(hostKey(host)))?.value;
    return (record && ringOf(record)) || 1;
  };
};

/**
 * Joins the broker.
 * @throws ConfigError for settings that cannot be used; Error when the broker cannot be reached
 */
export const openCore = async (config: Config, natsUrl: string, extra: Extra = {}): Promise<OpenedCore> => {
  const engine = indexEngineOf(config);
  const indexGenerations = await engine.open(config, extra.reading);
  const clock = systemClock;
  const id = extra.id ?? `${hostname()}-${uuidv7()}`;
  const log = createLogger(config);
  const broker = await openBroker({
    url: natsUrl,
    prefix: config.BRIDGE_NATS_PREFIX,
    replicas: config.BRIDGE_NATS_REPLICAS,
    name: `bridge ${id}`,
    clock,
    setUp: config.BRIDGE_NATS_SETUP,
    ...credentialsOf(config),
    ...(extra.waitForBrokerMs && { waitMs: extra.waitForBrokerMs }),
  }).catch((error: unknown) => {
    throw settingsFault(error, config);
  });
  const identity = await openIdentity(broker.buckets.service).catch((error: unknown) => {
    throw settingsFault(error, config);
  });
  const publicUrl = extra.publicUrl ?? publicUrlOf(config);
  const sites = openRecords(broker.buckets.sites, SiteRecord);
  let index: Promise<SiteIndex> | undefined;
  return {
    config,
    natsUrl,
    extra,
    clock,
    id,
    log,
    broker,
    identity,
    limiter: openLimiter({
      counters: broker.counters,
      now: broker.now,
      secret: identity.secret,
      percent: config.BRIDGE_LIMITS_PERCENT,
    }),
    sites,
    publicUrl,
    ownRing: ownRingOf(sites, publicUrl),
    indexGenerations,
    embeddings: () => (config.BRIDGE_SEARCH_MEANING ? embeddingModel() : undefined),
    serve: (service, handlers) => serve(broker.connection, broker.prefix, service, handlers, log),
    index: () => (index ??= openIndex(indexGenerations, engine.settings, clock, log)),
    close: async () => {
      await (await index?.catch(() => undefined))?.close();
      await indexGenerations.close();
      await broker.close();
    },
  };
};
