/** `bridge setup`: makes the broker's streams, and is the one command that writes their configuration. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { isStorageFull } from "../../src/adapters/nats/fill.ts";
import {
  applySetup,
  listRegistries,
  planSetup,
  type StreamChange,
  untilCopied,
} from "../../src/adapters/nats/setup.ts";
import { StorageMismatch } from "../../src/ports/storage.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { joinManager, storageOf } from "../processes/join-broker.ts";
import { brokerUrlOf, withRuntime } from "./parts.ts";
import { CommandError, print, say } from "./terminal.ts";

/** Brokers may be started together with the command. */
const WAIT_FOR_BROKER_MS = 10_000;
/** For new copies of every stream. */
const COPIED_WITHIN_MS = 600_000;

export interface SetupFlags {
  dryRun: boolean;
  create: boolean;
}

/** Run it before the first start, and after a change of the settings that bound what is stored. */
export async function setup(config: Config, flags: SetupFlags): Promise<void> {
  const changes = await setUpStorage(config, brokerUrlOf(config), flags, flags.dryRun ? print : say);
  if (!flags.dryRun) await prepareRecords(config);
  const done = flags.dryRun ? "would be changed" : "changed; the registry's records are ready";
  print(`${config.BRIDGE_NATS_PREFIX}: ${changes.length} streams ${done}.`);
}

/**
 * Makes a broker's streams, or brings their bounds and copies to the settings.
 * @returns what was, or with `dryRun` would be, changed
 * @throws StorageMismatch with what stands in the way
 */
export async function setUpStorage(
  config: Config,
  url: string,
  { dryRun, create }: SetupFlags,
  told: (line: string) => void,
): Promise<readonly StreamChange[]> {
  const options = storageOf(config);
  const { jsm, close } = await joinManager(config, url, systemClock, WAIT_FOR_BROKER_MS);
  try {
    const plan = await planSetup(jsm, options);
    if (!plan.exists && !create) await refuseStrange(jsm, options.prefix);
    if (dryRun) {
      for (const change of plan.changes) told(describe(change));
      for (const obstacle of plan.obstacles) told(`in the way: ${obstacle}`);
      return plan.changes;
    }
    await applySetup(jsm, plan, (change) => told(describe(change))).catch((error: unknown) => {
      throw isStorageFull(error) ? noRoom(config) : error;
    });
    if (plan.changes.some(({ members }) => Number(members.num_replicas?.to ?? 1) > 1)) {
      told("waiting until every copy has caught up");
      const behind = await untilCopied(jsm, options, systemClock, COPIED_WITHIN_MS);
      if (behind.length > 0) throw new StorageMismatch(`Not every copy has caught up: ${behind.join(", ")}.`);
    }
    return plan.changes;
  } finally {
    await close();
  }
}

/** A second registry on a broker is made on purpose only: a wrong prefix must make none. */
async function refuseStrange(jsm: JetStreamManager, prefix: string): Promise<void> {
  const others = await listRegistries(jsm);
  if (others.length === 0) return;
  throw new CommandError(
    `The broker holds no registry named ${prefix} (BRIDGE_NATS_PREFIX), but ${others.slice(0, 10).join(", ")}. To make another one, run \`bridge setup --create\`; nothing was made.`,
    2,
  );
}

const describe = ({ stream, kind, members }: StreamChange): string =>
  kind === "create"
    ? `create ${stream}`
    : `update ${stream}: ${Object.entries(members)
        .map(([name, { from, to }]) => `${name} ${shown(from)} → ${shown(to)}`)
        .join(", ")}`;

const shown = (value: unknown): string => (value === undefined ? "unset" : JSON.stringify(value));

/** What to do about a broker with too little room. */
export const noRoom = (config: Config): CommandError =>
  new CommandError(
    `The broker has too little room: the streams of ${config.BRIDGE_NATS_PREFIX} may take ${config.BRIDGE_STORE_GIB} GiB on each server (BRIDGE_STORE_GIB). Give its store (max_file_store of deploy/nats.conf) and its disk more than that, or the setting less, and run the command again.`,
  );

/** Makes what every process needs beside the streams: the registry's key, its plans, its log's name. Idempotent. */
const prepareRecords = (config: Config): Promise<void> =>
  withRuntime(config, async (runtime) => {
    const { broker } = runtime;
    await openPlans(broker.buckets.accounts, broker.now).ensure();
    await runtime.transparency();
    await runtime.ownDocument();
  });
