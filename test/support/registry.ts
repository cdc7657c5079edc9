/** A whole registry for a test: a synthetic web in a process of its own, every role and the front in this one, a prefix of its own on the run's broker. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DestinationStream } from "pino";
import { inject } from "vitest";
import { addSeeds } from "../../app/cli/seed.ts";
import { controlGroupOf, worldConfig } from "../../app/cli/world.ts";
import { startFront } from "../../app/front/front.ts";
import type { AccessLog } from "../../app/processes/access-log.ts";
import type { NamedRole } from "../../app/processes/announce-role.ts";
import { createMetrics, type Metrics } from "../../app/processes/metrics.ts";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { ROLES, type Role } from "../../app/roles.ts";
import type { BrokerUser } from "../../src/adapters/nats/rights.ts";
import { streamConfigs } from "../../src/adapters/nats/topology.ts";
import { type Config, readConfig } from "../../src/runtime/config.ts";
import { type ForkedWorld, forkWorld, type WorldSettings } from "../../world/control.ts";
import { askJson, type JsonReply } from "./json.ts";
import { freePort } from "./ports.ts";
import type { UsersBroker } from "./users-broker.ts";

export interface TestRegistry {
  /** http://127.0.0.1:port of the front. */
  url: string;
  /** Of the operators' API. */
  operatorsUrl: string;
  runtime: OpenedRuntime;
  metrics: Metrics;
  world: ForkedWorld;
  worldSeed: number;
  roles: NamedRole[];
  config: Config;
  /** The broker's users, where it has them. */
  users: UsersBroker | undefined;
  /** Seeds hosts (all of the world's by default) and waits until every one was visited and the index has caught up. */
  crawl(hosts?: readonly string[]): Promise<void>;
  /** Waits until nothing is due, under way or unindexed. */
  settled(): Promise<void>;
  getJson(path: string): Promise<JsonReply>;
  postJson(path: string, body: unknown): Promise<JsonReply>;
  stop(): Promise<void>;
}

export interface TestRegistryOptions {
  world?: Partial<WorldSettings>;
  config?: Partial<Config>;
  roles?: readonly Role[];
  /** Beside the world's: `cidr:port`, separated by commas. */
  alsoAllow?: string;
  /** Joined to an earlier registry's world and prefix. */
  join?: TestRegistry;
  /** Where log lines of this process go. */
  logs?: DestinationStream;
  accessLog?: AccessLog;
  /** Module of the threads that read pages. */
  pageThread?: string;
  /** The index and searches have threads of their own, as in production. Default: all is in this one, which starts in half the time. */
  threads?: true;
  /** … to its world alone. */
  ownPrefix?: true;
  /** A broker with users: each role and the front joins it as its own; `runtime` is the operator's. */
  users?: UsersBroker;
}

const WORLD_SEED = 7;
/** A site in ten asks for a Crawl-delay: a second after each request would be most of a test's time. */
const CRAWL_DELAY_SECONDS = 0.05;
const SETTLE_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 15;
const SOON_MS = 300;

/** Whether a token's time comes within a moment: the broker has yet to make it due. */
async function isScheduledSoon({ broker }: OpenedRuntime): Promise<boolean> {
  const { name } = streamConfigs(broker.prefix).frontier;
  const scheduled = await broker.jsm.direct.getLastMessagesFor(name, {
    multi_last: [`${broker.prefix}.f.*.sched`],
  });
  let soon = false;
  for await (const { header } of scheduled) {
    const at = Date.parse(header.get("Nats-Schedule").slice("@at ".length));
    if (at < broker.now() + SOON_MS) soon = true;
  }
  return soon;
}

async function isAtRest(runtime: OpenedRuntime, roles: NamedRole[]): Promise<boolean> {
  const { broker, frontier } = runtime;
  const find = (name: Role) => roles.find(({ role }) => role === name);
  const [lag, counts, discovered] = await Promise.all([
    frontier.lag(),
    find("indexer")?.read(),
    find("gossip") && broker.jsm.streams.info(streamConfigs(broker.prefix).discovered.name),
  ]);
  // An indexer that has not begun does not know its lag.
  if (Number.isNaN(counts?.lag)) return false;
  if (lag.due + lag.inFlight + (counts?.lag ?? 0) + (discovered?.state.messages ?? 0) > 0) return false;
  return !(await isScheduledSoon(runtime));
}

