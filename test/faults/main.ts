/**
 * `npm run faults`: parts of a registry are killed, stopped, parted, out of disk, replaced and loaded for long; each round ends with
 * an account. Says what it does; a failure can be repeated with the seed it prints. What is killed here is never the machine: what a
 * power cut does to writes that no disk has seen is not shown.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readOptions } from "../support/options.ts";
import { fullDisk, killsOfUp, losesLeaders, processes } from "./crawls.ts";
import { FAULT_NAMES, type FaultName } from "./histories/faults.ts";
import { histories } from "./histories/histories.ts";
import { cleanUp } from "./programs.ts";
import { rolling } from "./rolling/everything.ts";
import { soak } from "./soak/soak.ts";

const startedMs = performance.now();
const say = (line: string): void =>
  void process.stdout.write(
    `${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`,
  );

/** Runs test files that print what became of each point, without second tries. */
async function tested(tests: readonly string[], more: Record<string, string> = {}): Promise<boolean> {
  const root = join(import.meta.dirname, "../..");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", ...tests, "--retry=0", "--disable-console-intercept"];
  const env = { ...process.env, ...more };
  const [code] = await once(spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" }), "exit");
  return code === 0;
}

/** Every point at which a purchase can be cut off. */
const purchases = (): Promise<boolean> =>
  tested(["test/faults/agents.test.ts", "test/faults/purchase.test.ts"], { BRIDGE_FAULT_POINTS: "all" });

const OPERATORS_TESTS = [
  "test/faults/cluster.test.ts",
  ...["unfilled-index", "own-way", "broken-creations", "elasticsearch"].map(
    (name) => `test/e2e/${name}.test.ts`,
  ),
];
const OPERATORS_REPEATS = 3;

/**
 * What an operator meets, again and again: a broker lost to its cluster, creations while leaders are killed, an index that is away or was
 * never filled, a resolver and a network of our own that are dead.
 */
async function operators(): Promise<boolean> {
  let good = true;
  for (let repeat = 1; repeat <= OPERATORS_REPEATS; repeat++) {
    say(`operators: ${repeat} of ${OPERATORS_REPEATS}`);
    good = (await tested(OPERATORS_TESTS)) && good;
  }
  return good;
}

const USAGE = `Usage: npm run faults -- [options]

Rounds, each of which ends with an account; all without --only:
  processes         a crawl by several processes: workers killed and stopped, the broker killed
  cluster           the leader of the frontier killed again and again, of three brokers
  up                bridge up killed at random moments
  disk              a disk that fills
  agents            agents that buy, and their fronts and workers, killed at every step
  operators         what an operator meets: a broker lost, an index away, a dead resolver
  rolling           every front, worker, broker and node of the index replaced under load
  histories         what clients of three brokers were answered under faults, held to what could have been
  soak              a load of all kinds, in memory that has to level out
Options:
  --only=ROUND
  --sites=N         that are crawled (1500)
  --requests=N      of rolling, at least (100000: some twelve minutes of a quiet machine)
  --minutes=N       of histories and soak (1 and 3)
  --fault=NAME      of histories, more than once for several: ${FAULT_NAMES.join(", ")}
  --connections=N   of soak: requests at once (32)
  --rate=N          of soak: requests a second; 0: as many as are answered (0)
  --seed=N          what is done when; printed, for doing it again

Examples: npm run faults -- --only=rolling --requests=5000
          npm run faults -- --only=cluster --sites=300 --seed=7
          npm run faults -- --only=soak --minutes=120 --rate=40

Exit code 1 when a round was not clean.
`;

const values = readOptions(USAGE, {
  only: { type: "string" },
  sites: { type: "string", default: "1500" },
  requests: { type: "string", default: "100000" },
  minutes: { type: "string" },
  fault: { type: "string", multiple: true, default: [] },
  connections: { type: "string", default: "32" },
  rate: { type: "string", default: "0" },
  seed: { type: "string" },
});
const sites = Number(values.sites);
const third = Math.ceil(sites / 3);
const seed = values.seed ? Number(values.seed) : Math.floor(Math.random() * 1e6);
const rounds: Record<string, () => Promise<boolean>> = {
  processes: () => processes({ sites, seed, say }),
  cluster: () => losesLeaders({ sites: third, seed, say }),
  up: () => killsOfUp({ sites: third, seed, say }),
  disk: () => fullDisk({ sites: third, say }),
  agents: purchases,
  operators,
  rolling: () => rolling(Number(values.requests), seed, say),
  histories: () =>
    histories({ minutes: Number(values.minutes ?? 1), seed, faults: values.fault as FaultName[] }, say),
  soak: () =>
    soak(
      {
        minutes: Number(values.minutes ?? 3),
        connections: Number(values.connections),
        rate: Number(values.rate),
        seed,
      },
      say,
    ),
};
function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${USAGE}`);
  process.exit(2);
}
if (values.only !== undefined && !(values.only in rounds)) refuse(`There is no round ${values.only}.`);
for (const name of values.fault)
  if (!(FAULT_NAMES as string[]).includes(name)) refuse(`There is no fault ${name}.`);
say(`${sites} sites, seed ${seed} (again: --sites ${sites} --seed ${seed})`);
let failed = 0;
try {
  for (const [name, round] of Object.entries(rounds)) {
    if (values.only && values.only !== name) continue;
    say(`round: ${name}`);
    if (!(await round())) failed++;
  }
} finally {
  await cleanUp();
}
say(failed === 0 ? "all rounds clean" : `${failed} rounds not clean`);
process.exit(failed === 0 ? 0 : 1);
