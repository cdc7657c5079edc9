/** Crawls under faults; each ends with an account of what a correct registry holds, against what this one holds. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { streamConfigs } from "../../src/adapters/nats/topology.ts";
import { type Random, randomFrom } from "../../world/random.ts";
import { startCluster } from "../support/cluster.ts";
import { freePort } from "../support/ports.ts";
import {
  type Account,
  inspectHome,
  isClean,
  judgeRequests,
  listedDomains,
  oracleOf,
  untilClean,
} from "./account.ts";
import { constants } from "./change-constants.ts";
import { type Joined, startJoined } from "./joined.ts";
import { cleanUp, newHome, type Program, pause, processesOf, runBridge, until } from "./programs.ts";
import { mountSmallDisk } from "./small-disk.ts";

const LEASE_MS = 4_000;
const DELAY_MS = 50;
/** Clocks and queues between both ends. */
const TOLERANCE_MS = 5;
const CRAWL_SETTINGS = {
  BRIDGE_HOST_DELAY_MS: String(DELAY_MS),
  BRIDGE_IP_DELAY_MS: String(DELAY_MS),
  BRIDGE_CRAWL_CONCURRENCY: "32",
};
const WORKER_EVERY_MS = 3_000;
const BROKER_EVERY_MS = 15_000;
const WORKERS = 3;
/** For the faults of one round, and then for the registry to come to rest. */
const FAULTS_MS = 120_000;
const REST_MS = 180_000;
/** None that answers for long: what a killed process had asked for goes on for the site. */
const KINDS = { unsigned: 1, no_txt: 1, no_document: 1, forged: 1, robots_disallow_all: 1, flaky_5xx: 1 };

type Say = (line: string) => void;

export interface Round {
  /** That are crawled. */
  sites: number;
  seed: number;
  say: Say;
}

const countsOf = (account: Account): string =>
  Object.entries(account)
    .map(([name, value]) => `${name} ${typeof value === "number" ? value : value.length}`)
    .join(", ");

/** Prints an account, and the hosts of one that is not clean. @returns whether it is */
function render(name: string, account: Account, say: Say): boolean {
  const good = isClean(account);
  say(`${name}: ${good ? "nothing lost, nothing double" : "NOT CLEAN"} (${countsOf(account)})`);
  if (!good) say(JSON.stringify(account, null, 1));
  return good;
}

/** Kills and stops workers in turn until enough of the web is listed; leaves `WORKERS` running. */
async function tormentWorkers(
  joined: Joined,
  workers: Program[],
  random: Random,
  enough: () => boolean,
  say: Say,
) {
  const resuming: Promise<void>[] = [];
  while (!enough()) {
    await pause(WORKER_EVERY_MS);
    const place = random.below(workers.length);
    const worker = workers[place]!;
    if (random.below(3) > 0) {
      say(`kill -9 of worker ${worker.pid}`);
      worker.kill("SIGKILL");
      workers[place] = await joined.worker();
      continue;
    }
    const stopMs = LEASE_MS + 200 + random.below(2_000);
    say(`worker ${worker.pid} stopped for ${stopMs} ms`);
    worker.kill("SIGSTOP");
    resuming.push(pause(stopMs).then(() => worker.kill("SIGCONT")));
  }
  await Promise.all(resuming);
}

/** A crawl by several processes through random kills and stops of workers and broker. @returns whether it ended clean */
export async function processes({ sites, seed, say }: Round): Promise<boolean> {
  const random = randomFrom(seed, "processes");
  const folder = join(newHome(), "nats");
  const server = await startBrokerServer({ binary: await ensureNatsServer(say), folder, notify: say });
  const joined = await startJoined(
    server.url,
    { sites, seed, kinds: KINDS },
    {
      ...constants({ leaseMs: LEASE_MS }),
      ...CRAWL_SETTINGS,
    },
  );
  const front = await joined.front();
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => joined.worker()));
  await joined.seed();
  let over = false;
  const giveUpAt = performance.now() + FAULTS_MS;
  const enough = () => over || performance.now() > giveUpAt;
  const killBroker = setInterval(() => {
    say(`kill -9 of the broker ${server.pid}`);
    process.kill(server.pid, "SIGKILL");
  }, BROKER_EVERY_MS);
  const watch = setInterval(async () => {
    const listed = (await listedDomains(joined.url))?.length;
    if (listed !== undefined) say(`${listed} of ${sites} sites listed`);
    if ((listed ?? 0) > 0.8 * sites) over = true;
  }, 5_000);
  await tormentWorkers(joined, workers, random, enough, say);
  clearInterval(killBroker);
  clearInterval(watch);
  say("no more faults; waiting for the registry to come to rest");
  const account = await untilClean(joined.inspector, joined.url, joined.world.hosts, REST_MS);
  let good = render("processes", account, say);
  const judgement = await judgeRequests(joined.world, {
    hostDelayMs: DELAY_MS,
    ipDelayMs: DELAY_MS,
    toleranceMs: TOLERANCE_MS,
  });
  const { requests, overlappingHost, hostGapViolations, ipGapViolations, robotsViolations } = judgement;
  say(
    `the sites saw ${JSON.stringify({ requests, overlappingHost, hostGapViolations, ipGapViolations, robotsViolations })}`,
  );
  if (overlappingHost + hostGapViolations + ipGapViolations + robotsViolations > 0) {
    say(JSON.stringify(judgement.worst));
    good = false;
  }
  for (const program of [front, ...workers]) program.kill("SIGTERM");
  for (const program of [front, ...workers]) good = (await program.ended).code === 0 && good;
  await joined.close();
  await server.stop();
  return good;
}

