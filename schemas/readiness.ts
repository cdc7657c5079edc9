/** How useful a site is to agents: a view of its verdict, by what works and not by what is there. */
import { z } from "zod";
import { AgentService } from "./agent-web.ts";
import { Host, Timestamp } from "./common.ts";
import { SiteState } from "./verdict.ts";

export const READINESS = [
  "usable",
  "readable",
  "broken",
  "present",
  "nothing",
  "unknown",
  "blocked",
] as const;

/** Of each group, the items that a report has. */
export const MAX_READY_ITEMS = 60;

const ReadyItem = z
  .object({
    what: z.enum(["service", "document", "site"]),
    kind: z.string().meta({ description: "Protocol of a service, format of a document", example: "mcp" }),
    address: z.string(),
    name: z.string().meta({ description: "As it names itself; text of strangers" }),
    screened: AgentService.shape.screened.meta({
      description: "What the firewall says of its words; withheld: not shown",
    }),
    says: z.string().meta({ description: "What it is to an agent, in words of this registry" }),
    by: z.string().meta({ description: "owner, or platform:name" }),
    tools: z.int().min(0).meta({ description: "That a service lists" }),
    fixes: z
      .array(
        z.object({
          place: z.string().meta({ description: "JSON pointer, or a line; empty: the whole" }),
          do: z.string(),
        }),
      )
      .meta({ description: "What its owner does; of what works, what would make it better" }),
    seen_at: Timestamp.nullable(),
  })
  .meta({ id: "ReadyItem" });
export type ReadyItem = z.infer<typeof ReadyItem>;

const Group = z.array(ReadyItem).max(MAX_READY_ITEMS);

export const SiteReadiness = z
  .object({
    domain: Host,
    state: SiteState,
    readiness: z.enum(READINESS).meta({
      description:
        "usable: something answers agents, or is licensed to them; readable: documents alone, and nothing that answered; broken: what is published fails; present: what is published serves no agent; nothing: nothing is published; unknown: never looked at; blocked: excluded",
    }),
    headline: z.string(),
    works: Group.meta({ description: "What an agent can use, what answered first" }),
    broken: Group.meta({ description: "What is published and fails, with what to do" }),
    only_present: Group.meta({
      description: "What is published, and what no agent gains anything from: no reason to publish it",
    }),
    not_known: Group.meta({
      description: "What is described, and was not tried or gave no answer that shows whether it works",
    }),
    left_out: z.int().min(0).meta({ description: "Items beyond the bounds of this report" }),
    history: z
      .array(
        z.object({
          at: Timestamp,
          event: z.enum(["state", "first_seen", "changed"]),
          of: z.string().meta({ description: "The state; or the document's format and address" }),
        }),
      )
      .max(20)
      .meta({ description: "Newest first, as far as the record has it" }),
    seen_at: Timestamp.nullable().meta({ description: "When it was last looked at for agents" }),
  })
  .meta({ id: "SiteReadiness", description: "How useful a site is to agents, from its last look" });
export type SiteReadiness = z.infer<typeof SiteReadiness>;
