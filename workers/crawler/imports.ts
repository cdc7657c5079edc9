/** Takes over what changed at each registry of `BRIDGE_IMPORT_FROM`, once an hour in one of the processes. */
import { runImport } from "../../src/imports/import.ts";
import { registryPages } from "../../src/imports/registry-pages.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { LOG_FAULTS, openClaims } from "../../src/stores/claims.ts";

const LOOK_EVERY_MS = 60_000;

type ImportsDeps = Pick<Runtime, "broker" | "frontier" | "blocks" | "fetcher" | "clock" | "log" | "config">;

export function startImports(deps: ImportsDeps): { drain(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  // One that is slow holds up no other.
  const running = deps.config.BRIDGE_IMPORT_FROM.map((from) => followRegistry(deps, from, signal));
  return {
    drain: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function followRegistry(
  { broker, frontier, blocks, fetcher, clock, log }: ImportsDeps,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const { counters, now } = broker;
  const claims = openClaims(broker.buckets);
  const source = registryPages(fetcher, clock, new URL(from));
  const look = async (): Promise<void> => {
    const before = await claims.importState.get(source.name);
    // Whoever read of it within the hour may be reading it now.
    if (before && now() - Date.parse(before.attempted_at) < HOUR_MS) return;
    const state = await runImport({ claims, frontier, blocks, counters, now }, source, { signal });
    const { trouble, outcomes, log: seen } = state;
    if (seen?.fault) log.warn({ from, fault: seen.fault.kind }, LOG_FAULTS[seen.fault.kind]);
    if (trouble === null) log.info({ from, outcomes }, "imported");
    else log.warn({ from, trouble }, "the import goes on in an hour");
  };
  while (!signal.aborted) {
    await look().catch((error: unknown) =>
      log.warn({ from, err: error }, "the import failed; it goes on in an hour"),
    );
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
