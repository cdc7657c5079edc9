/**
 * What probes ask: whether the process has started, whether what it depends on answers (readiness), and whether its threads
 * still turn (liveness). Each answer names what is wrong.
 */
import { setTimeout as delay } from "node:timers/promises";
import { standingThreads } from "../../src/threads/watchdog.ts";

/** One thing that a process cannot work without. */
export interface Dependency {
  name: string;
  /** @returns why it cannot be used now; undefined if it can. A throw is a reason too. */
  check(): Promise<string | undefined>;
}

export interface DependencyHealth {
  name: string;
  /** Undefined: well. */
  why: string | undefined;
}

export interface Health {
  /** Adds what the process depends on, such as a role's. */
  dependsOn(dependencies: readonly Dependency[]): void;
  /** From here on the process may be ready. */
  started(): void;
  /** From here on it is not: it finishes what it has. */
  draining(): void;
  startup(): Promise<DependencyHealth[]>;
  readiness(): Promise<DependencyHealth[]>;
  liveness(): Promise<DependencyHealth[]>;
}

/** Probes wait three seconds and more. */
export const CHECK_TIMEOUT_MS = 2_000;
const STANDING_MS = 2_000;

export function createHealth(): Health {
  const dependencies = new Map<string, Dependency>();
  let phase: "starting" | "started" | "draining" = "starting";
  const process = (): DependencyHealth => ({ name: "process", why: phase === "started" ? undefined : phase });
  return {
    dependsOn: (more) => {
      for (const each of more) dependencies.set(each.name, each);
    },
    started: () => {
      phase = "started";
    },
    draining: () => {
      phase = "draining";
    },
    startup: async () => [{ name: "process", why: phase === "starting" ? phase : undefined }],
    readiness: async () => [
      process(),
      ...(await Promise.all([...dependencies.values()].map(dependencyHealth))),
    ],
    liveness: async () => {
      const standing = new Set(await standingThreads(STANDING_MS));
      return [
        // Whoever reads this was answered by it.
        { name: "event loop", why: undefined },
        ...[...standing].map((name) => ({
          name: `thread ${name}`,
          why: `no turn for ${STANDING_MS / 1_000} s`,
        })),
      ];
    },
  };
}

/** Asks one dependency, for at most two seconds. */
export async function dependencyHealth({ name, check }: Dependency): Promise<DependencyHealth> {
  const late = delay(CHECK_TIMEOUT_MS, `no answer within ${CHECK_TIMEOUT_MS / 1_000} s`, { ref: false });
  const found = check().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  return { name, why: await Promise.race([found, late]) };
}

export const isWell = (findings: readonly DependencyHealth[]): boolean =>
  findings.every(({ why }) => why === undefined);

/** As Kubernetes' own components write it: `[+]broker ok`, `[-]index failed: …`. */
export const renderFindings = (findings: readonly DependencyHealth[]): string =>
  findings
    .map(({ name, why }) => (why === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${why}\n`))
    .join("");
