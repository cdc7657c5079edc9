/**
 * Makes the broker's streams what topology.ts says, and notices when they are not. Only `bridge setup`, `bridge up` on its
 * own broker, and a process that is told so (BRIDGE_NATS_SETUP) write a stream's configuration.
 */
import { JetStreamApiError, type JetStreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { Clock } from "../../ports/clock.ts";
import { STORAGE_VERSION, StorageMismatch } from "../../ports/storage.ts";
import { METADATA, queueSubjects, streamConfigs, type WantedStream, wantedStreams } from "./topology.ts";

/** One stream's differences: its name, and each member of its configuration as it is and as it will be. */
export interface StreamChange {
  stream: string;
  kind: "create" | "update";
  members: Readonly<Record<string, { from: unknown; to: unknown }>>;
}

export interface SetupPlan {
  /** Whether the broker holds any stream of this registry. */
  exists: boolean;
  changes: readonly StreamChange[];
  /** Why the plan cannot be applied, a sentence each. */
  obstacles: readonly string[];
}

export interface StorageOptions {
  prefix: string;
  /** Copies of each stream; never lowered. */
  replicas: number;
  /** What all streams may take together on one server. */
  storeBytes: number;
}

const NOT_FOUND = 10_059;
const NAME_IN_USE = 10_058;
/** The broker's or the account's limit is less than what is to be reserved. */
const NO_ROOM = new Set([10_002, 10_023, 10_028, 10_047]);
const FRONTIER = /^([A-Za-z0-9_-]{1,32})_FRONTIER$/;

const CURRENT_PAUSE_MS = 250;

/** The registries that a broker holds, by their prefix. */
export async function listRegistries(jsm: JetStreamManager): Promise<string[]> {
  const prefixes: string[] = [];
  for await (const name of jsm.streams.names(queueSubjects("*", "frontier").sched)) {
    const prefix = FRONTIER.exec(name)?.[1];
    if (prefix) prefixes.push(prefix);
  }
  return prefixes;
}

/** What is to be done; writes nothing. */
export async function planSetup(jsm: JetStreamManager, options: StorageOptions): Promise<SetupPlan> {
  const wanted = wantedStreams(options.prefix, options.replicas, options.storeBytes);
  const held = await Promise.all(wanted.map(({ config }) => infoOf(jsm, config.name)));
  const obstacles = wanted.flatMap(({ config }, at) => {
    const bytes = held[at]?.state.bytes ?? 0;
    return bytes > config.max_bytes
      ? [
          `${config.name} holds ${gib(bytes)}, more than its ${gib(config.max_bytes)}: raise BRIDGE_STORE_GIB.`,
        ]
      : [];
  });
  obstacles.push(...held.flatMap((info) => (info && strangeVersion(info)) ?? []).slice(0, 1));
  return {
    exists: held.some((info) => info !== undefined),
    changes: wanted.flatMap((each, at) => changeOf(each, held[at]) ?? []),
    obstacles,
  };
}

async function infoOf(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(name);
  } catch (error) {
    if (isCode(error, NOT_FOUND)) return undefined;
    throw error;
  }
}

const isCode = (error: unknown, code: number): boolean =>
  error instanceof JetStreamApiError && error.code === code;

const gib = (bytes: number): string => `${Math.round((bytes / 2 ** 30) * 100) / 100} GiB`;

/** Why this program cannot use a stream that another version made; undefined for one of its own. */
function strangeVersion({ config: { name, metadata } }: StreamInfo): string | undefined {
  const version = metadata?.[METADATA.version];
  return version === String(STORAGE_VERSION)
    ? undefined
    : `${name} is of storage version ${version ?? "unknown"}, and this program's is ${STORAGE_VERSION}: run the program that made it (docs/upgrades.md).`;
}

function changeOf(wanted: WantedStream, found: StreamInfo | undefined): StreamChange | undefined {
  const target = found ? withCopies(wanted, found) : wanted.config;
  const held = (found?.config ?? {}) as unknown as Record<string, unknown>;
  const members = Object.entries(target)
    .filter(([key, to]) => key !== "name" && differs(held[key], to))
    .map(([key, to]) => [key, { from: held[key], to }] as const);
  if (found && members.length === 0) return undefined;
  return { stream: target.name, kind: found ? "update" : "create", members: Object.fromEntries(members) };
}

/** The copies that a stream will have: a command that is run without the setting must not take any away. */
function withCopies({ config }: WantedStream, found: StreamInfo): WantedStream["config"] {
  const copies = Math.max(found.config.num_replicas, config.num_replicas);
  const isBucket = config.name.startsWith("KV_");
  return { ...config, num_replicas: copies, ...(isBucket && { allow_direct: copies === 1 }) };
}

