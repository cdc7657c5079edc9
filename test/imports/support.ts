/** An importer of a test's own: the run's broker under a prefix of its own, the real client, and a clock that tells of its pauses. */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import { openCounters } from "../../src/adapters/nats/counters.ts";
import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import { parseServer } from "../../src/imports/entry.ts";
import { type ImportDeps, type ImportSource, runImport } from "../../src/imports/import.ts";
import { registryPages } from "../../src/imports/registry-pages.ts";
import { Block } from "../../src/stores/block-list.ts";
import { type ImportState, openClaims } from "../../src/stores/claims.ts";
import { openRecords } from "../../src/stores/records.ts";
import { fetcherFor } from "../adapters/http/support.ts";
import { hostsOf } from "../support/frontier-hosts.ts";
import { joinBroker } from "../support/gate.ts";

/** A source as the official registry. */
export const asOfficial = (source: ImportSource): ImportSource => ({
  ...source,
  name: OFFICIAL_SOURCE,
  parse: (value) => parseServer(value, OFFICIAL_SOURCE),
});

export async function openImporter(caps?: ImportDeps["caps"]) {
  const prefix = `t${randomBytes(6).toString("hex")}`;
  const broker = await joinBroker(prefix);
  onTestFinished(() => broker.close());
  const frontier = openFrontier(broker, 20_000);
  const later = { ms: 0 };
  const now = () => broker.now() + later.ms;
  const pauses: number[] = [];
  const clock = { now: Date.now, sleep: async (ms: number) => void pauses.push(ms) };
  const blocks = openRecords(broker.buckets.blocks, Block);
  const claims = openClaims(broker.buckets);
  const counters = openCounters(broker.connection, broker.jsm, prefix, now);
  const deps: ImportDeps = { claims, frontier, blocks, counters, now, ...(caps && { caps }) };
  const fetcher = fetcherFor({});
  const { signal } = new AbortController();
  return {
    broker,
    frontier,
    claims,
    blocks,
    /** May be moved: days of caps are its. */
    later,
    pauses,
    tokens: () => hostsOf(frontier),
    registry: (url: string): ImportSource => registryPages(fetcher, clock, new URL(url)),
    run: (source: ImportSource, more: { logKey?: string } = {}): Promise<ImportState> =>
      runImport(deps, source, { signal, ...more }),
  };
}
