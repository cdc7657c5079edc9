/** Composition: what stands behind the ports, built once a process from the settings. */

import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import { systemDnsServers } from "../../src/adapters/dns/servers.ts";
import { createFetcher } from "../../src/adapters/http/fetcher.ts";
import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import { openLog } from "../../src/adapters/nats/log.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { parseAllowances } from "../../src/domain/names/address.ts";
import { openAskerBackOff } from "../../src/egress/asker-back-off.ts";
import { createGate, GateRecord } from "../../src/egress/gate.ts";
import { createPolite } from "../../src/egress/polite.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import type { TransparencyLog } from "../../src/ports/log.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { Block } from "../../src/stores/block-list.ts";
import { openContents } from "../../src/stores/contents.ts";
import { closedToAgents } from "../../src/stores/governing-site.ts";
import type { Identity } from "../../src/stores/identity.ts";
import { openRecords } from "../../src/stores/records.ts";
import { type Extra, type OpenedCore, openCore } from "./core.ts";
import { homePaths } from "./home.ts";

/** What goes out: built from settings alone, so that `bridge check` needs no broker. */
export interface Outgoing {
  clock: Clock;
  resolver: Resolver;
  fetcher: Fetcher;
  close(): Promise<void>;
}

/** The runtime as composition sees it: with the broker's connection, and how it ends. */
export interface OpenedRuntime extends Runtime, OpenedCore {
  broker: NatsBroker;
  close(): Promise<void>;
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
  { buckets, now }: NatsBroker,
  identity: Identity,
  publicUrl: string,
): Runtime["ownDocument"] => {
  const open = async () => {
    const [{ services }, { openOwnDocument }] = await Promise.all([
      import("../services.ts"),
      import("../../workers/protocol/own-document.ts"),
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
export const openRuntime = async (
  config: Config,
  natsUrl: string,
  extra: Extra = {},
): Promise<OpenedRuntime> => {
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
    endings: homePaths(config.BRIDGE_HOME).endings,
    pageThread: extra.pageThread,
    ownDocument: ownDocumentOf(broker, identity, publicUrl),
    transparency: () => (transparency ??= openLog(broker, identity, publicUrl, clock)),
    close: async () => {
      await outgoing.close();
      await core.close();
    },
  };
};
