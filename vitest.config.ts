import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Every test file and every program that a test starts is a process of its own: each finds what others compiled. The
// folder is Node's own default, which app/bridge.mjs uses too.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");

/** Files that start whole registries, an index or many processes: seconds each, whatever their size. */
const LONG = /\/test\/(cli|e2e|http|ports|upgrade)\//;

/** Long files first, so that none is left to run alone at the end; Vitest itself goes by their size until it has timed them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const shared = {
  globalSetup: ["test/support/broker.ts", "test/support/elasticsearch.ts"],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "everyday",
          include: ["test/**/*.test.ts"],
          exclude: ["test/faults/**"],
          // One more than the two cores that this is for: near half of the longest files' time is waiting, for pauses and the broker.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
          // Bounds of seconds meet machines that stall for as long; the report names what needed its second try.
          retry: 1,
        },
      },
      {
        // Whole registries that are killed and starved, after the rest and one at a time: a machine that is busy besides
        // makes visits late by our own fault.
        test: {
          ...shared,
          globalSetup: ["test/support/broker.ts"],
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          retry: 2,
        },
      },
    ],
  },
});
