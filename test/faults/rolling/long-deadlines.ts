/**
 * Loaded before the program: every operation has a longer deadline, so that a machine that is busy with other work makes nothing
 * late by its own fault. What is counted is what a replacement breaks.
 */
import { isMainThread } from "node:worker_threads";

const TIMES = 6;

/** Threads have no operations, and the watchdog's has no room for their contracts. */
if (isMainThread) {
  const { services } = await import("../../../app/services.ts");
  const { timeoutOf } = await import("../../../src/rpc/contract.ts");
  for (const { operations } of services)
    for (const operation of Object.values(operations) as { timeoutMs?: number }[])
      operation.timeoutMs = TIMES * timeoutOf(operation as never);
}
