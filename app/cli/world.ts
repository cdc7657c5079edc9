/** The synthetic web of `bridge up`, reached through allowances for its own address and ports. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FULL_PAGES } from "../../src/domain/trust/neutrality.ts";
import type { Config } from "../../src/runtime/config.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";
import type { WorldAddresses } from "../../world/world.ts";
import { homePaths } from "../processes/home.ts";
import type { OpenSite } from "./shop-owner.ts";

const WORLD_DELAY_MS = 50;
const DEFAULT_SITES = 500;
/** Sites that know nothing of Bridge, and publish what agents can use in other formats. */
const AGENT_SITES = 200;
/** So that there is a site of every kind among them. */
export const SOUND_SHARE = 0.85;

interface Mode {
  kind: "web" | "world";
  corpus?: string;
  sites?: number;
  port?: number;
  dnsPort?: number;
  /** Where the web was when it last started. */
  addresses?: Pick<WorldAddresses, "dns" | "port" | "httpPort" | "network" | "ca">;
}

export interface WorldWithShop extends ForkedWorld {
  /** The host of its shop; undefined in a web of somebody's own corpus. */
  shop: string | undefined;
  /** Sites whose owners let agents in, so that everything that agents do can be tried; none in such a corpus. */
  welcoming: readonly OpenSite[];
}

const WELCOMING = ["open", "open", "request"] as const;

/** What a command reaches beside a registry of this home: its synthetic web, where it has one. `ca`: that web's. */
export function homeWorld(config: Config): { config: Config; ca?: string } {
  const mode = readMode(config.BRIDGE_HOME);
  if (mode?.kind !== "world" || !mode.addresses) return { config };
  return { config: worldConfig(config, mode.addresses), ca: mode.addresses.ca };
}

/** What this home crawled before: a registry continues with its own web, never with another. */
export const readMode = (home: string): Mode | undefined =>
  existsSync(modeFile(home)) ? JSON.parse(readFileSync(modeFile(home), "utf8")) : undefined;

const modeFile = (home: string): string => join(home, "mode.json");

/** Settings that let a registry crawl this web besides public addresses; delays are short, since it is a local server. */
export const worldConfig = (config: Config, world: NonNullable<Mode["addresses"]>): Config => ({
  ...config,
  BRIDGE_DNS_SERVERS: [world.dns],
  BRIDGE_EGRESS_ALLOW: [
    `${world.network}:${world.port}`,
    `${world.network}:${world.httpPort}`,
    ...(config.BRIDGE_EGRESS_ALLOW ? [config.BRIDGE_EGRESS_ALLOW] : []),
  ].join(","),
  BRIDGE_HTTPS_PORT: world.port,
  BRIDGE_HOST_DELAY_MS: process.env.BRIDGE_HOST_DELAY_MS ? config.BRIDGE_HOST_DELAY_MS : WORLD_DELAY_MS,
  BRIDGE_IP_DELAY_MS: process.env.BRIDGE_IP_DELAY_MS ? config.BRIDGE_IP_DELAY_MS : WORLD_DELAY_MS,
});

/**
 * The same for `bridge up`, where each visit reads as many pages as full confidence takes: what pages cost a site shows after
 * one pass, and nobody else pays for them.
 */
export const sampleConfig = (config: Config, world: ForkedWorld): Config => ({
  ...worldConfig(config, world),
  isDemo: true,
  BRIDGE_CONTROL_GROUP: controlGroupOf(world),
  pagesPerVisit: FULL_PAGES,
});

/** Sites of a synthetic web whose services, or lack of them, are known. */
export const controlGroupOf = ({ hosts }: Pick<ForkedWorld, "hosts">): Config["BRIDGE_CONTROL_GROUP"] =>
  new Map(hosts.flatMap(({ host, agent }) => (agent?.control ? [[host, agent.control]] : [])));

/** Starts the web of a home on its previous ports, so that the sites' addresses do not change. */
export async function startHomeWorld(
  home: string,
  wanted: { corpus?: string; sites?: number },
): Promise<WorldWithShop> {
  const before = readMode(home);
  const corpus = wanted.corpus ?? before?.corpus;
  const sites = wanted.sites ?? before?.sites ?? DEFAULT_SITES;
  const settings = {
    sites,
    home: homePaths(home).world,
    ...(corpus ? { corpus } : { soundShare: SOUND_SHARE, agentSites: AGENT_SITES }),
  };
  const ports = before?.port ? { port: before.port, dnsPort: before.dnsPort } : {};
  const world = await forkWorld({ ...settings, ...ports }).catch((error: unknown) => {
    if (!before?.port) throw error;
    return forkWorld(settings);
  });
  writeMode(home, {
    kind: "world",
    sites,
    port: world.port,
    dnsPort: world.dns.port,
    addresses: addressesOf(world),
    ...(corpus && { corpus }),
  });
  if (corpus) return { ...world, shop: undefined, welcoming: [] };
  const shop = await openShop(world);
  return { ...world, shop, welcoming: welcomingOf(world, shop) };
}

export function writeMode(home: string, mode: Mode): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(modeFile(home), JSON.stringify(mode));
}

/** Where a web is, as its home remembers it. */
export const addressesOf = ({
  dns,
  port,
  httpPort,
  network,
  ca,
}: ForkedWorld): NonNullable<Mode["addresses"]> => ({
  dns,
  port,
  httpPort,
  network,
  ca,
});

/** Makes the first sound site of the web a shop: a retailer where there is one, and the same one at every start. */
async function openShop(world: ForkedWorld): Promise<string | undefined> {
  const sound = world.hosts.filter(({ kind }) => kind === "sound");
  const site = sound.find(({ category }) => category === "retail") ?? sound[0];
  if (site) await world.set(site.host, { kind: "shop" });
  return site?.host;
}

/** Sound sites beside the shop: the same ones at every start. */
function welcomingOf({ hosts }: ForkedWorld, shop: string | undefined): OpenSite[] {
  const sound = hosts.filter(({ kind, host }) => kind === "sound" && host !== shop);
  return WELCOMING.flatMap((access, i) => (sound[i] ? [{ site: sound[i].host, access }] : []));
}
