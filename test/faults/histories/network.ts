/** Network namespaces as hosts, joined by a bridge that this process reaches: their routes to each other can be cut. */
import { execFileSync } from "node:child_process";

export interface Host {
  address: string;
  /** What a command line begins with that is to run there. */
  command: readonly string[];
}

export interface Network {
  hosts: readonly Host[];
  /** Nothing that `from` sends reaches `to` any more. */
  cut(from: Host, to: Host): void;
  /** All reach all. */
  heal(): void;
  remove(): void;
}

const SUBNET = "10.213.7";
const BRIDGE_HOST = 254;

/** @returns undefined where this user may make none, or `ip` is not there */
export function makeNetwork(size: number): Network | undefined {
  const bridge = `bh${process.pid}`;
  const spaces = Array.from({ length: size }, (_, at) => `${bridge}-${at + 1}`);
  const ip = (...args: string[]): void => void execFileSync("ip", args, { stdio: "ignore" });
  const tried = (...args: string[]): void => {
    try {
      ip(...args);
    } catch {
      // What is not there needs no removing.
    }
  };
  const remove = (): void => {
    for (const space of spaces) tried("netns", "del", space);
    tried("link", "del", bridge);
  };
  try {
    ip("link", "add", bridge, "type", "bridge");
    ip("addr", "add", `${SUBNET}.${BRIDGE_HOST}/24`, "dev", bridge);
    ip("link", "set", bridge, "up");
    for (const [at, space] of spaces.entries()) {
      const link = `v${process.pid}-${at + 1}`;
      ip("netns", "add", space);
      ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
      ip("link", "set", link, "master", bridge, "up");
      ip("-n", space, "addr", "add", `${SUBNET}.${at + 1}/24`, "dev", "eth0");
      ip("-n", space, "link", "set", "eth0", "up");
      ip("-n", space, "link", "set", "lo", "up");
    }
  } catch {
    remove();
    return undefined;
  }
  const spaceOf = ({ command }: Host): string => command.at(-1)!;
  const cuts: [space: string, address: string][] = [];
  return {
    hosts: spaces.map((space, at) => ({
      address: `${SUBNET}.${at + 1}`,
      command: ["ip", "netns", "exec", space],
    })),
    cut: (from, to) => {
      ip("-n", spaceOf(from), "route", "add", "blackhole", `${to.address}/32`);
      cuts.push([spaceOf(from), to.address]);
    },
    heal: () => {
      for (const [space, address] of cuts.splice(0))
        tried("-n", space, "route", "del", "blackhole", `${address}/32`);
    },
    remove,
  };
}
