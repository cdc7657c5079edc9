/** What the registry says of itself: how far its crawl is, and by what rules it crawls, ranks and lists. */
import { z } from "zod";
import { AgentWebToday } from "../../schemas/agent-web.ts";
import { Timestamp } from "../../schemas/common.ts";
import { LastVisit, VisitsToday } from "../../schemas/visits.ts";
import { WITNESS_FAULTS, type WitnessFault } from "../../src/stores/witnesses.ts";

/** Most of the newest visits that a status names. */
export const MAX_RECENT = 12;

export const RegistryStatus = z
  .object({
    at: Timestamp,
    crawl: z.object({
      hosts: z
        .int()
        .min(0)
        .meta({ description: "Hosts that are visited again and again: each has one token" }),
      due: z.int().min(0).meta({ description: "Hosts that wait for a visit now" }),
      in_progress: z.int().min(0).meta({ description: "Visits under way" }),
    }),
    visits: VisitsToday,
    agent_web: AgentWebToday,
    log: z
      .object({
        size: z.int().min(0).meta({ description: "Entries of the transparency log" }),
        witnesses: z.array(
          z.object({
            name: z.string().meta({ description: "As the operator's policy calls it" }),
            size: z
              .int()
              .min(0)
              .meta({ description: "Entries of the checkpoint that it cosigned last; 0: none" }),
            at: z.string().nullable().meta({ description: "When it did, RFC 3339" }),
            fault: z
              .enum(Object.keys(WITNESS_FAULTS) as [WitnessFault, ...WitnessFault[]])
              .nullable()
              .meta({ description: "Why it does not cosign now; null: it does" }),
          }),
        ),
      })
      .meta({ description: "The transparency log, and those who vouch that it shows everybody the same" }),
    recent: z.array(LastVisit).max(MAX_RECENT).meta({
      description:
        "The newest visits to sites that were verified once and are not blocked, the newest first. Other hosts are counted, not named: anybody can report a name",
    }),
  })
  .meta({ id: "RegistryStatus" });
export type RegistryStatus = z.infer<typeof RegistryStatus>;

const Factor = z.object({ least: z.number(), most: z.number() });

export const RegistryAbout = z
  .object({
    public_url: z.url(),
    contacts: z
      .array(z.string())
      .meta({ description: "Addresses at which the operator is reached: https or mailto" }),
    sends_mail: z.boolean().meta({ description: "Whether links are mailed, for a new password among them" }),
    crawler: z.object({
      user_agent: z.string(),
      robots_token: z
        .string()
        .meta({ description: "What robots.txt names the crawler by", example: "BridgeBot" }),
      host_delay_ms: z.int().min(0).meta({ description: "Pause between two requests to one host" }),
      address_delay_ms: z.int().min(0).meta({ description: "Pause between two requests to one address" }),
      session_delay_ms: z.int().min(0).meta({
        description: "Pause after a request of an agent's session, which the site's owner licensed",
      }),
      pages_per_visit: z.int().min(0),
    }),
    ranking: z
      .object({ trust: Factor, fairness: Factor, rotation: Factor })
      .meta({ description: "What the relevance of the text is multiplied by: by ring, neutrality and hour" }),
    trust: z
      .array(z.object({ name: z.string(), points: z.number() }))
      .meta({ description: "The parts of the trust score, and the most that each gives" }),
    neutrality: z
      .array(z.object({ name: z.string(), points: z.number() }))
      .meta({ description: "The parts of the neutrality score, of 100 points" }),
  })
  .meta({ id: "RegistryAbout" });
export type RegistryAbout = z.infer<typeof RegistryAbout>;
