/** Consumes the hosts that beacons name: the same path as a report, with the naming site as the source. */
import PQueue from "p-queue";
import type { Logger } from "pino";
import { hostKey, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Work } from "../../src/ports/queue.ts";
import { DiscoveredBatch, type DiscoveredHosts } from "../crawler/contract.ts";
import { chargeAllowance, type GossipDeps, type HostAdmission } from "./admission.ts";
import { siteGroup } from "./rules.ts";

/** Hints processed concurrently. */
const CONCURRENCY = 32;

/** The tried table is a sample: this many of the sites discovered per second are offered a slot. */
const OFFERS_A_SECOND = 16;

export interface DiscoveryConsumer {
  readonly stats: { discovered: number; admitted: number };
  drain(): Promise<void>;
}

/** Consumes the hosts that beacons name. They take the same path as a report, with the naming site as the source. */
export function consumeDiscoveredHosts(
  deps: GossipDeps,
  admission: HostAdmission,
  broker: Broker,
  clock: Clock,
  log: Logger,
): DiscoveryConsumer {
  const stats = { discovered: 0, admitted: 0 };
  const stopping = new AbortController();
  const queue = new PQueue({ concurrency: CONCURRENCY });
  let offers = { second: 0, left: 0 };
  const mayOffer = (): boolean => {
    const second = Math.floor(clock.monotonicMs() / 1_000);
    if (offers.second !== second) offers = { second, left: OFFERS_A_SECOND };
    return offers.left-- > 0;
  };

  const admitDiscovered = async ({ source, hosts }: DiscoveredHosts): Promise<void> => {
    const owner = registrableDomain(source);
    const others = hosts.filter((host) => registrableDomain(host) !== owner);
    const known = await Promise.all(others.map((host) => admission.isKnown(host)));
    const fresh = others.filter((_, i) => !known[i]);
    const taken =
      fresh.length > 0 ? (await chargeAllowance(deps, siteGroup(deps.secret, source), fresh)).taken : [];
    if (mayOffer()) await deps.tried.offer(source);
    if (taken.length > 0) {
      const group = await sourceGroup(deps, source);
      await Promise.all(taken.map((host) => admission.admit(host, "beacon", group)));
    }
    stats.discovered += hosts.length;
    stats.admitted += taken.length;
  };
  const handleMessage = async (message: Work): Promise<void> => {
    const batch = DiscoveredBatch.safeParse(message.json());
    if (batch.success) for (const discovered of batch.data) await admitDiscovered(discovered);
    message.ack();
  };

  const follow = async (): Promise<void> => {
    for await (const message of broker.discoveredHosts.follow(stopping.signal)) {
      // Without an ack the broker redelivers the hint, at most five times.
      queue
        .add(() => handleMessage(message))
        .catch((error: unknown) => log.warn({ err: error }, "failed to process a hint"));
      await queue.onSizeLessThan(CONCURRENCY * 4);
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await follow().catch((error: unknown) =>
        log.warn({ err: error }, "lost the queue of discovered hosts; retrying"),
      );
      await clock.sleep(1_000, stopping.signal);
    }
  };
  const running = loop();
  return {
    stats,
    drain: async () => {
      stopping.abort();
      await running;
      await queue.onIdle();
    },
  };
}

/** The group of a site as a source: all sites of one operator count as one. */
async function sourceGroup({ sites, tried, secret }: GossipDeps, source: string): Promise<string> {
  const record = (await sites.get(hostKey(source)))?.value;
  return record ? tried.groupOf(record) : siteGroup(secret, source);
}
