/**
 * The progress line of a crawl: known, visited, verified, listed, failed, visits per second. Plain lines without a
 * terminal.
 */

import type { NamedRole } from "../processes/announce-role.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";

const EVERY_MS = 250;
const PLAIN_EVERY_MS = 2_000;

export interface Snapshot {
  known: number;
  visited: number;
  verified: number;
  listed: number;
  failed: number;
  visitsPerSecond: number;
  waiting: number;
}

export interface Progress {
  /** Current counts; undefined while the broker is away. */
  snapshot(): Promise<Snapshot | undefined>;
  /** Prints a line above the progress line. */
  line(text: string): void;
  stop(): void;
}

const render = (now: Snapshot): string =>
  [
    `known ${now.known}`,
    `visited ${now.visited}`,
    `verified ${now.verified}`,
    `listed ${now.listed}`,
    `failed ${now.failed}`,
    `${now.visitsPerSecond.toFixed(1)} visits/s`,
  ].join(" · ");

/** Shows the progress of this process's crawler, until stopped. */
export const showProgress = (
  runtime: OpenedRuntime,
  crawler: NamedRole,
  out: NodeJS.WriteStream = process.stderr,
): Progress => {
  const stats = crawler.crawler!;
  let rate = 0;
  let before = { visits: stats.visits, at: performance.now() };
  let shown = "";
  let plainAt = 0;

  const measure = () => {
    const at = performance.now();
    if (at - before.at < 1_000) return;
    rate = ((stats.visits - before.visits) * 1_000) / (at - before.at);
    before = { visits: stats.visits, at };
  };
  const snapshot = async (): Promise<Snapshot | undefined> => {
    try {
      const [lag, visited, index] = await Promise.all([
        runtime.frontier.lag(),
        runtime.sites.count(),
        runtime.index(),
      ]);
      const { enabled } = await index.stats();
      const { verified, failed } = stats;
      return {
        known: lag.tokens,
        visited,
        verified,
        listed: enabled,
        failed,
        visitsPerSecond: rate,
        waiting: lag.due + lag.inFlight,
      };
    } catch {
      return undefined;
    }
  };
  const clear = () => out.isTTY && out.write("\r\x1b[2K");
  const show = async (): Promise<void> => {
    measure();
    const now = await snapshot();
    if (!now) return;
    const text = render(now);
    if (out.isTTY) out.write(`\r\x1b[2K${text}`);
    else if (text !== shown && performance.now() - plainAt > PLAIN_EVERY_MS) {
      out.write(`${text}\n`);
      plainAt = performance.now();
    }
    shown = text;
  };
  let showing = Promise.resolve();
  const timer = setInterval(() => {
    showing = showing.then(show);
  }, EVERY_MS);
  return {
    snapshot,
    line: (text) => {
      clear();
      out.write(`${text}\n`);
      if (out.isTTY && shown) out.write(shown);
    },
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
};
