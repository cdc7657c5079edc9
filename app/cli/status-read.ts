/** What `bridge status` asks, of whom, and for how long: an answer that does not come is unknown, not bad news. */
import type { AgentWebToday } from "../../schemas/agent-web.ts";
import {
  type FoundRoles,
  findRoles,
  gatherStats,
  type RoleAnnouncement,
  type ServiceStats,
} from "../../src/adapters/nats/discovery.ts";
import { agentWebToday } from "../../src/agent-web/counts.ts";
import type { StorageUse, StreamCopies } from "../../src/ports/storage.ts";
import type { Config } from "../../src/runtime/config.ts";
import { LOG_FAULTS, type LogFault, openClaims } from "../../src/stores/claims.ts";
import {
  openWitnessesSaid,
  SAID,
  type ShownWitness,
  shownWitnesses,
  WITNESS_FAULTS,
} from "../../src/stores/witnesses.ts";
import { filledIndexDependency, indexDependency, storageDependency } from "../processes/dependencies.ts";
import { CHECK_TIMEOUT_MS, type Dependency, dependencyHealth } from "../processes/health.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { ROLES } from "../roles.ts";
import { withoutCredentials } from "./parts.ts";
import { printable } from "./terminal.ts";

/** What a registry needs in order to answer. */
export interface RegistryPart {
  part: "broker" | "storage" | "front" | "index" | "worker";
  /** Address or folder, without credentials; of a worker, its role. */
  where: string;
  /** unknown: somebody is there, and has not answered in time. */
  state: "up" | "down" | "unknown";
  /** Whether the state is "up". */
  up: boolean;
  /** Of one that is not up: why, and what to do. */
  detail?: string;
}

/** One role of one process. */
export interface RoleCounts {
  role: string;
  /** `host:pid`. */
  process: string;
  /** Why it does not do its work although it runs; null: it does. */
  trouble: string | null;
  /** null, as below: its counts did not come in time. */
  requests: number | null;
  errors: number | null;
  averageMs: number | null;
  counts: Record<string, number | null>;
}

/** What the broker and the workers tell; null: it could not be had in time. */
export interface Counts {
  frontier: { tokens: number; due: number; inFlight: number; redelivered: number } | null;
  sites: number | null;
  deadLetters: number | null;
  blocked: number | null;
  /** What looks saw today, in any format. */
  agentWeb: AgentWebToday | null;
  /** The fullest streams, against their bounds (docs/storage.md). */
  storage: StorageUse[] | null;
  /** Of all streams, in the broker's cluster. */
  copies: StreamCopies | null;
  /** What witnesses of the log said last. */
  witnesses: ShownWitness[];
  /** Registries that are followed, whose transparency logs have a fault. */
  logFaults: { source: string; kind: LogFault; since: string }[];
  own: { publicUrl: string; kid: string };
  roles: RoleCounts[];
}

/** The counts are missing where the broker is down. */
export interface StatusReport extends Partial<Counts> {
  /** Whether every part is up. */
  ok: boolean;
  /** What an operator has to look at although the parts are up, the worst first. */
  attention: string[];
  parts: RegistryPart[];
}

const FULLEST = 10;
/** A process that moves to another broker is there again within this. */
const ROLES_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 3_000;

/** Fewer visits say nothing of the crawl. */
const TELLING_VISITS = 20;
/** So many records behind is more than what a crawl has just written. */
const LAG = 1_000;
/** A stream this full is about to refuse or drop. */
const FULL_PERCENT = 90;

export const partOf = (
  part: RegistryPart["part"],
  where: string,
  state: RegistryPart["state"],
  detail?: string,
): RegistryPart => ({
  part,
  where,
  state,
  up: state === "up",
  ...(detail !== undefined && { detail: printable(detail) }),
});

/** What can be told of a registry whose broker is joined, within some seven seconds. */
export async function readStatus(runtime: OpenedRuntime, joined: RegistryPart): Promise<StatusReport> {
  const { broker, frontier, sites, identity, publicUrl, config, index } = runtime;
  const storage = soon(broker.storage());
  const where = `prefix ${config.BRIDGE_NATS_PREFIX}`;
  const [
    lag,
    { found, rows },
    known,
    letters,
    blocked,
    agentWeb,
    state,
    said,
    imports,
    stored,
    front,
    indexPart,
    filled,
  ] = await Promise.all([
    soon(frontier.lag()),
    readRoles(runtime),
    soon(sites.count()),
    soon(broker.buckets.dead_letters.count()),
    soon(broker.buckets.blocks.count()),
    soon(agentWebToday(broker.counters, broker.now())),
    storage,
    soon(openWitnessesSaid(broker.buckets.log).get(SAID)),
    soon(openClaims(broker.buckets).importState.all()),
    checkedPart("storage", where, storageDependency(broker).check),
    frontOf(config),
    indexOf(runtime),
    soon(filledIndexDependency(index).check()),
  ]);
  const counts: Counts = {
    frontier: lag,
    sites: known,
    deadLetters: letters,
    blocked,
    agentWeb,
    storage: state?.use.slice(0, FULLEST) ?? null,
    copies: state?.copies ?? null,
    witnesses: shownWitnesses(said?.value),
    logFaults: (imports ?? []).flatMap(({ source, log }) =>
      log?.fault ? [{ source, kind: log.fault.kind, since: log.fault.since }] : [],
    ),
    own: { publicUrl, kid: identity.kid },
    roles: rows,
  };
  const parts = [joined, stored, front, indexPart, ...workersOf(found, stored.state === "up")];
  const attention = attentionOf(counts, filled ?? null);
  return { ok: parts.every(({ up }) => up), attention, parts, ...counts };
}

const soon = <T>(asked: Promise<T>): Promise<T | null> => withinMs(ANSWER_WITHIN_MS, asked);

