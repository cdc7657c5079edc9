/** Every front, worker, broker and node of the index is replaced once under load, and each request is accounted for. */
import { ensureNatsServer } from "../../../deploy/nats-server.ts";
import { ensureHaproxy } from "../../support/balancer.ts";
import { type Cluster, startCluster } from "../../support/cluster.ts";
import { pause } from "../programs.ts";
import { type IndexCluster, startIndexCluster } from "./index-cluster.ts";
import { type Load, quantileOf, startLoad } from "./load.ts";
import { type Parts, startParts, wronglyMade } from "./parts.ts";

const LAME_DUCK_MS = 5_000;
const CONNECTIONS = 6;
const REST_MS = 2_000;
const SITES = 12;
/** Rests between two lines of how far the load is. */
const SAY_EVERY = 15;
/** Two processes of each role. */
const ROLES = [
  ["search", "protocol", "trust", "indexer", "gossip"],
  ["accounts", "provider", "session", "gateway", "operators", "crawler"],
] as const;
const WORKERS = ROLES.flatMap((roles) => [roles, roles]);

interface Phase {
  what: string;
  replace(): Promise<void>;
}

/** Says what each phase cost. */
async function run(phases: readonly Phase[], load: Load, say: (line: string) => void): Promise<void> {
  for (const { what, replace } of phases) {
    await pause(REST_MS);
    const fromMs = load.nowMs();
    const sentBefore = load.sent;
    await replace();
    const toMs = load.nowMs();
    const failed = load.failed.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    const p = (share: number) => quantileOf(load, share, fromMs, toMs);
    say(
      `${what} replaced in ${((toMs - fromMs) / 1_000).toFixed(1)} s: ${failed.length} of ${load.sent - sentBefore} requests failed, p50 ${p(0.5)} ms, p99 ${p(0.99)} ms`,
    );
    for (const failure of failed) say(JSON.stringify(failure));
  }
}

async function account(
  parts: Parts,
  load: Load,
  seed: number,
  say: (line: string) => void,
): Promise<boolean> {
  const wrong = await wronglyMade(parts, load, `load-${seed}-`);
  say(
    `${load.failed.length} of ${load.sent} requests failed, ${load.stale} answered by an earlier reply; ${load.made.length} keys made, ${wrong.length} of them wrongly; p50 ${quantileOf(load, 0.5)} ms, p99 ${quantileOf(load, 0.99)} ms`,
  );
  for (const line of wrong.slice(0, 40)) say(line);
  return load.failed.length + wrong.length === 0;
}

/** What is replaced, in this order. */
const phasesOf = (parts: Parts, brokers: Cluster, index: IndexCluster): Phase[] => [
  ...parts.fronts.map((_, at) => ({ what: `front ${at + 1}`, replace: () => parts.replaceFront(at) })),
  ...parts.workers.map((_, at) => ({
    what: `worker ${at + 1} (${WORKERS[at]!.join(" ")})`,
    replace: () => parts.replaceWorker(at),
  })),
  ...brokers.names.map((what) => ({
    what,
    replace: async () => {
      await brokers.leave(what);
      await brokers.restart(what);
    },
  })),
  ...index.names.map((what) => ({ what, replace: () => index.replace(what) })),
];

async function underLoad(
  parts: Parts,
  phases: readonly Phase[],
  { requests, seed, say }: { requests: number; seed: number; say: (line: string) => void },
): Promise<boolean> {
  const load = startLoad({
    url: parts.balancer.url,
    domains: parts.domains,
    connections: CONNECTIONS,
    writeEvery: 20,
    registerEvery: 50,
    pauseMs: 0,
    seed,
  });
  try {
    await run(phases, load, say);
    // SIGUSR2 ends the load, and what was sent is accounted for; Ctrl-C would end brokers and nodes, too.
    let enough = false;
    process.once("SIGUSR2", () => {
      enough = true;
    });
    for (let waited = 0; load.sent < requests && !enough; waited++) {
      await pause(REST_MS);
      if (waited % SAY_EVERY === 0)
        say(`${load.sent} of ${requests} requests sent, ${load.failed.length} failed`);
    }
  } finally {
    await load.stop();
  }
  return account(parts, load, seed, say);
}

/** @returns whether no request failed, and each write was done once */
export async function rolling(requests: number, seed: number, say: (line: string) => void): Promise<boolean> {
  const haproxy = ensureHaproxy();
  if ("missing" in haproxy) throw new Error(haproxy.missing);
  const brokers = await startCluster(await ensureNatsServer(say));
  let index: IndexCluster | undefined;
  let parts: Parts | undefined;
  try {
    index = await startIndexCluster(say);
    say("three brokers and three nodes of the index are up");
    parts = await startParts({
      natsUrl: brokers.url,
      haproxy,
      sites: SITES,
      workers: WORKERS,
      lameDuckMs: LAME_DUCK_MS,
      longDeadlines: true,
      settings: {
        BRIDGE_NATS_REPLICAS: "3",
        BRIDGE_NATS_CA: brokers.caFile,
        BRIDGE_ELASTICSEARCH_URL: index.url,
      },
    });
    say(`${parts.domains.length} sites are listed; the load begins`);
    return await underLoad(parts, phasesOf(parts, brokers, index), { requests, seed, say });
  } finally {
    await parts?.close();
    await Promise.all([brokers.stop(), index?.stop()]);
  }
}
