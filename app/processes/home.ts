/** BRIDGE_HOME: a machine's local state, and the lock that restricts it to one process. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigError } from "../../src/runtime/config.ts";

export interface HomeLock {
  release(): void;
}

/**
 * Locks the home for this process. The lock is SQLite's file lock: the kernel releases it when the process ends in any
 * way, so there is no stale lock after a `kill -9`.
 * @returns undefined if another process holds it
 * @throws ConfigError where it is no folder
 */
export function lockHome(home: string): HomeLock | undefined {
  try {
    mkdirSync(home, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`BRIDGE_HOME: ${home} is no folder that can be made or used (${code}).`, {
      cause: error,
    });
  }
  const database = new DatabaseSync(homePaths(home).lock, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
}

export const homePaths = (home: string) => ({
  lock: join(home, "lock.db"),
  nats: join(home, "nats"),
  /** Address and credential of this home's broker; mode 0600. */
  broker: join(home, "broker.json"),
  index: join(home, "index"),
  toolIndex: join(home, "index-tools"),
  world: join(home, "world"),
  /** The synthetic shop's owner and license; mode 0600. */
  demo: join(home, "demo.json"),
});

/** Address of this home's broker, if one was started. */
export function readBrokerUrl(home: string): string | undefined {
  const { broker } = homePaths(home);
  if (!existsSync(broker)) return undefined;
  const { url } = JSON.parse(readFileSync(broker, "utf8")) as { url: string };
  return url;
}

export const writeBrokerUrl = (home: string, url: string): void =>
  writeFileSync(homePaths(home).broker, JSON.stringify({ url }), { mode: 0o600 });
