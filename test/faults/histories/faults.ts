/** What goes wrong while clients work: each fault begins, lasts, and is taken back. */

import type { Random } from "../../../world/random.ts";
import type { Cluster } from "../../support/cluster.ts";
import { pause, until } from "../programs.ts";
import type { SmallDisk } from "../small-disk.ts";
import type { Clients } from "./clients.ts";
import type { Network } from "./network.ts";

export interface Scene {
  cluster: Cluster;
  clients: Clients;
  names: readonly string[];
  /** Of the brokers; where namespaces can be made. */
  network: Network | undefined;
  /** Of the last broker's store; where it can be mounted. */
  disk: SmallDisk | undefined;
  random: Random;
}

const HEALTHY_TIMEOUT_MS = 60_000;

/** How long a fault lasts, milliseconds. */
const lasting = (random: Random): number => 2_000 + random.below(5_000);

const pick = <T>(random: Random, from: readonly T[]): T => from[random.below(from.length)]!;

const isWell = (cluster: Cluster) => async (): Promise<boolean> =>
  (await Promise.all(cluster.names.map((name) => cluster.isHealthy(name)))).every(Boolean);

export const untilWell = (cluster: Cluster): Promise<void> =>
  until("every broker to be well", isWell(cluster), HEALTHY_TIMEOUT_MS);

type Fault = (scene: Scene) => Promise<string>;

const killBroker: Fault = async ({ cluster, random }) => {
  const name = pick(random, cluster.names);
  await cluster.kill(name);
  await pause(lasting(random));
  await cluster.restart(name);
  return name;
};

const stopBroker: Fault = async ({ cluster, random }) => {
  const name = pick(random, cluster.names);
  cluster.signal(name, "SIGSTOP");
  await pause(lasting(random));
  cluster.signal(name, "SIGCONT");
  return name;
};

const replaceBroker: Fault = async ({ cluster, random }) => {
  const name = pick(random, cluster.names);
  await cluster.leave(name);
  await cluster.restart(name);
  return name;
};

/** Clients reach all brokers; one broker reaches no other. */
const isolateBroker: Fault = async ({ cluster, network, random }) => {
  const at = random.below(network!.hosts.length);
  const alone = network!.hosts[at]!;
  for (const other of network!.hosts.filter((host) => host !== alone)) {
    network!.cut(alone, other);
    network!.cut(other, alone);
  }
  await pause(lasting(random));
  network!.heal();
  return cluster.names[at]!;
};

/** Two brokers reach the third alone. */
const parted: Fault = async ({ cluster, network, random }) => {
  const at = random.below(network!.hosts.length);
  const [one, other] = network!.hosts.filter((_, i) => i !== at) as [
    Network["hosts"][0],
    Network["hosts"][0],
  ];
  network!.cut(one, other);
  network!.cut(other, one);
  await pause(lasting(random));
  network!.heal();
  return `all but ${cluster.names[at]}`;
};

const fillDisk: Fault = async ({ cluster, disk, random }) => {
  const name = cluster.names.at(-1)!;
  disk!.fill();
  await pause(lasting(random));
  disk!.free();
  // As its health check does: a broker whose disk was full keeps JetStream off.
  if (!(await cluster.isHealthy(name))) {
    await cluster.kill(name);
    await cluster.restart(name);
  }
  return name;
};

const killClient: Fault = async ({ clients, names, random }) => {
  const name = pick(random, names);
  await clients.kill(name);
  await clients.restart(name);
  return name;
};

const CLOCKS = ["+2d", "-2d", "+3700", "-3700", "+0"] as const;

const setClock: Fault = async ({ clients, random }) => {
  const name = pick(random, clients.withClock);
  const offset = pick(random, CLOCKS);
  clients.setClock(name, offset);
  await pause(lasting(random));
  return `${name} ${offset}, ${Math.round(clients.clockOffMs(name) / 1_000)} s off`;
};

const FAULTS = {
  killBroker,
  stopBroker,
  replaceBroker,
  isolateBroker,
  parted,
  fillDisk,
  killClient,
  setClock,
} satisfies Record<string, Fault>;
export type FaultName = keyof typeof FAULTS;

/** What each needs that may be missing. */
const NEEDS: Partial<Record<FaultName, (scene: Scene) => unknown>> = {
  isolateBroker: ({ network }) => network,
  parted: ({ network }) => network,
  fillDisk: ({ disk }) => disk,
  setClock: ({ clients }) => clients.withClock.length > 0,
};

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** @returns those that can be done here, and those that cannot */
export function faultsOf(scene: Scene, wanted: readonly FaultName[]) {
  const isPossible = (name: FaultName): boolean => Boolean(NEEDS[name]?.(scene) ?? true);
  return {
    possible: wanted.filter(isPossible),
    leftOut: wanted.filter((name) => !isPossible(name)),
  };
}

/** Does it and takes it back. @returns to whom it was done */
export const inflict = (name: FaultName, scene: Scene): Promise<string> => FAULTS[name](scene);
