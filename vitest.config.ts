import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Every test file and every program that a test starts is a process of its own: each finds what others compiled. The
// folder is Node's own default, which app/bridge.mjs uses too.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");

// A process for each registry would be most of a test's memory: tests of the encoder ask for it.
process.env.BRIDGE_SEARCH_MEANING ??= "static";

/** Files that start whole registries, an index or many processes: seconds each, whatever their size. */
const LONG = /\/test\/(app\/cli|e2e|faults|fuzz|http|limits|mcp|people|ports|sdk)\//;

/** Read modules as they load, which must not have been loaded before. */
const FRESH = ["test/expressions/expressions.test.ts"];

/** Judge when requests were sent and answered: a machine that is busy besides makes them late by our own fault. */
const ALONE = [
  "test/faults/{attack,workers}.test.ts",
  "test/adapters/nats/lame-duck.test.ts",
  "test/attack/full-registry.test.ts",
];

/**
 * What takes long for what it adds to everyday work: parts that are killed, replaced, flooded and started again one way after the
 * other, programs of others against published forms, whole journeys in Chromium (test/people/passkeys is its everyday form), the second
 * index engine (test/ports/sqlite-index is what both are held to). `npm test -- --thorough` runs them
 * and those of `ALONE`, and CI does.
 */
const THOROUGH = [
  "test/app/cli/recipes.test.ts",
  "test/adapters/nats/cluster.test.ts",
  "test/agent-web/official-registry.test.ts",
  "test/bench/way.test.ts",
  "test/app/cli/{access,install,reindex,up,wrapper}.test.ts",
  "test/deploy/observability.test.ts",
  "test/e2e/{bridge-script,elasticsearch,encoder,quarantine,restart,services,ten-questions}.test.ts",
  "test/eval/search/search.test.ts",
  "test/faults/{agents,broker,disk,hang,power-cut,purchase,up,webhooks}.test.ts",
  "test/fuzz/api.test.ts",
  "test/imports/killed.test.ts",
  "test/mcp/{clients,loop}.test.ts",
  "test/people/{browser,console,journeys,owners,scripts}.test.ts",
  "test/ports/elasticsearch-{index,tls}.test.ts",
  "test/sdk/{published,registry}.test.ts",
  "test/simulation/differential.test.ts",
  "test/faults/soak/soak.test.ts",
  "test/telemetry/traces.test.ts",
  "test/threads/watchdog.test.ts",
  "test/workers/trust/litewitness.test.ts",
];

/** Run by `npm run image`, which brings a container engine; without it skipped, and counted. */
const IMAGE = "test/image/**/*.test.ts";

/** Long files first, so that none is left to run alone at the end; Vitest itself goes by their size until it has timed them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const shared = {
  globalSetup: ["test/support/broker.ts"],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Vitest's second is too little for what crosses the broker on a busy machine.
  expect: { poll: { timeout: 15_000 } },
  pool: "forks",
} as const;

const together = {
  // One more than the two cores that this is for: near half of the longest files' time is waiting, for pauses and the broker.
  maxWorkers: 3,
  sequence: { groupOrder: 2 },
  // Files that follow each other in a process find each other's modules loaded and compiled: a third of a run's
  // processor time. What a file starts it stops, so they share nothing else.
  isolate: false,
  // Bounds of seconds meet machines that stall for as long; a run's last lines name what needed its second try.
  retry: 1,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...shared,
          ...together,
          name: "everyday",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...FRESH, ...THOROUGH, IMAGE],
        },
      },
      {
        test: {
          ...shared,
          ...together,
          name: "thorough",
          include: THOROUGH,
          globalSetup: [...shared.globalSetup, "test/support/elasticsearch.ts"],
        },
      },
      { test: { ...shared, ...together, isolate: true, globalSetup: [], name: "fresh", include: FRESH } },
      {
        test: {
          ...shared,
          name: "alone",
          include: ALONE,
          maxWorkers: 1,
          // First: after half an hour of all else a machine writes and reclaims for a while. Vitest runs a group 0 of one worker last.
          sequence: { groupOrder: 1 },
          retry: 1,
        },
      },
      {
        test: {
          name: "image",
          include: [IMAGE],
          globalSetup: ["test/image/engine.ts"],
          testTimeout: 900_000,
          hookTimeout: 1_800_000,
          pool: "forks",
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
