/** Composition: what stands behind the ports, built once a process from the settings. */

import type { DiscoveryDocument } from "../schemas/discovery-document.ts";
import { openAccountStore } from "./accounts.ts";
import { createResolver } from "./adapters/dns/client.ts";
import { systemDnsServers } from "./adapters/dns/servers.ts";
import { createFetcher } from "./adapters/guarded-fetch/fetcher.ts";
import type { Broker } from "./adapters/nats/broker.ts";
import { type Frontier, openFrontier } from "./adapters/nats/frontier.ts";
import { openLog } from "./adapters/nats/log.ts";
import { openRecords, type Records } from "./adapters/nats/records.ts";
import { systemClock } from "./adapters/system-clock.ts";
import { openAskerBackOff } from "./asker-back-off.ts";
import { Block } from "./block-list.ts";
import { type Config, ConfigError } from "./config.ts";
import { type Contents, openContents } from "./contents.ts";
import { type Core, type Extra, openCore } from "./core.ts";
import { parseAllowances } from "./domain/address.ts";
import { createGate, GateRecord } from "./gate.ts";
import { closedToAgents } from "./governing-site.ts";
import type { Identity } from "./identity.ts";
import { createPolite, type Polite } from "./polite.ts";
import type { Clock, Fetcher, Resolver } from "./ports.ts";
import type { TransparencyLog } from "./transparency.ts";

/** What goes out: built from settings alone, so that `bridge check` needs no broker. */
export interface Outgoing {
  clock: Clock;
  resolver: Resolver;
  fetcher: Fetcher;
  close(): Promise<void>;
}

export interface Runtime extends Core, Outgoing {
  frontier: Frontier;
  contents: Contents;
  blocks: Records<Block>;
  polite: Polite;
  ownDocument: () => Promise<DiscoveryDocument>;
  /** The transparency log. Opened when a role first needs it. */
  transparency(): Promise<TransparencyLog>;
}

/** @throws ConfigError when BRIDGE_EGRESS_ALLOW cannot be read */
export const openOutgoing = (config: Config, extra: Extra = {}): Outgoing => {
  const allow = parseAllowances(config.BRIDGE_EGRESS_ALLOW);
  if (!allow.ok) throw new ConfigError(`BRIDGE_EGRESS_ALLOW: ${allow.reason}`);
  const resolver = createResolver({
    servers: config.BRIDGE_DNS_SERVERS.length > 0 ? config.BRIDGE_DNS_SERVERS : systemDnsServers(),
    validating: config.BRIDGE_DNS_VALIDATING,
    clock: systemClock,
  });
  const fetcher = createFetcher({
    resolver,
    clock: systemClock,
    userAgent: config.BRIDGE_USER_AGENT,
    allow: allow.allowances,
    maxConnections: Math.max(64, config.BRIDGE_CRAWL_CONCURRENCY * 2),
    ...(extra.ca && { ca: extra.ca }),
  });
  const close = async () => {
    await fetcher.close();
    resolver.close();
  };
  return { clock: systemClock, resolver, fetcher, close };
};

/** What the registry says of itself names all it offers: read when it is first asked for, not by every worker. */
const ownDocumentOf = (
  { buckets, now }: Broker,
  identity: Identity,
  publicUrl: string,
): Runtime["ownDocument"] => {
  const open = async () => {
    const [{ services }, { openOwnDocument }] = await Promise.all([
      import("../workers/index.ts"),
      import("../workers/protocol/own-document.ts"),
    ]);
    return openOwnDocument(buckets.service, identity, publicUrl, services, now);
  };
  let opened: ReturnType<typeof open> | undefined;
  return async () => {
    opened ??= open();
    return (await opened)();
  };
};

/**
 * Joins the broker and builds everything a worker or front needs.
 * @throws ConfigError for settings that cannot be used; Error when the broker cannot be reached
 */
export const openRuntime = async (config: Config, natsUrl: string, extra: Extra = {}): Promise<Runtime> => {
  const outgoing = openOutgoing(config, extra);
  const core = await openCore(config, natsUrl, extra);
  const { broker, identity, publicUrl, id } = core;
  const { clock, fetcher } = outgoing;
  const { buckets, now, clockErrorMs } = broker;
  const gates = openRecords(buckets.gate, GateRecord);
  const gate = createGate({
    records: gates,
    now,
    clockErrorMs,
    clock,
    holder: id,
    leaseMs: config.BRIDGE_LEASE_MS,
  });
  let transparency: Promise<TransparencyLog> | undefined;
  const accounts = openAccountStore(broker);
  return {
    ...core,
    ...outgoing,
    frontier: await openFrontier(broker, config.BRIDGE_LEASE_MS),
    contents: openContents(buckets.contents),
    blocks: openRecords(buckets.blocks, Block),
    polite: createPolite({
      gate,
      fetcher,
      now,
      clockErrorMs,
      clock,
      leaseMs: config.BRIDGE_LEASE_MS,
      hostDelayMs: config.BRIDGE_HOST_DELAY_MS,
      ipDelayMs: config.BRIDGE_IP_DELAY_MS,
      askers: openAskerBackOff(gates, now, identity.secret),
      closed: (url) => closedToAgents(accounts, url, { permissions: ["readContent"] }),
    }),
    ownDocument: ownDocumentOf(broker, identity, publicUrl),
    transparency: () => (transparency ??= openLog(broker, identity, publicUrl, clock)),
    close: async () => {
      await outgoing.close();
      await core.close();
    },
  };
};
