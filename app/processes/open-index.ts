/** Opens the active index, and waits for an engine that is starting. */
import type { Logger } from "pino";
import type { Clock } from "../../src/ports/clock.ts";
import {
  type IndexGenerations,
  IndexRefused,
  IndexUnavailable,
  type SiteIndex,
} from "../../src/ports/index.ts";
import { ConfigError } from "../../src/runtime/config.ts";
import type { IndexEngine } from "./index-engines.ts";

const INDEX_PATIENCE_MS = 60_000;

const INDEX_PAUSE_MS = 1_000;

/**
 * Opens the index in use; an engine that is still starting, or away for a moment, is waited for.
 * @throws ConfigError when it refuses us
 */
export const openIndex = async (
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