async function waitSettled(runtime: OpenedRuntime, roles: NamedRole[]): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_TIMEOUT_MS;
  // Twice: between two looks a token that was about to be scheduled is.
  for (let calm = 0; calm < 2; ) {
    if (performance.now() > giveUpAt) throw new Error("the registry did not settle within 60 s");
    calm = (await isAtRest(runtime, roles)) ? calm + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Starts a registry; delays of the gate are 0 unless `config` says otherwise. */
export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const home = mkdtempSync(join(tmpdir(), "bridge-test-"));
  const world =
    options.join?.world ??
    (await forkWorld({
      sites: 20,
      soundShare: 1,
      seed: WORLD_SEED,
      crawlDelaySeconds: CRAWL_DELAY_SECONDS,
      ...options.world,
    }));
  const config: Config = {
    ...worldConfig(readConfig({}), world),
    BRIDGE_CONTROL_GROUP: controlGroupOf(world),
    BRIDGE_HOST_DELAY_MS: 0,
    BRIDGE_IP_DELAY_MS: 0,
    BRIDGE_CRAWL_CONCURRENCY: 32,
    BRIDGE_LOG_LEVEL: "error",
    PORT: await freePort(),
    BRIDGE_HOME: home,
    // Instead of a run of `bridge setup`.
    BRIDGE_NATS_SETUP: true,
    BRIDGE_NATS_PREFIX:
      (!options.ownPrefix && options.join?.config.BRIDGE_NATS_PREFIX) || `t${randomBytes(6).toString("hex")}`,
    ...options.config,
  };
  if (options.alsoAllow) config.BRIDGE_EGRESS_ALLOW += `,${options.alsoAllow}`;
  const users = options.users ?? options.join?.users;
  const others: OpenedRuntime[] = [];
  const open = async (user: BrokerUser): Promise<OpenedRuntime> => {
    const own = users && {
      BRIDGE_NATS_USER: user,
      BRIDGE_NATS_PASSWORD: users.passwordOf(user),
      BRIDGE_NATS_SETUP: user === "operator",
    };
    return openRuntime({ ...config, ...own }, users?.url ?? inject("natsUrl"), {
      ca: [world.ca],
      ...(options.logs && { logs: options.logs }),
      ...(options.pageThread && { pageThread: options.pageThread }),
      ...(!options.threads && { reading: "in place" as const }),
    });
  };
  const runtime = await open("operator");
  const runtimeOf = async (user: BrokerUser): Promise<OpenedRuntime> => {
    if (users) others.push(await open(user));
    return users ? others.at(-1)! : runtime;
  };
  const metrics = createMetrics();
  const roles: NamedRole[] = [];
  if (!users) roles.push(...(await startRoles(runtime, options.roles ?? ROLES, metrics)));
  else
    for (const role of options.roles ?? ROLES)
      roles.push(...(await startRoles(await runtimeOf(role), [role], createMetrics())));
  const front = await startFront(await runtimeOf("front"), metrics, options.accessLog);
  // The address it listens on, also where replies name another one (BRIDGE_PUBLIC_URL).
  const url = `http://${config.HOST}:${config.PORT}`;
  const settled = () => waitSettled(runtime, roles);
  return {
    url,
    operatorsUrl: front.operatorsUrl,
    runtime,
    metrics,
    world,
    worldSeed: options.join?.worldSeed ?? options.world?.seed ?? WORLD_SEED,
    roles,
    config,
    users,
    settled,
    crawl: async (hosts = world.hosts.map(({ host }) => host)) => {
      await addSeeds(runtime, hosts);
      await settled();
    },
    getJson: (path) => askJson(url + path),
    postJson: (path, body) => askJson(url + path, { method: "POST", body }),
    stop: async () => {
      await front.close();
      await Promise.all(roles.map((role) => role.drain()));
      for (const other of others) await other.close();
      await runtime.close();
      if (!options.join) await world.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
