/** The outgoing clients: DNS and HTTP. */
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import { systemDnsServers } from "../../src/adapters/dns/servers.ts";
import { createFetcher, type RequestSigner } from "../../src/adapters/http/fetcher.ts";
import { Networks, parseAllowances } from "../../src/domain/names/address.ts";
import { type OwnWay, openOwnWay } from "../../src/egress/own-way.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { FullResolver } from "../../src/ports/dns.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import { type Config, ConfigError } from "../../src/runtime/config.ts";
import { observedFetcher, observedResolver } from "../../src/telemetry/observed.ts";
import type { Extra } from "./opened-core.ts";

/** The outgoing clients, built from settings alone, so that `bridge check` needs no broker. */
export interface OutgoingClients {
  clock: Clock;
  resolver: FullResolver;
  fetcher: Fetcher;
  way: OwnWay;
  /** What the fetcher refuses besides: empty until a role follows the operators' blocks. */
  blockedNetworks: Networks;
  /** From now on requests are signed: until the registry's secret is known, and by commands without a broker, they are not. */
  signBy(sign: RequestSigner): void;
  close(): Promise<void>;
}

/** @throws ConfigError when BRIDGE_EGRESS_ALLOW cannot be read */
export function openOutgoing(config: Config, extra: Extra = {}): OutgoingClients {
  const allow = parseAllowances(config.BRIDGE_EGRESS_ALLOW);
  if (!allow.ok) throw new ConfigError(`BRIDGE_EGRESS_ALLOW: ${allow.reason}`);
  const resolver = observedResolver(
    createResolver({
      servers: config.BRIDGE_DNS_SERVERS.length > 0 ? config.BRIDGE_DNS_SERVERS : systemDnsServers(),
      validating: config.BRIDGE_DNS_VALIDATING,
      clock: systemClock,
    }),
  );
  const blockedNetworks = new Networks();
  let sign: RequestSigner = () => ({});
  const way = openOwnWay({ resolver, clock: systemClock });
  const fetcher = way.watching(
    observedFetcher(
      createFetcher({
        resolver,
        clock: systemClock,
        userAgent: config.BRIDGE_USER_AGENT,
        allow: allow.allowances,
        blocked: blockedNetworks,
        sign: (authority, address) => sign(authority, address),
        maxConnections: Math.max(64, config.BRIDGE_CRAWL_CONCURRENCY * 2),
        ...(extra.ca && { ca: extra.ca }),
      }),
    ),
  );
  const close = async () => {
    await fetcher.close();
    resolver.close();
  };
  const signBy: OutgoingClients["signBy"] = (signer) => {
    sign = signer;
  };
  return { clock: systemClock, resolver, fetcher, way, blockedNetworks, signBy, close };
}
