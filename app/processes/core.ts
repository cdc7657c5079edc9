/** The dependencies of every role, built once per process (or thread) from the settings. */

import { SiteRecord } from "../../schemas/site.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { embeddingModel } from "../../src/classifiers/embedding-model.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import { openLimiter } from "../../src/rpc/limits.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openRecords } from "../../src/stores/records.ts";
import { observedIndex } from "../../src/telemetry/observed.ts";
import { serve } from "../../src/transport/serve.ts";
import { encoderOf } from "./encoder.ts";
import { indexEngineOf } from "./index-engines.ts";
import { joinBroker } from "./join-broker.ts";
import { openIndex } from "./open-index.ts";
import type { Extra, OpenedCore } from "./opened-core.ts";
import { createLogger, newProcessId } from "./process-identity.ts";
import { ownRingOf, publicUrlOf } from "./registry-address.ts";

/**
 * Joins the broker.
 * @throws ConfigError for settings that cannot be used; Error when the broker cannot be reached
 */
export async function openCore(config: Config, natsUrl: string, extra: Extra = {}): Promise<OpenedCore> {
  const engine = indexEngineOf(config);
  const indexGenerations = await engine.open(config, extra.reading, "sites");
  const toolGenerations = await engine.open(config, extra.reading, "tools");
  const clock = systemClock;
  const id = extra.id ?? newProcessId();
  const log = createLogger(config, extra.logs);
  const { broker, identity } = await joinBroker(config, natsUrl, {
    id,
    clock,
    waitMs: extra.waitForBrokerMs,
  });
  const publicUrl = extra.publicUrl ?? publicUrlOf(config);
  const sites = openRecords(broker.buckets.sites, SiteRecord);
  const opened = { settings: engine.settings, clock, log };
  const sitesIndex = openOnce({ generations: indexGenerations, ...opened });
  const toolIndex = openOnce({ generations: toolGenerations, ...opened });
  const encoder = encoderOf(config, log, extra);
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
    embeddings: () => (config.BRIDGE_SEARCH_MEANING === "none" ? undefined : embeddingModel()),
    encoder: encoder.open,
    serve: (service, handlers) => serve(broker.connection, broker.prefix, service, handlers, log, broker),
    index: sitesIndex.open,
    toolGenerations,
    toolIndex: toolIndex.open,
    close: async () => {
      await sitesIndex.close();
      await toolIndex.close();
      await encoder.close();
      await indexGenerations.close();
      await toolGenerations.close();
      await broker.close();
    },
  };
}

/** Opens an index for the first who asks. */
function openOnce(opening: Parameters<typeof openIndex>[0]) {
  let index: Promise<SiteIndex> | undefined;
  return {
    open: (): Promise<SiteIndex> => {
      index ??= openIndex(opening).then(observedIndex, (error: unknown) => {
        // Settings may be mended for the next who asks.
        index = undefined;
        throw error;
      });
      return index;
    },
    close: async (): Promise<void> => (await index?.catch(() => undefined))?.close(),
  };
}
