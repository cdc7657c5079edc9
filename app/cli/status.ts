/** `bridge status`: what of a registry runs, what is down and why; works with nothing running. */
import { gatherStats, type ServiceStats } from "../../src/adapters/nats/discovery.ts";
import type { StorageUse } from "../../src/ports/storage-limits.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { indexDependency, storageDependency } from "../processes/dependencies.ts";
import { CHECK_TIMEOUT_MS, type Dependency, findingOf } from "../processes/health.ts";
import { readBrokerUrl } from "../processes/home.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { ROLES } from "../roles.ts";
import { joinRuntime, withoutCredentials } from "./parts.ts";
import { print, printable, styled } from "./terminal.ts";

/** What a registry needs in order to answer. */
export interface Part {
  part: "broker" | "storage" | "front" | "index" | "worker";
  /** Address or folder, without credentials; of a worker, its role. */
  where: string;
  up: boolean;
  /** Of one that is down: why, and what to do. */
  detail?: string;
}

/** What the broker and the workers tell. */
export interface Counts {
  frontier: { tokens: number; due: number; inFlight: number; redelivered: number };
  sites: number;
  deadLetters: number;
  blocked: number;
  /** The fullest streams, against their bounds (docs/storage.md). */
  storage: StorageUse[];
  own: { publicUrl: string; kid: string };
  roles: {
    role: string;
    process: string;
    requests: number;
    errors: number;
    averageMs: number;
    counts: Record<string, number>;
  }[];
}

/** The counts are missing where the broker is down. */
export interface Status extends Partial<Counts> {
  /** Whether every part is up. */
  ok: boolean;
  parts: Part[];
}

const FULLEST = 10;

const roleRow = ({ name, metadata, endpoints, data }: ServiceStats): Counts["roles"][number] => {
  const requests = endpoints.reduce((sum, endpoint) => sum + endpoint.num_requests, 0);
  const tookMs = endpoints.reduce((sum, endpoint) => sum + endpoint.processing_time / 1e6, 0);
  return {
    role: name.replace(/^bridge-/, ""),
    process: metadata.pid ?? "",
    requests,
    errors: endpoints.reduce((sum, endpoint) => sum + endpoint.num_errors, 0),
    averageMs: requests === 0 ? 0 : Math.round((tookMs / requests) * 100) / 100,
    counts: data,
  };
};

const readCounts = async (runtime: OpenedRuntime): Promise<Counts> => {
  const { broker, frontier, sites, identity, publicUrl } = runtime;
  const [lag, services, known, letters, blocked, storage] = await Promise.all([
    frontier.lag(),
    gatherStats(broker.connection, broker.prefix),
    sites.count(),
    broker.buckets.dead_letters.count(),
    broker.buckets.blocks.count(),
    broker.storageUse(),
  ]);
  return {
    frontier: lag,
    sites: known,
    deadLetters: letters,
    blocked,
    storage: storage.slice(0, FULLEST),
    own: { publicUrl, kid: identity.kid },
    roles: services.map(roleRow),
  };
};

/** What a check finds, as a part. */
const partOf = async (part: Part["part"], where: string, check: Dependency["check"]): Promise<Part> => {
  const { why } = await findingOf({ name: part, check });
  return why === undefined ? { part, where, up: true } : { part, where, up: false, detail: printable(why) };
};

/** Asks a front whether it is ready. */
const frontOf = (config: Config): Promise<Part> => {
  const url = publicUrlOf(config);
  return partOf("front", url, async () => {
    try {
      const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      return status === 200 ? undefined : `/readyz answers ${status}`;
    } catch (error) {
      throw (error as Error).cause ?? error;
    }
  });
};

const indexOf = ({ config, index }: OpenedRuntime): Promise<Part> => {
  const where = config.BRIDGE_ELASTICSEARCH_URL ?? config.BRIDGE_HOME;
  return partOf("index", where.split(",").map(withoutCredentials).join(","), indexDependency(index).check);
};

const storageOf = ({ broker, config }: OpenedRuntime): Promise<Part> =>
  partOf("storage", `prefix ${config.BRIDGE_NATS_PREFIX}`, storageDependency(broker).check);

const workersOf = ({ roles }: Counts): Part[] => {
  const running = new Set(roles.map(({ role }) => role));
  return ROLES.map((role) => ({
    part: "worker",
    where: role,
    up: running.has(role),
    ...(!running.has(role) && { detail: `no process answers; start one with \`bridge worker ${role}\`` }),
  }));
};

/** What can be told of a registry whose broker is joined. */
const readStatus = async (runtime: OpenedRuntime, broker: Part): Promise<Status> => {
  const [counts, storage, front, index] = await Promise.all([
    readCounts(runtime),
    storageOf(runtime),
    frontOf(runtime.config),
    indexOf(runtime),
  ]);
  const parts = [broker, storage, front, index, ...workersOf(counts)];
  return { ok: parts.every(({ up }) => up), parts, ...counts };
};

