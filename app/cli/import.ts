/** `bridge import`: takes over what others list, and says what became of each entry. */
import { parseNoteKey } from "../../src/domain/trust/tlog/note.ts";
import { dumpPages, hostPages } from "../../src/imports/file-pages.ts";
import { type ImportSource, runImport } from "../../src/imports/import.ts";
import { registryPages } from "../../src/imports/registry-pages.ts";
import type { Config } from "../../src/runtime/config.ts";
import { type ImportState, LOG_FAULTS, openClaims } from "../../src/stores/claims.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const PROGRESS_EVERY_MS = 250;
const PLAIN_EVERY_MS = 5_000;

type Open = (runtime: OpenedRuntime) => Promise<ImportSource> | ImportSource;

/** @param from an address, or a file. @returns the exit code */
export function importServers(
  config: Config,
  { from, logKey, json }: { from: string; logKey?: string; json: boolean },
): Promise<number> {
  const address = /^https?:\/\//i.test(from) ? URL.parse(from) : undefined;
  if (address === null) throw new CommandError(`${from} is no address.`, 2);
  if (logKey !== undefined && !parseNoteKey(logKey))
    throw new CommandError("--log-key is not a note's key: name+id+base64, as the log serves it at /key.", 2);
  return importFrom(
    config,
    ({ fetcher, clock }) => (address ? registryPages(fetcher, clock, address) : dumpPages(from)),
    { json, ...(logKey !== undefined && { logKey }) },
  );
}

/** @returns the exit code */
export const importHosts = (config: Config, file: string, json: boolean): Promise<number> =>
  importFrom(config, () => hostPages(file), { json });

async function importFrom(
  config: Config,
  open: Open,
  { json, ...begin }: { json: boolean; logKey?: string },
): Promise<number> {
  const stopping = new AbortController();
  // Launchers repeat a signal: each means the same.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stopping.abort());
  const { signal } = stopping;
  return withRuntime(config, async (runtime) => {
    const { broker, frontier, blocks } = runtime;
    const { counters, now } = broker;
    const claims = openClaims(broker.buckets);
    const source = await opened(open, runtime);
    const progress = showPages();
    const deps = { claims, frontier, blocks, counters, now };
    const state = await runImport(deps, source, { signal, onPage: progress.page, ...begin }).finally(
      progress.stop,
    );
    if (json) print(JSON.stringify(state));
    else for (const line of summaryOf(state)) print(line);
    return state.cursor === null && state.trouble === null ? 0 : 1;
  });
}

/** @throws CommandError for a file that cannot be read */
async function opened(open: Open, runtime: OpenedRuntime): Promise<ImportSource> {
  try {
    return await open(runtime);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (!code || !path) throw error;
    throw new CommandError(`${path} cannot be read (${code}).`, 2);
  }
}

/** Shows how far an import is: on a terminal in one line, otherwise now and then in a line of its own. */
function showPages(out: NodeJS.WriteStream = process.stderr): {
  page(state: ImportState): void;
  stop(): void;
} {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    page: (state) => {
      const at = performance.now();
      if (state.pages === 0 || at - shownAt < (out.isTTY ? PROGRESS_EVERY_MS : PLAIN_EVERY_MS)) return;
      shownAt = at;
      const text = `page ${state.pages} · ${countsOf(state.outcomes)}`;
      if (out.isTTY) out.write(`\r\x1b[2K${text}`);
      else say(text);
    },
    stop: () => void (out.isTTY && out.write("\r\x1b[2K")),
  };
}

function summaryOf({ source, outcomes, refused, trouble, cursor, left, log }: ImportState): string[] {
  return [
    `${source}: ${countsOf(outcomes)}`,
    ...(outcomes.refused ? [`refused: ${countsOf(refused)}`] : []),
    ...(left ? ["What is over a domain's cap of a day is left: run it again tomorrow."] : []),
    ...(log
      ? [`${printable(log.key)}: ${log.fault ? LOG_FAULTS[log.fault.kind] : `${log.size} entries`}`]
      : []),
    ...(trouble === null ? [] : [printable(trouble)]),
    ...(cursor === null ? [] : ["It goes on from here when it is run again."]),
  ];
}

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString("en-US")} ${name}`)
    .join(", ") || "nothing new";
