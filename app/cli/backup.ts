/** `bridge backup` and `bridge restore`: all that a registry stores, in one file. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import {
  BACKUP_PARTS,
  type BackupRecord,
  countStored,
  deleteStored,
  markRestoring,
  readPart,
  writeRecords,
} from "../../src/adapters/nats/backup.ts";
import { findRoles } from "../../src/adapters/nats/discovery.ts";
import { isStorageFull } from "../../src/adapters/nats/fill.ts";
import { openLog } from "../../src/adapters/nats/log.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { STORAGE_VERSION } from "../../src/ports/storage.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openIdentity } from "../../src/stores/identity.ts";
import { joinManager, joinRestoring } from "../processes/join-broker.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { ROLES } from "../roles.ts";
import { readBackup, verifyBackup, writeBackup } from "./backup-file.ts";
import { actOn, brokerUrlOf, ownBroker } from "./parts.ts";
import { noRoom, setUpStorage } from "./setup.ts";
import { CommandError, print, say } from "./terminal.ts";

const TOLD_EVERY = 10_000;
const WAIT_FOR_BROKER_MS = 10_000;
const ROLES_WITHIN_MS = 1_000;

/** Writes a backup of the running registry. @param target a file that is not there, or a folder */
export async function backup(config: Config, target: string): Promise<void> {
  const at = new Date().toISOString();
  const { BRIDGE_NATS_PREFIX: prefix } = config;
  const path = isFolder(target)
    ? join(target, `${prefix}-${at.replace(/\D/g, "").slice(0, 14)}.bridge-backup`)
    : target;
  if (existsSync(path)) throw new CommandError(`${path} is there already. Name another file.`, 2);
  return actOn(config, "backup", { path }, async ({ broker }) => {
    const head = { bridge_backup: 1 as const, prefix, at, storage_version: STORAGE_VERSION };
    const { records, sha256 } = await writeBackup(path, head, readAll(broker));
    const total = Object.values(records).reduce((sum, count) => sum + count, 0);
    say(`It holds every secret of the registry, unencrypted, and is readable by you alone (mode 0600).`);
    print(
      `${path}: ${total} records, ${statSync(path).size} bytes, ${records.log_stream ?? 0} entries of the log, SHA-256 ${sha256}`,
    );
  });
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

async function* readAll(broker: NatsBroker): AsyncGenerator<BackupRecord> {
  const told = progress("saved");
  for (const part of BACKUP_PARTS)
    for await (const record of readPart(broker, part)) {
      told(record);
      yield record;
    }
}

/** Says how far it is, a line for each ten thousand records. */
function progress(verb: string): (record: BackupRecord) => void {
  let count = 0;
  return ({ part }) => {
    if (++count % TOLD_EVERY === 0) say(`${count} records ${verb} (${part})`);
  };
}

/**
 * Restores a backup into the registry of the settings: another prefix, broker or number of copies than it had is as good.
 * Without BRIDGE_NATS_URL, into BRIDGE_HOME, where nothing may run.
 */
export async function restore(config: Config, path: string, { force }: { force: boolean }): Promise<void> {
  if (config.BRIDGE_NATS_URL) return restoreTo(config, brokerUrlOf(config), path, force);
  const own = await ownBroker(config, say);
  try {
    await restoreTo(config, own.url, path, force);
  } finally {
    await own.stop();
  }
}

async function restoreTo(config: Config, url: string, path: string, force: boolean): Promise<void> {
  const { head, end } = await verifyBackup(path);
  if (head.storage_version !== STORAGE_VERSION)
    throw new CommandError(
      `${path} is of storage version ${head.storage_version}, and this program's is ${STORAGE_VERSION}: restore it with the program that made it.`,
      6,
    );
  await makeRoom(config, url, force);
  const broker = await joinRestoring(config, url, systemClock);
  try {
    await writeRecords(broker, readBackup(path), progress("restored")).catch((error: unknown) => {
      throw isStorageFull(error) ? noRoom(config) : error;
    });
    const size = await checkLog(broker, config);
    await markRestoring(broker.jsm, broker.prefix, false);
    const total = Object.values(end.records).reduce((sum, count) => sum + count, 0);
    print(
      `${broker.prefix}: ${total} records of ${head.prefix} as of ${head.at} are restored; the log has ${size} entries, and its root is the signed one.`,
    );
  } finally {
    await broker.close();
  }
}

/** Makes empty streams for a restore. @throws CommandError where that would destroy something */
async function makeRoom(config: Config, url: string, force: boolean): Promise<void> {
  const { BRIDGE_NATS_PREFIX: prefix } = config;
  const manager = await joinManager(config, url, systemClock, WAIT_FOR_BROKER_MS);
  try {
    const { running, silent } = await findRoles(manager.connection, prefix, ROLES, ROLES_WITHIN_MS);
    if (running.length > 0 || silent.length > 0)
      throw new CommandError(
        `Processes of ${prefix} are running (${[...running.map(({ name }) => name), ...silent].join(", ")}). Stop all of them first; nothing was changed.`,
        3,
      );
    const stored = await countStored(manager.jsm, prefix);
    if (stored > 0 && !force)
      throw new CommandError(
        `${prefix} is not empty: it holds ${stored} records. With --force they are deleted for ever; nothing was changed.`,
        2,
      );
    await deleteStored(manager.jsm, prefix);
    await setUpStorage(config, url, { dryRun: false, create: true }, () => undefined);
    await markRestoring(manager.jsm, prefix, true);
  } finally {
    await manager.close();
  }
}

/** Opens the restored log. @returns its size @throws LogBroken where it is not under the greatest head that was signed */
async function checkLog(broker: NatsBroker, config: Config): Promise<number> {
  const identity = await openIdentity(broker.buckets.service);
  const log = await openLog(broker, identity, publicUrlOf(config), systemClock);
  return (await log.head()).size;
}
