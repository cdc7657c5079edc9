/** The role `trust`: ring 4. */

import { Registration } from "../../schemas/ring4.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { followNetworks } from "../../src/stores/block-list.ts";
import { openLoggedHosts } from "../../src/stores/logged-hosts.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { openRecords } from "../../src/stores/records.ts";
import { openWitnessesSaid } from "../../src/stores/witnesses.ts";
import { trust } from "./contract.ts";
import { trustHandlers } from "./handlers.ts";
import { openWitnessPolicy } from "./policy-file.ts";
import {
  countsOf,
  NO_COSIGNATURES,
  readCosignatures,
  startWitnessing,
  type WitnessDeps,
} from "./witnesses.ts";

export async function start(runtime: Runtime): Promise<RunningRole> {
  const networks = await followNetworks(runtime);
  const { broker, sites, blocks, contents, frontier, polite, resolver, config, clock, fetcher, log } =
    runtime;
  const transparency = await runtime.transparency();
  const file = config.BRIDGE_WITNESS_POLICY;
  const witnesses: WitnessDeps | undefined = file
    ? {
        policy: openWitnessPolicy(file, transparency.key),
        said: openWitnessesSaid(broker.buckets.log),
        transparency,
        fetcher,
        clock,
        now: broker.now,
        log,
      }
    : undefined;
  const handlers = trustHandlers({
    registrations: openRecords(broker.buckets.registrations, Registration),
    sites,
    blocks,
    looks: { presence: openPresences(broker.buckets.contents).get },
    logged: openLoggedHosts(broker.buckets.contents),
    contents,
    frontier,
    polite,
    resolver,
    transparency,
    cosignatures: witnesses ? readCosignatures(witnesses) : NO_COSIGNATURES,
    limiter: runtime.limiter,
    now: broker.now,
  });
  const serving = runtime.serve(trust, handlers);
  const witnessing = witnesses && startWitnessing(witnesses);
  const drain = async () => {
    await serving.drain();
    await witnessing?.drain();
    networks.stop();
  };
  return { servings: [serving], read: async () => (witnesses ? countsOf(witnesses) : {}), drain };
}
