/** Registry peers (specification 2.5, 2.6) and the beacon (design of the /.bridge reply). */
import { z } from "zod";
import { Host, IntentTag, Timestamp, TrustRing, VERSIONS } from "./common.ts";
import { FlattenedJws } from "./manifest.ts";

export const Peer = z
  .looseObject({
    domain: Host,
    trust_ring: TrustRing,
    intent_tags: z.array(IntentTag),
    verified_at: Timestamp.optional(),
  })
  .meta({ id: "Peer" });
export type Peer = z.infer<typeof Peer>;

export const BridgeMeta = z
  .object({
    protocol: z.string().meta({ description: "bridge/<version>", example: VERSIONS.meta }),
    trust_ring: TrustRing.meta({ description: "The responding host's own ring" }),
    registry: z.url().meta({ description: "Address of the discover endpoint" }),
    spider_report: z.url().meta({ description: "Address of the report endpoint" }),
  })
  .meta({ id: "BridgeMeta" });
export type BridgeMeta = z.infer<typeof BridgeMeta>;

export const PeerEnvelope = z
  .object({
    count: z.int().min(0),
    peers: z.array(Peer),
    instructions: z.string().meta({ description: "What an agent should do next" }),
    bridge_meta: BridgeMeta,
  })
  .meta({ id: "PeerEnvelope" });
export type PeerEnvelope = z.infer<typeof PeerEnvelope>;

const Outcome = z.object({
  domain: Host,
  state: z.enum(["queued", "visited", "blocked", "not_taken"]),
  detail: z.string(),
  verdict_url: z.url().meta({ description: "What the registry says of the site, and why" }),
  last_visit_at: Timestamp.nullable(),
});
export type ReportOutcome = z.infer<typeof Outcome>;

/** The reply to a report: what became of the site that it names, then the peers of gossip. */
export const ReportReply = z
  .object({
    reported: Outcome.optional().meta({ description: "Absent where the report names no site of its own" }),
    ...PeerEnvelope.shape,
  })
  .meta({ id: "ReportReply" });

export const Beacon = z
  .object({
    bridge_meta: BridgeMeta,
    domain: z.string().meta({ description: "The responding host" }),
    trust_ring: TrustRing,
    score: z.number().min(0).max(100).meta({ description: "Trust score, computed by this registry" }),
    intent_tags: z.array(IntentTag),
    manifest: FlattenedJws.optional(),
    peers: z.array(Peer),
    next: z
      .array(z.object({ domain: Host, url: z.url() }))
      .meta({ description: "Beacons to follow from here" }),
    generated_at: Timestamp,
  })
  .meta({ id: "Beacon" });
export type Beacon = z.infer<typeof Beacon>;
