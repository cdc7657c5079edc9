/** BRIDGE_HOME: what one machine keeps, and the lock that lets one program at a time own it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export const homePaths = (home: string) => ({
  lock: join(home, "lock.db"),
  nats: join(home, "nats"),
  /** Address and credential of the broker that runs for this home; mode 0600. */
  broker: join(home, "broker.json"),
  index: join(home, "index"),
  world: join(home, "world"),
  /** Visits that were under way when the watchdog ended a process. */
  endings: join(home, "endings"),
});

export interface HomeLock {
  release(): void;
}

/**
 * Takes the home for this process. The lock is SQLite's own file lock: the system lets go of it when the process
 * ends in any way, so there is no stale lock to clean up after a `kill -9`.
 * @returns undefined when another process has it
 */
export const lockHome = (home: string): HomeLock | undefined => {
  mkdirSync(home, { recursive: true });
  const database = new DatabaseSync(homePaths(home).lock, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
};

/** Where the broker of this home listens, if one was started for it. */
export const readBrokerUrl = (home: string): string | undefined => {
  const { broker } = homePaths(home);
  if (!existsSync(broker)) return undefined;
  const { url } = JSON.parse(readFileSync(broker, "utf8")) as { url: string };
  return url;
};

export const writeBrokerUrl = (home: string, url: string): void =>
  writeFileSync(homePaths(home).broker, JSON.stringify({ url }), { mode: 0o600 });
