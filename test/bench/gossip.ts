/** What a report costs gossip: with nothing known, with 100,000 hosts known, and after a million invented names. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { openLooks } from "../../src/crawl/look.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { openPeers } from "../../src/stores/peers.ts";
import { openRecords } from "../../src/stores/records.ts";
import { createAdmission, type GossipDeps } from "../../workers/gossip/admission.ts";
import { Candidates, Reporter } from "../../workers/gossip/rules.ts";
import { BUCKET_SIZE, Holder, NEW_BUCKETS } from "../../workers/gossip/tables.ts";
import { openTriedTable } from "../../workers/gossip/tried-table.ts";
import type { BenchLine } from "./bench-line.ts";

const IN_FLIGHT = 64;
const SAMPLE = 5_000;
const KNOWN = 100_000;

const inTurns = async (count: number, work: (i: number) => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < count) await work(next++);
    }),
  );
  return (count * 1_000) / (performance.now() - startedMs);
};

const depsOf = async (runtime: OpenedRuntime): Promise<GossipDeps> => {
  const { broker, frontier, sites, blocks, publicUrl, ownRing, identity, resolver, log } = runtime;
  const { secret } = identity;
  const { gossip_places: bucket, candidates, reporters } = broker.buckets;
  const now = broker.now;
  return {
    tried: await openTriedTable({
      bucket,
      frontier,
      sites,
      resolver,
      secret,
      clock: runtime.clock,
      now,
      log,
    }),
    looks: openLooks(broker.buckets.looks),
    places: openRecords(bucket, Holder),
    frontier,
    sites,
    blocks,
    candidates: openRecords(candidates, Candidates),
    reporters: openRecords(reporters, Reporter),
    peersFor: openPeers({ index: runtime.index, now, secret }),
    now,
    secret,
    publicUrl,
    ownRing,
    random: Math.random,
  };
};

const line = (name: string, value: number, baseline: number | null, conditions: string): BenchLine => ({
  name: `gossip ${name}`,
  value: Math.round(value),
  unit: "names/s",
  baseline: baseline === null ? null : Math.round(baseline),
  ratio: baseline === null ? null : Number((value / baseline).toFixed(2)),
  conditions,
});

/** @param fakes invented names, said by one group that no allowance holds back */
export const bench = async (fakes = 1_000_000): Promise<BenchLine[]> => {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const binary = await ensureNatsServer(() => undefined);
  const server = await startBrokerServer({ binary, folder: join(home, "nats") });
  const runtime = await openRuntime(
    { ...readConfig({ BRIDGE_NATS_SETUP: "true" }), BRIDGE_HOME: home },
    server.url,
  );
  try {
    const deps = await depsOf(runtime);
    const admission = createAdmission(deps);
    // Every sample comes from groups of its own: what is measured is the store behind them.
    const sample = (name: string) =>
      inTurns(SAMPLE, (i) => admission.admit(`sample-${name}-${i}.example`, "report", `${name} ${i % 500}`));
    await sample("warm");
    const empty = await sample("empty");
    const heardAt = Math.floor(deps.now());
    const due = deps.now() + 86_400_000;
    await inTurns(KNOWN, (i) =>
      deps.frontier.add(`known-${i}.example`, due, { source: "seed", heardAt, visited: true }),
    );
    const known = await sample("known");
    const before = (await deps.frontier.lag()).tokens;
    const flooded = await inTurns(fakes, (i) => admission.admit(`fake-${i}.example`, "report", "one group"));
    const tokens = (await deps.frontier.lag()).tokens - before;
    const after = await sample("after");
    const share = (100 * tokens) / (NEW_BUCKETS * BUCKET_SIZE);
    deps.tried.stop();
    return [
      line("with nothing known", empty, null, `${SAMPLE} new names of 500 groups, ${IN_FLIGHT} in flight`),
      line("with 100,000 hosts known", known, empty, "the same"),
      line(
        "flood",
        flooded,
        null,
        `${fakes} invented names of one group; it holds ${tokens} places, ${share.toFixed(2)} % (bound 6.25 %)`,
      ),
      line("after the flood", after, empty, "the same as at first"),
    ];
  } finally {
    await runtime.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
};