const renderCounts = (counts: Counts): string[] => {
  const { tokens, due, inFlight, redelivered } = counts.frontier;
  const lines = [
    `frontier  ${tokens} hosts, ${due} due, ${inFlight} in progress, ${redelivered} redelivered`,
    `records   ${counts.sites} sites, ${counts.deadLetters} dead letters, ${counts.blocked} blocked`,
    `storage   ${counts.storage
      .slice(0, 3)
      .map(({ stream, percent }) => `${stream} ${percent} %`)
      .join(", ")}`,
  ];
  if (counts.roles.length === 0) return lines;
  lines.push("", styled("bold", "role      process    requests   errors   mean ms   counts"));
  for (const { role, process: pid, requests, errors, averageMs, counts: own } of counts.roles) {
    const shown = Object.entries(own)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
    lines.push(
      `${role.padEnd(10)}${pid.padEnd(11)}${String(requests).padEnd(11)}${String(errors).padEnd(9)}${String(averageMs).padEnd(10)}${shown}`,
    );
  }
  return lines;
};

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** A stream this full is about to refuse or drop. */
const FULL_PERCENT = 90;

/** In one line whether all is well; if not, what is down, or what an operator has to look at. */
export const headlineOf = ({ ok, parts, deadLetters = 0, storage = [], sites }: Status): string => {
  const down = parts.filter(({ up }) => !up);
  if (!ok)
    return `${plural(down.length, "part is", "parts are")} down: ${down.map(({ part, where }) => (part === "worker" ? `worker ${where}` : part)).join(", ")}`;
  const full = storage.filter(({ percent }) => percent >= FULL_PERCENT).map(({ stream }) => stream);
  const looks = [
    ...(full.length > 0 ? [`${full.join(", ")} nearly full`] : []),
    ...(deadLetters > 0 ? [plural(deadLetters, "dead letter", "dead letters")] : []),
  ];
  const running = `${plural(parts.length, "part", "parts")} up, ${plural(sites ?? 0, "site", "sites")} known`;
  return looks.length > 0
    ? `Up, with something to look at: ${looks.join("; ")} (${running})`
    : `All is well: ${running}`;
};

const headline = (status: Status): string => {
  const text = headlineOf(status);
  const mark = status.ok ? (text.startsWith("All") ? "green" : "yellow") : "red";
  return styled(["bold", mark], text);
};

/** The headline, what is down, then the parts that are up on one line, then the counts. */
const render = (status: Status): string => {
  const { parts, ...counts } = status;
  const down = parts.filter(({ up }) => !up);
  const running = parts.filter(({ up, part }) => up && part !== "worker");
  return [
    headline(status),
    ...down.map(({ part, where, detail }) => `${styled("red", "down")}      ${part} ${where}: ${detail}`),
    ...(running.length > 0
      ? [`${styled("green", "up")}        ${running.map(({ part, where }) => `${part} ${where}`).join(", ")}`]
      : []),
    ...(counts.frontier ? renderCounts(counts as Counts) : []),
  ].join("\n");
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The registry's broker, joined if it can be; what is written then is its parts alone. */
const join = async (config: Config): Promise<{ runtime: OpenedRuntime | undefined; broker: Part }> => {
  const url = config.BRIDGE_NATS_URL ?? readBrokerUrl(config.BRIDGE_HOME);
  const where = url?.split(",").map(withoutCredentials).join(",") ?? config.BRIDGE_HOME;
  try {
    return { runtime: await joinRuntime(config), broker: { part: "broker", where, up: true } };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const detail = printable((error as Error).message);
    return { runtime: undefined, broker: { part: "broker", where, up: false, detail } };
  }
};

/**
 * Prints the status once, or every second with `watch`.
 * @returns whether every part is up
 * @throws ConfigError for settings that cannot be used
 */
export const status = async (
  config: Config,
  options: { json: boolean; watch: boolean },
): Promise<boolean> => {
  let { runtime, broker } = await join(config);
  try {
    for (;;) {
      const isUp = runtime?.broker.connectionState.up ?? false;
      if (runtime && !isUp)
        broker = { ...broker, up: false, detail: "the connection is lost; joining it again" };
      else broker = runtime ? { part: "broker", where: broker.where, up: true } : broker;
      const now: Status =
        runtime && isUp
          ? await readStatus(runtime, broker)
          : { ok: false, parts: [broker, await frontOf(config)] };
      if (options.watch && process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
      print(options.json ? JSON.stringify(now) : render(now));
      if (!options.watch) return now.ok;
      await pause(1_000);
      if (!runtime) ({ runtime, broker } = await join(config));
    }
  } finally {
    await runtime?.close();
  }
};
