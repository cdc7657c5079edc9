/** Constants of a program that a test starts, shorter ones. Loaded before the program, it changes them as its environment says. */
import { isMainThread } from "node:worker_threads";
import type { CONSTANTS } from "../../src/runtime/config.ts";

const NAME = "TEST_CONSTANTS";

/** The part of a program's environment that says which of its constants are others. */
export const constants = (changed: Partial<typeof CONSTANTS>) => ({ [NAME]: JSON.stringify(changed) });

export const changedBy = (environment: Record<string, string>): Partial<typeof CONSTANTS> =>
  JSON.parse(environment[NAME] ?? "{}");

// Threads read no settings, and the watchdog's has no room for them.
if (isMainThread && process.env[NAME])
  Object.assign((await import("../../src/runtime/config.ts")).CONSTANTS, JSON.parse(process.env[NAME]));
