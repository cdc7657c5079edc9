/**
 * What a crawl leaves of sites: taken from a registry that visited a synthetic web, and written for other hosts by the
 * functions with which a crawler writes it.
 */

import { addSeeds } from "../../../app/cli/seed.ts";
import { worldConfig } from "../../../app/cli/world.ts";
import { createMetrics } from "../../../app/processes/metrics.ts";
import { openRuntime } from "../../../app/processes/runtime.ts";
import { startRoles } from "../../../app/processes/start-roles.ts";
import type { SiteContent, SiteRecord } from "../../../schemas/site.ts";
import { SitePages } from "../../../schemas/site-pages.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { afterRelease, FREE, GateRecord, hostGateKey } from "../../../src/egress/gate.ts";
import { readConfig } from "../../../src/runtime/config.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { pagesKey } from "../../../src/stores/contents.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { forkWorld } from "../../../world/control.ts";

/** One visited site, as JSON in which its host's name can be replaced. */
export interface Sample {
  host: string;
  record: string;
  content: string | undefined;
  pages: string | undefined;
}

const SITES = 200;

/** Visits a synthetic web once, on the broker at `natsUrl` under a prefix of its own. */
export async function takeSamples(natsUrl: string, home: string): Promise<Sample[]> {
  const world = await forkWorld({ sites: SITES, seed: 8, soundShare: 0.9 });
  const config = {
    ...worldConfig(readConfig({ BRIDGE_NATS_SETUP: "true", BRIDGE_NATS_PREFIX: "samples" }), world),
    BRIDGE_HOME: home,
    BRIDGE_HOST_DELAY_MS: 0,
    BRIDGE_IP_DELAY_MS: 0,
    BRIDGE_STORE_GIB: 1,
  };
  const runtime = await openRuntime(config, natsUrl, { ca: [world.ca] });
  try {
    const hosts = world.hosts.map(({ host }) => host);
    await addSeeds(runtime, hosts);
    const [crawler] = await startRoles(runtime, ["crawler"], createMetrics());
    while (crawler!.crawler!.visits < hosts.length) await runtime.clock.sleep(100);
    await crawler!.drain();
    const pagesOf = openRecords(runtime.broker.buckets.contents, SitePages);
    const samples = hosts.map(async (host): Promise<Sample | undefined> => {
      const record = await runtime.sites.get(hostKey(host));
      if (!record) return undefined;
      const content = await runtime.contents.get(host);
      const pages = await pagesOf.get(pagesKey(host));
      return {
        host,
        record: JSON.stringify(record.value),
        content: content && JSON.stringify(content),
        pages: pages && JSON.stringify(pages.value),
      };
    });
    return (await Promise.all(samples)).filter((sample) => sample !== undefined);
  } finally {
    await runtime.close();
    await world.stop();
  }
}

/** What of a host is written: all that a crawl leaves, or what keeps it in the frontier alone. */
export type Depth = "whole" | "token";

/** Host number `i` of a fleet: names of the lengths that the web has, in no order. */
export function fleetHost(i: number): string {
  // Multiplied by an odd number modulo 2^32, every number is met once.
  const scattered = (Math.imul(i, 0x9e3779b1) >>> 0).toString(36);
  return `www.${scattered}-shop${i % 7 === 0 ? "-of-some-town" : ""}.example`;
}

/** @returns writes host number `i`, whose next visit is due at `atMs` */
export function createWriter(runtime: Runtime, samples: readonly Sample[], depth: Depth) {
  const pagesOf = openRecords(runtime.broker.buckets.contents, SitePages);
  const gate = openRecords(runtime.broker.buckets.gate, GateRecord);
  return async (i: number, atMs: number): Promise<void> => {
    const host = fleetHost(i);
    const { now } = runtime.broker;
    const discoveredAt = Math.floor(now());
    if (depth === "whole") {
      const sample = samples[i % samples.length]!;
      const of = <T>(json: string): T => JSON.parse(json.replaceAll(sample.host, host));
      const record = of<SiteRecord>(sample.record);
      await Promise.all([
        sample.content && runtime.contents.put(host, of<SiteContent>(sample.content)),
        sample.pages && pagesOf.put(pagesKey(host), of<SitePages>(sample.pages)),
        runtime.sites.compareAndSet(hostKey(host), record, 0),
        gate.put(hostGateKey(host), afterRelease(FREE, { nextAt: now() }, now())),
      ]);
    }
    await runtime.frontier.add(host, atMs, { source: "seed", discoveredAt, visited: true });
  };
}
