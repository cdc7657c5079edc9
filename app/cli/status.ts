/** `bridge status`: prints roles, lag, rates, errors and dead letters of a running registry. */
import { gatherStats, type ServiceStats } from "../../src/adapters/nats/discovery.ts";
import { readStorageUse, type StreamUse } from "../../src/adapters/nats/storage-use.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { withRuntime } from "./parts.ts";
import { print } from "./terminal.ts";

export interface Status {
  frontier: { tokens: number; due: number; inFlight: number; redelivered: number };
  sites: number;
  deadLetters: number;
  blocked: number;
  /** The fullest streams, against their bounds (docs/storage.md). */
  storage: StreamUse[];
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

const FULLEST = 10;

const roleRow = ({ name, metadata, endpoints, data }: ServiceStats): Status["roles"][number] => {
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

export const readStatus = async (runtime: OpenedRuntime): Promise<Status> => {
  const { broker, frontier, sites, identity, publicUrl } = runtime;
  const [lag, services, known, letters, blocked, storage] = await Promise.all([
    frontier.lag(),
    gatherStats(broker.connection, broker.prefix),
    sites.count(),
    broker.buckets.dead_letters.count(),
    broker.buckets.blocks.count(),
    readStorageUse(broker.jsm, broker.prefix),
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

const render = (status: Status): string => {
  const { tokens, due, inFlight, redelivered } = status.frontier;
  const lines = [
    `frontier  ${tokens} hosts, ${due} due, ${inFlight} in progress, ${redelivered} redelivered`,
    `records   ${status.sites} sites, ${status.deadLetters} dead letters, ${status.blocked} blocked`,
    `storage   ${status.storage
      .slice(0, 3)
      .map(({ stream, percent }) => `${stream} ${percent} %`)
      .join(", ")}`,
    "",
    "role      process    requests   errors   mean ms   counts",
  ];
  for (const { role, process: pid, requests, errors, averageMs, counts } of status.roles) {
    const shown = Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
    lines.push(
      `${role.padEnd(10)}${pid.padEnd(11)}${String(requests).padEnd(11)}${String(errors).padEnd(9)}${String(averageMs).padEnd(10)}${shown}`,
    );
  }
  if (status.roles.length === 0) lines.push("no worker responds; start one with `bridge worker`");
  return lines.join("\n");
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints the status once, or every second with `watch`. */
export const status = (config: Config, options: { json: boolean; watch: boolean }): Promise<void> =>
  withRuntime(config, async (runtime) => {
    do {
      const now = await readStatus(runtime);
      if (options.watch && process.stdout.isTTY) process.stdout.write("\x1b[H\x1b[2J");
      print(options.json ? JSON.stringify(now) : render(now));
      if (options.watch) await pause(1_000);
    } while (options.watch);
  });
