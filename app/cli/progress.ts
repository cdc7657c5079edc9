/**
 * The progress line of a crawl: hosts known, with a record, listed, and found in other formats, and the visits of this process.
 * Plain lines without a terminal.
 */

import { agentWebToday } from "../../src/agent-web/counts.ts";
import type { NamedRole } from "../processes/announce-role.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";

const EVERY_MS = 250;
const PLAIN_EVERY_MS = 2_000;
/** Counts of the agent web are a list of their own: not asked for with every line. */
const FOUND_EVERY_MS = 2_000;

export interface CrawlProgress {
  /** Hosts with a token or a record, of which `visited` have a record and `listed` are in the directory. */
  known: number;
  visited: number;
  listed: number;
  /** Hosts, looked at today, where agents can use something in any format. */
  found: number;
  /** Visits of this process, of which some failed. */
  visits: number;
  failed: number;
  visitsPerSecond: number;
  waiting: number;
}

export interface Progress {
  /** Current counts; undefined while the broker is away. */
  snapshot(): Promise<CrawlProgress | undefined>;
  /** Prints a line above the progress line; default: beside it, on standard error. */
  line(text: string, out?: NodeJS.WritableStream): void;
  stop(): void;
}

/** Shows the progress of this process's crawler, until stopped. */
export function showProgress(
  runtime: OpenedRuntime,
  crawler: NamedRole,
  out: NodeJS.WriteStream = process.stderr,
): Progress {
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
  let found = 0;
  let foundAt = Number.NEGATIVE_INFINITY;
  const countFound = async (): Promise<number> => {
    if (performance.now() - foundAt < FOUND_EVERY_MS) return found;
    foundAt = performance.now();
    const { counters, now } = runtime.broker;
    found = (await agentWebToday(counters, now())).found;
    return found;
  };
  const snapshot = async (): Promise<CrawlProgress | undefined> => {
    try {
      const index = await runtime.index();
      // The index holds the records that there are. The bucket's own count holds those of forgotten hosts too: what
      // marks them as removed.
      const [lag, { documents, enabled }] = await Promise.all([runtime.frontier.lag(), index.stats()]);
      return {
        // A host that is being forgotten loses its token and its record one after the other.
        known: Math.max(lag.tokens, documents),
        visited: documents,
        listed: enabled,
        found: await countFound(),
        visits: stats.visits,
        failed: stats.failed,
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
    line: (text, to = out) => {
      clear();
      to.write(`${text}\n`);
      if (out.isTTY && shown) out.write(shown);
    },
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}

const render = (now: CrawlProgress): string =>
  [
    `known ${now.known} hosts`,
    `visited ${now.visited}`,
    `listed ${now.listed}`,
    `found for agents ${now.found}`,
    `${now.visits} visits, ${now.failed} failed`,
    `${now.visitsPerSecond.toFixed(1)} visits/s`,
  ].join(" · ");
