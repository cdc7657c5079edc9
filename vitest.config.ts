import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Every test file and every program that a test starts is a process of its own: each finds what others compiled. The
// folder is Node's own default, which src/bridge.mjs uses too.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");

const shared = {
  globalSetup: ["test/support/broker.ts", "test/support/elasticsearch.ts"],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "everyday",
          include: ["test/**/*.test.ts"],
          exclude: ["test/faults/**"],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
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
          retry: 1,
        },
      },
    ],
  },
});
