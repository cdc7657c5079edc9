/** The role `gossip`: its operations, and the consumer of discovered hosts. */

import { openLooks } from "../../src/crawl/look.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openPeers } from "../../src/stores/peers.ts";
import { openRecords } from "../../src/stores/records.ts";
import { createAdmission } from "./admission.ts";
import { gossip } from "./contract.ts";
import { consumeDiscoveredHosts } from "./discovered-hosts.ts";
import { gossipHandlers } from "./handlers.ts";
import { Candidates, ReporterGroup } from "./rules.ts";
import { Holder } from "./tables.ts";
import { openTriedTable } from "./tried-table.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const { broker, clock, log, frontier, sites, blocks, publicUrl, ownRing, identity } = runtime;
  const tried = await openTriedTable({
    bucket: broker.buckets.gossip_places,
    frontier,
    sites,
    resolver: runtime.resolver,
    secret: identity.secret,
    clock,
    now: broker.now,
    log,
  });
  // Settings that are wrong end the start; an index that is away does not.
  await runtime.index();
  const deps = {
    tried,
    slots: openRecords(broker.buckets.gossip_places, Holder),
    frontier,
    sites,
    blocks,
    looks: openLooks(broker.buckets),
    candidates: openRecords(broker.buckets.gossip_reports, Candidates),
    reporters: openRecords(broker.buckets.gossip_reports, ReporterGroup),
    peersFor: openPeers({ index: runtime.index, now: broker.now, secret: identity.secret }),
    now: broker.now,
    secret: identity.secret,
    publicUrl,
    ownRing,
    random: Math.random,
  };
  const admission = createAdmission(deps);
  const serving = runtime.serve(gossip, gossipHandlers(deps, admission));
  const consumer = consumeDiscoveredHosts(deps, admission, broker, clock, log);
  return {
    servings: [serving],
    read: async () => ({ ...consumer.stats, tried: tried.size }),
    drain: async () => {
      await serving.drain();
      await consumer.drain();
      tried.stop();
    },
  };
}
