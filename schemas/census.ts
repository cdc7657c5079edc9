/** The census: what hosts publish for agents, a day a row. Its names are those of closed vocabularies, never a stranger's words. */
import { z } from "zod";
import { Answer, ControlGroup, Level, ObservedClass, Protocol } from "./agent-web.ts";
import { Timestamp } from "./common.ts";

/** Counts of a day are kept this long. */
export const CENSUS_DAYS = 41;

/** How the registry came to a host (`DiscoverySource` of the frontier). */
export const CENSUS_SOURCES = ["seed", "report", "beacon", "import", "audit"] as const;
export const CensusSource = z.enum(CENSUS_SOURCES).meta({
  id: "CensusSource",
  description:
    "seed: the operator named it; report: somebody reported it; beacon: another site's beacon or page links to it; import: another registry lists it; audit: known before, and found again",
});
export type CensusSource = z.infer<typeof CensusSource>;

const Hosts = z.int().min(1);

export const CensusDay = z
  .object({
    day: z.iso.date(),
    hosts: z.int().min(0).meta({ description: "Hosts that were looked at, each once" }),
    closed: z
      .int()
      .min(0)
      .meta({ description: "Of those, hosts whose robots.txt or header fields forbid that it is kept" }),
    found: z.int().min(0).meta({ description: "Of those, hosts where agents can use something" }),
    sources: z.array(z.object({ source: CensusSource, hosts: Hosts })),
    levels: z
      .array(z.object({ level: Level, hosts: Hosts }))
      .meta({ description: "By the best level of each host" }),
    platforms: z
      .array(z.object({ platform: z.string(), hosts: Hosts }))
      .meta({ description: "Rows of the table of platforms, by their marks" }),
    protocols: z
      .array(z.object({ protocol: Protocol, level: Level, hosts: Hosts }))
      .meta({ description: "Hosts with a service, by the best level of that protocol there" }),
    formats: z
      .array(
        z.object({
          format: z.string(),
          answers: z.partialRecord(Answer, Hosts).meta({
            description: "Hosts by how they answer for documents of the format, by the best of them",
          }),
          usable: z.int().min(0),
          conforming: z.int().min(0),
        }),
      )
      .meta({
        description:
          "Documents that were asked for. Absent ones are asked for again after 30 days, so that absence is of that day's new questions",
      }),
    endpoints: z
      .array(z.object({ class: ObservedClass, endpoints: z.int().min(1) }))
      .meta({ description: "Endpoints that were spoken to" }),
    control: z.array(z.object({ group: ControlGroup, looks: z.int().min(1), wrong: z.int().min(0) })).meta({
      description: "Looks at hosts of which it is known what is there, and those that saw another thing",
    }),
  })
  .meta({ id: "CensusDay" });
export type CensusDay = z.infer<typeof CensusDay>;

export const Census = z
  .object({
    at: Timestamp,
    frame: z
      .string()
      .meta({ description: "How the hosts were chosen, and what the counts are no measure of" }),
    days: z
      .array(CensusDay)
      .max(CENSUS_DAYS)
      .meta({ description: "Oldest first; days without a look are left out" }),
  })
  .meta({ id: "Census" });
export type Census = z.infer<typeof Census>;