/** The server that leads the frontier now; waits while none does. */
async function leaderOf({ inspector }: Joined): Promise<string> {
  const { jsm, prefix } = inspector.broker;
  let leader: string | undefined;
  await until(
    "a leader of the frontier",
    async () => {
      const info = await jsm.streams.info(streamConfigs(prefix).frontier.name).catch(() => undefined);
      leader = info?.cluster?.leader;
      return leader !== undefined;
    },
    REST_MS,
  );
  return leader!;
}

/** Three brokers, three copies: the leader of the frontier is killed each time a quarter more of the web is listed. */
export async function losesLeaders({ sites, seed, say }: Round): Promise<boolean> {
  const cluster = await startCluster(await ensureNatsServer(say));
  const joined = await startJoined(
    cluster.url,
    { sites, seed, kinds: KINDS },
    {
      ...constants({ leaseMs: LEASE_MS }),
      BRIDGE_NATS_REPLICAS: "3",
      BRIDGE_NATS_CA: cluster.caFile,
      ...CRAWL_SETTINGS,
    },
  );
  try {
    const programs = [await joined.front(), await joined.worker(), await joined.worker("crawler")];
    await joined.seed();
    for (const share of [0.1, 0.35, 0.6]) {
      await until(
        `${share} of the web to be listed`,
        async () => ((await listedDomains(joined.url))?.length ?? 0) > share * sites,
        REST_MS,
      );
      const leader = await leaderOf(joined);
      say(`kill -9 of ${leader}, which leads the frontier; ${share} of the web is listed`);
      await cluster.kill(leader);
      const lostMs = performance.now();
      // A request under way when the leader is lost is answered by nobody: a look may take its whole time-out.
      say(
        `${await leaderOf(joined)} leads, at most ${((performance.now() - lostMs) / 1_000).toFixed(1)} s later`,
      );
      await cluster.restart(leader);
    }
    let good = render(
      "cluster",
      await untilClean(joined.inspector, joined.url, joined.world.hosts, REST_MS),
      say,
    );
    for (const program of programs) program.kill("SIGTERM");
    for (const program of programs) good = (await program.ended).code === 0 && good;
    return good;
  } finally {
    await cleanUp();
    await joined.close();
    await cluster.stop();
  }
}

/** `bridge up` killed at random moments. */
export async function killsOfUp({ sites, seed, say }: Round): Promise<boolean> {
  const random = randomFrom(seed, "up");
  const oracle = await oracleOf({ sites });
  const home = newHome();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { BRIDGE_HOME: home, PORT: String(port), ...constants({ leaseMs: LEASE_MS }) };
  const up = () => runBridge(["up", "--sites", String(sites)], environment);
  for (let kill = 0; kill < 8; kill++) {
    const program = up();
    const aliveMs = 200 + random.below(6_000);
    await pause(aliveMs);
    say(
      `kill -9 of bridge up after ${aliveMs} ms (${(await listedDomains(url))?.length ?? "no answer,"} listed)`,
    );
    program.kill("SIGKILL");
    await program.ended;
  }
  const last = up();
  await last.says(/^ready /m);
  const inspector = await inspectHome(home, { leaseMs: LEASE_MS });
  const account = await untilClean(inspector, url, oracle, REST_MS);
  await inspector.close();
  const good = render("up", account, say);
  last.kill("SIGTERM");
  const { code } = await last.ended;
  const left = processesOf(home);
  say(`bridge up ended with ${code}; processes left: ${left.length}`);
  return good && code === 0 && left.length === 0;
}

/** A disk that fills. */
export async function fullDisk({ sites, say }: Omit<Round, "seed">): Promise<boolean> {
  const disk = mountSmallDisk(48);
  if (!disk) {
    say("disk: not tried, this user may not mount a tmpfs");
    return true;
  }
  try {
    const oracle = await oracleOf({ sites });
    const home = join(disk.folder, "home");
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { BRIDGE_HOME: home, PORT: String(port), ...constants({ leaseMs: LEASE_MS }) };
    const program = runBridge(["up", "--sites", String(sites)], environment);
    for (const share of [0.05, 0.3, 0.6]) {
      await until(
        "listed sites",
        async () => ((await listedDomains(url))?.length ?? 0) > share * sites,
        REST_MS,
      );
      disk.fill();
      say(
        `disk filled at ${execFileSync("df", ["--output=pcent", disk.folder]).toString().split("\n")[1]!.trim()}`,
      );
      await pause(3_000 + share * 10_000);
      disk.free();
      say("disk freed");
    }
    const inspector = await inspectHome(home, { leaseMs: LEASE_MS });
    const good = render("disk", await untilClean(inspector, url, oracle, REST_MS), say);
    await inspector.close();
    program.kill("SIGTERM");
    return (await program.ended).code === 0 && good;
  } finally {
    await cleanUp();
    disk.remove();
    rmSync(disk.folder, { recursive: true, force: true });
  }
}