/** Members that the broker fills in, or that it adds its own to, compared by what is wanted of them. */
function differs(from: unknown, to: unknown): boolean {
  if (typeof to !== "object" || to === null) return (from ?? false) !== to;
  if (Array.isArray(to)) return JSON.stringify(from) !== JSON.stringify(to);
  const held = (from ?? {}) as Record<string, unknown>;
  return Object.entries(to).some(([key, value]) => held[key] !== value);
}

/**
 * Applies a plan. Safe to run again after it broke off. Of processes that make the same streams at the same moment, one may be
 * refused for want of room: nats-server (2.15) sets a stream's room aside for each of them, and does not give it back.
 * @param told after each stream
 * @throws StorageMismatch with what stands in the way
 */
export async function applySetup(
  jsm: JetStreamManager,
  { changes, obstacles }: SetupPlan,
  told: (change: StreamChange) => void = () => undefined,
): Promise<void> {
  if (obstacles.length > 0) throw new StorageMismatch(obstacles.join("\n"));
  const apply = async (change: StreamChange): Promise<void> => {
    await applyChange(jsm, change);
    if (change.kind === "update") await raiseConsumers(jsm, change);
    told(change);
  };
  // The frontier is the last of them, and tells starts that all are done.
  const isLast = ({ stream }: StreamChange): boolean => FRONTIER.test(stream);
  await Promise.all(changes.filter((change) => !isLast(change)).map(apply));
  for (const change of changes.filter(isLast)) await apply(change);
}

async function applyChange(jsm: JetStreamManager, { stream, kind, members }: StreamChange): Promise<void> {
  const config = Object.fromEntries(Object.entries(members).map(([key, { to }]) => [key, to]));
  try {
    if (kind === "update") await jsm.streams.update(stream, config);
    else await jsm.streams.add({ name: stream, ...config });
  } catch (error) {
    // Another process made it just now.
    if (kind === "create" && isCode(error, NAME_IN_USE)) await jsm.streams.update(stream, config);
    else if (error instanceof JetStreamApiError && NO_ROOM.has(error.code))
      throw new StorageMismatch(
        `${stream}: the broker has no room for it (${error.message}). Raise its max_file_store (and the account's limit) to BRIDGE_STORE_GIB, or lower that.`,
        { cause: error },
      );
    else throw error;
  }
}

/** Consumers that were made with copies of their own follow their stream. */
async function raiseConsumers(jsm: JetStreamManager, { stream, members }: StreamChange): Promise<void> {
  const copies = members.num_replicas?.to as number | undefined;
  if (copies === undefined) return;
  for await (const { name, config } of jsm.consumers.list(stream))
    if (config.num_replicas && config.num_replicas < copies)
      await jsm.consumers.update(stream, name, { ...config, num_replicas: copies });
}

/** Waits until every copy of every stream has caught up. @returns the streams that have not, after `waitMs` */
export async function untilCopied(
  jsm: JetStreamManager,
  { prefix, replicas, storeBytes }: StorageOptions,
  clock: Clock,
  waitMs: number,
): Promise<string[]> {
  const giveUpAt = clock.monotonicMs() + waitMs;
  const names = wantedStreams(prefix, replicas, storeBytes).map(({ config }) => config.name);
  for (;;) {
    const behind: string[] = [];
    for (const { config, cluster } of await Promise.all(names.map((name) => jsm.streams.info(name)))) {
      const followers = cluster?.replicas ?? [];
      const isWhole =
        followers.length >= config.num_replicas - 1 && followers.every(({ current }) => current);
      if (!isWhole) behind.push(config.name);
    }
    if (behind.length === 0 || clock.monotonicMs() > giveUpAt) return behind;
    await clock.sleep(CURRENT_PAUSE_MS);
  }
}

/**
 * Reads which version made the streams, without a right beyond every role's.
 * @param isRestoring whether this process restores a backup
 * @returns how many copies each stream has
 * @throws StorageMismatch when they are not there, or this program cannot run on them
 */
export async function checkStorage(
  jsm: JetStreamManager,
  prefix: string,
  isRestoring = false,
): Promise<{ replicas: number }> {
  const info = await infoOf(jsm, streamConfigs(prefix).frontier.name);
  if (!info)
    throw new StorageMismatch(
      `The broker holds no registry named ${prefix} (BRIDGE_NATS_PREFIX). Run \`bridge setup\` to make one; nothing was made.`,
    );
  const { metadata = {}, num_replicas } = info.config;
  if (METADATA.restoring in metadata && !isRestoring)
    throw new StorageMismatch(
      `A backup is being restored to ${prefix}, or was and broke off: then run \`bridge restore\` again with --force.`,
    );
  const strange = strangeVersion(info);
  if (strange) throw new StorageMismatch(strange);
  return { replicas: num_replicas };
}
