/** The crawler serves no operation. It consumes due tokens of the frontier and emits records and names. */
import { z } from "zod";
import { Host } from "../../schemas/common.ts";

/** Discovered hosts, emitted on `<prefix>.discovered` in batches: those that a verified site's beacon names. Gossip's rules decide about them. */
export const DiscoveredHosts = z.object({ source: Host, hosts: z.array(Host).max(10) });
export type DiscoveredHosts = z.infer<typeof DiscoveredHosts>;

/** One message holds what several visits discovered. */
export const MAX_DISCOVERED = 64;
export const DiscoveredBatch = z.array(DiscoveredHosts).max(MAX_DISCOVERED);

/** A visit that kept failing (it threw five times, or 25 workers did not survive it): kept for an operator, its host is visited again a day later. */
export const DeadLetter = z.looseObject({
  v: z.literal(1),
  host: Host,
  deliveries: z.int(),
  error: z.string().max(4_000),
  at: z.iso.datetime(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;
