/** Opens the active index, and waits for an engine that is away or starting, for as long as that takes. */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { forwardingIndex } from "../../src/adapters/index/following-index.ts";
import type { Clock } from "../../src/ports/clock.ts";
import {
  type IndexGenerations,
  IndexRefused,
  IndexUnavailable,
  type SiteIndex,
} from "../../src/ports/index.ts";
import { ConfigError } from "../../src/runtime/config.ts";
import type { IndexEngine } from "./index-engines.ts";

/** A start waits no longer: the roles of a process begin without the index, and say so. */
const START_WITHIN_MS = 10_000;
const INDEX_PAUSE_MS = 1_000;

interface Opening {
  generations: IndexGenerations;
  settings: IndexEngine["settings"];
  clock: Clock;
  log: Logger;
}

/**
 * The index in use. An engine that is away, or does not answer within ten seconds, is waited for without end; until it answers, each
 * call of the index rejects with IndexUnavailable and the engine's reason.
 * @throws ConfigError when the engine refuses us within that time
 */
export async function openIndex(opening: Opening): Promise<SiteIndex> {
  const { generations, settings, log } = opening;
  const stopping = new AbortController();
  let opened: SiteIndex | undefined;
  let reason = `it has not answered within ${START_WITHIN_MS / 1_000} s`;
  const first = generations.openLive();
  try {
    const late = delay(START_WITHIN_MS, undefined, { ref: false });
    opened = await Promise.race([first, late]);
  } catch (error) {
    reason = reasonOf(error, settings);
  }
  if (opened) return opened;
  const later = openLater(opening, first, stopping.signal, (why) => {
    reason = why;
  }).then((index) => {
    opened = index;
  });
  later.catch((error: unknown) => log.error({ err: error }, "the index cannot be opened"));
  return forwardingIndex(
    () => {
      if (opened) return opened;
      throw new IndexUnavailable(reason);
    },
    async () => {
      stopping.abort();
      if (opened) return opened.close();
      // An engine that stands still holds up no end.
      void later.then(() => opened?.close()).catch(() => undefined);
    },
  );
}

/** What an engine that cannot be opened says. @throws what no waiting mends */
function reasonOf(error: unknown, settings: IndexEngine["settings"]): string {
  if (error instanceof IndexRefused)
    throw new ConfigError(`${settings[error.wrong]}: ${error.message}`, { cause: error });
  if (!(error instanceof IndexUnavailable)) throw error;
  return error.message;
}

/** Tries until the index is open or `signal` aborts; what changes is logged once. */
async function openLater(
  { generations, settings, clock, log }: Opening,
  first: Promise<SiteIndex>,
  signal: AbortSignal,
  onReason: (reason: string) => void,
): Promise<SiteIndex | undefined> {
  let said = "";
  for (let opening = first; ; opening = generations.openLive()) {
    try {
      const index = await opening;
      if (said !== "") log.info("the index answers");
      return index;
    } catch (error) {
      let reason: string;
      try {
        reason = reasonOf(error, settings);
      } catch (fault) {
        // The process runs by now; a setting or a grant may be mended at the engine, too.
        reason = (fault as Error).message;
      }
      onReason(reason);
      if (reason !== said) log.warn({ reason }, "waiting for the index");
      said = reason;
      await clock.sleep(INDEX_PAUSE_MS, signal);
      if (signal.aborted) return undefined;
    }
  }
}
