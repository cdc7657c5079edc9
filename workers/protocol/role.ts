/** The role `protocol`: discovery documents and the beacon. */

import { openLooks } from "../../src/crawl/look.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openHostedSites } from "../../src/stores/hosted-documents.ts";
import { openLogHeads } from "../../src/stores/log-heads.ts";
import { openPeers } from "../../src/stores/peers.ts";
import { openWitnessesSaid } from "../../src/stores/witnesses.ts";
import { protocol } from "./contract.ts";
import { protocolHandlers } from "./handlers.ts";
import { registryAbout } from "./registry-about.ts";
import { createCensus, createStatus } from "./registry-status.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const { broker, config, frontier, sites, blocks, contents, publicUrl, ownRing, ownDocument, identity } =
    runtime;
  await ownDocument();
  // Settings that are wrong end the start; an index that is away does not.
  await runtime.index();
  const deps = {
    peersFor: openPeers({ index: runtime.index, now: broker.now, secret: identity.secret }),
    sites,
    blocks,
    contents,
    looks: openLooks(broker.buckets),
    hosted: openHostedSites(runtime),
    now: broker.now,
    publicUrl,
    ownDocument,
    ownRing,
    status: createStatus({
      sites,
      blocks,
      frontier,
      counters: broker.counters,
      heads: openLogHeads(broker.buckets.log),
      witnesses: openWitnessesSaid(broker.buckets.log),
      now: broker.now,
    }),
    census: createCensus({ counters: broker.counters, now: broker.now }),
    about: registryAbout(config, publicUrl),
  };
  const serving = runtime.serve(protocol, protocolHandlers(deps));
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
}