async function withinMs<T>(ms: number, asked: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([asked.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readRoles({ broker }: OpenedRuntime) {
  const { connection, prefix } = broker;
  const found = await findRoles(connection, prefix, ROLES, ROLES_WITHIN_MS);
  const stats = await gatherStats(connection, prefix, found.running, ANSWER_WITHIN_MS);
  return { found, rows: found.running.map((each) => roleRow(each, stats)) };
}

function roleRow({ name, id, metadata }: RoleAnnouncement, stats: readonly ServiceStats[]): RoleCounts {
  const own = stats.find((each) => each.name === name && each.id === id);
  const requests = own?.endpoints.reduce((sum, endpoint) => sum + endpoint.num_requests, 0) ?? null;
  const tookMs = own?.endpoints.reduce((sum, endpoint) => sum + endpoint.processing_time / 1e6, 0) ?? 0;
  return {
    role: name.replace(/^bridge-/, ""),
    process: [metadata.host, metadata.pid].filter(Boolean).join(":"),
    trouble: metadata.trouble === undefined ? null : printable(metadata.trouble),
    requests,
    errors: own?.endpoints.reduce((sum, endpoint) => sum + endpoint.num_errors, 0) ?? null,
    averageMs: requests === null ? null : requests && Math.round((tookMs / requests) * 100) / 100,
    counts: own?.data ?? {},
  };
}

/** What a check finds, as a part. */
async function checkedPart(
  part: RegistryPart["part"],
  where: string,
  check: Dependency["check"],
): Promise<RegistryPart> {
  const { why } = await dependencyHealth({ name: part, check });
  return partOf(part, where, why === undefined ? "up" : "down", why);
}

/** Asks a front whether it is ready. */
export function frontOf(config: Config): Promise<RegistryPart> {
  const url = publicUrlOf(config);
  return checkedPart("front", url, async () => {
    try {
      const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      return status === 200 ? undefined : `/readyz answers ${status}`;
    } catch (error) {
      throw (error as Error).cause ?? error;
    }
  });
}

function indexOf({ config, index }: OpenedRuntime): Promise<RegistryPart> {
  const where = config.BRIDGE_ELASTICSEARCH_URL ?? config.BRIDGE_HOME;
  const shown = where.split(",").map(withoutCredentials).join(",");
  return checkedPart("index", shown, indexDependency(index).check);
}

/** @param isBrokerWell whether it stores: without a leader a role's own server may have lost its word */
function workersOf({ running, silent }: FoundRoles, isBrokerWell: boolean): RegistryPart[] {
  const names = new Set(running.map(({ name }) => name));
  return ROLES.map((role) => {
    if (names.has(`bridge-${role}`)) return partOf("worker", role, "up");
    if (silent.includes(role))
      return partOf("worker", role, "unknown", "a process is there, and has not answered within 3 s");
    if (!isBrokerWell)
      return partOf("worker", role, "unknown", "the broker does not say who is there while it cannot store");
    return partOf("worker", role, "down", `no process answers; start one with \`bridge worker ${role}\``);
  });
}

/** What an operator has to look at, the worst first. @param unfilled why searches are refused though the index answers */
export function attentionOf(counts: Counts, unfilled: string | null): string[] {
  const { roles, deadLetters } = counts;
  const [visits, failed] = [
    sumOf(roles, "crawler", "recent_visits"),
    sumOf(roles, "crawler", "recent_failed"),
  ];
  const lag = Math.max(
    0,
    ...roles.filter(({ role }) => role === "indexer").map(({ counts }) => counts.lag ?? 0),
  );
  return [
    ...brokerLooks(counts),
    ...(unfilled === null ? [] : [`index: ${unfilled}`]),
    ...roles.flatMap(({ role, process, trouble }) =>
      trouble === null ? [] : [`${role} (${process}): ${trouble}`],
    ),
    ...witnessLooks(counts),
    ...counts.logFaults.map(
      ({ source, kind, since }) => `registry ${printable(source)}: ${LOG_FAULTS[kind]}; since ${since}`,
    ),
    ...(visits >= TELLING_VISITS && failed * 2 > visits
      ? [`${failed} of ${visits} visits of the last 10 minutes failed`]
      : []),
    ...(lag > LAG ? [`${lag} records are not in the index`] : []),
    ...((deadLetters ?? 0) > 0 ? [plural(deadLetters!, "dead letter", "dead letters")] : []),
  ];
}

const sumOf = (roles: readonly RoleCounts[], role: string, count: string): number =>
  roles.filter((each) => each.role === role).reduce((sum, { counts }) => sum + (counts[count] ?? 0), 0);

function brokerLooks({ copies, storage }: Counts): string[] {
  const looks: string[] = [];
  const away = (copies?.behind ?? 0) + (copies?.offline ?? 0);
  if (copies && away > 0)
    looks.push(
      `${away} of ${copies.wanted} copies of streams are not current (${copies.servers.join(", ")}): the next broker that is lost stops writes`,
    );
  const full = (storage ?? []).filter(({ percent }) => percent >= FULL_PERCENT).map(({ stream }) => stream);
  if (full.length > 0) looks.push(`${full.join(", ")} nearly full`);
  return looks;
}

/** Witnesses that a running process asks and that do not cosign; a fork is the first thing to look at. */
function witnessLooks({ witnesses, roles }: Counts): string[] {
  return witnesses.flatMap(({ name, size, at, fault }) => {
    if (fault === null || !roles.some(({ counts }) => `cosigned_size ${name}` in counts)) return [];
    const last = at === null ? "it never cosigned" : `it cosigned ${size} entries last, at ${at}`;
    return [`witness ${printable(name)}: ${WITNESS_FAULTS[fault]}; ${last}`];
  });
}

export const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
