/** What `bridge up` says once it is ready: nothing that does not work yet. */
import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { search } from "../../workers/search/contract.ts";
import { askRegistry } from "./ask.ts";
import { WANTED } from "./demo.ts";
import type { StopRequest } from "./parts.ts";
import type { Progress } from "./progress.ts";

const LOOK_EVERY_MS = 250;

type Found = z.infer<typeof search.operations.searchSites.reply>;
type Directory = z.infer<typeof search.operations.listDirectory.reply>;

export interface ReadyOptions {
  /** As others reach the registry. */
  publicUrl: string;
  /** As this machine does. */
  localUrl: string;
  /** Of the operators' console. */
  operatorsUrl: string;
  /** Of probes and metrics. */
  adminUrl: string;
  progress: Progress;
  /** Host of the synthetic shop. */
  shop: string | undefined;
}

/** Says `ready`, and what can be tried, now or as soon as it can. */
export function announceReady(ready: ReadyOptions, request: StopRequest): void {
  const say = (line: string): void => ready.progress.line(line, process.stdout);
  say(`ready ${ready.publicUrl}`);
  say(`  ${ready.localUrl}/docs`);
  say(`  ${ready.operatorsUrl}    # operators' console`);
  say(`  ${ready.adminUrl}/metrics`);
  void announceSearches(ready, say, request);
}

/** Says searches to try, as soon as they find something. */
async function announceSearches(
  { localUrl, progress, shop }: ReadyOptions,
  say: (line: string) => void,
  request: StopRequest,
): Promise<void> {
  const look = () => findable(localUrl, shop, request.signal).catch(() => undefined);
  let words = await look();
  if (words === undefined) say("  Nothing is listed yet. A search to try follows once something is.");
  while (words === undefined && !request.asked) {
    await Promise.race([delay(LOOK_EVERY_MS), request.promise]);
    if (((await progress.snapshot())?.listed ?? 0) > 0) words = await look();
  }
  if (words === undefined) return;
  say(`  curl '${localUrl}${searchPath(words)}'`);
  say(`  curl '${localUrl}/api/discovery/registry?limit=3'`);
}

/** Words that a search finds now: the shop's, or the name of a listed site. */
async function findable(
  url: string,
  shop: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { listings } = await askRegistry<Directory>(url, "/api/discovery/registry?limit=1", { signal });
  const words = listings[0] && (shop ? WANTED : listings[0].name);
  if (!words) return undefined;
  const { results } = await askRegistry<Found>(url, `${searchPath(words)}&limit=3`, { signal });
  return results.some(({ siteId }) => siteId === (shop ?? siteId)) ? words : undefined;
}

const searchPath = (words: string): string => `/api/bridge/search?q=${encodeURIComponent(words)}`;
