/**
 * The agent-ready web: what a host publishes for agents in any format (descriptors), what can be called there (services with
 * their tools), what we saw when we spoke to it (observations), and what third parties say of it (claims).
 */
import { z } from "zod";
import { Effect } from "./action.ts";
import { Dnssec, Host, Timestamp } from "./common.ts";

/** Bounds of one host's record: what is beyond them is counted in `cut`. */
export const MAX_SERVICES = 50;
export const MAX_TOOLS = 500;
/** Parameters of a tool, and characters of each. */
export const MAX_PARAMETERS = 16;
export const MAX_PARAMETER = 120;
export const MAX_DESCRIPTORS = 60;
export const MAX_DESCRIPTOR_FINDINGS = 20;

/** How well what can be done at a host is known. A later level includes the earlier ones. */
export const LEVELS = ["claimed", "published", "answers", "signed", "verified"] as const;
export const Level = z.enum(LEVELS).meta({
  id: "Level",
  description:
    "claimed: a third party says so; published: its own host does; answers: we spoke to it, and it is what it says; signed: by a key anchored at its domain; verified: an enabled site (ring 3 or 4)",
});
export type Level = z.infer<typeof Level>;

/** How a host answers for the address of a document. */
export const DESCRIPTOR_ANSWERS = [
  "present",
  "absent",
  "soft_404",
  "redirected",
  "auth",
  "error",
  "unknown",
] as const;
export const Answer = z.enum(DESCRIPTOR_ANSWERS).meta({
  id: "Answer",
  description:
    "present; absent: 404 or 410; soft_404: the page that the host answers for any address; redirected: to another address that was not followed; auth: 401 or 403; error: another 4xx or 5xx, or bytes that no format reads; unknown: not asked, put off (429, 503) or not reached",
});
export type Answer = z.infer<typeof Answer>;

/** What an endpoint was when we spoke to it. */
export const OBSERVED_CLASSES = [
  "open",
  "auth",
  "rate_limited",
  "not_protocol",
  "html",
  "template_url",
  "dead",
  "unknown",
] as const;
export const ObservedClass = z.enum(OBSERVED_CLASSES).meta({
  id: "ObservedClass",
  description:
    "open: it answered as its protocol says; auth: asks for authorization; rate_limited: 429; not_protocol: answers, and not by its protocol; html: a page for people; template_url: its address has placeholders; dead: three failures over two days or more, or no such name in DNS; unknown: nothing is concluded",
});
export type ObservedClass = z.infer<typeof ObservedClass>;

/** What became of an imported entry. */
export const IMPORT_OUTCOMES = ["new", "known", "changed", "deleted", "older", "refused"] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** Hosts of which an operator knows what a look has to see: so a registry learns how often its own looks err. */
export const CONTROL_GROUPS = ["alive", "soft_404", "broken"] as const;
export const ControlGroup = z.enum(CONTROL_GROUPS).meta({
  id: "ControlGroup",
  description:
    "alive: a service there is open, or asks for authorization; soft_404: the host answers any address alike, and publishes nothing; broken: it describes a service that answers otherwise",
});
export type ControlGroup = z.infer<typeof ControlGroup>;

/** Where a descriptor's address came from. */
export const FOUND_BY = ["well_known", "link", "html", "robots", "catalog", "dns", "import"] as const;

export const DescriptorFinding = z.object({
  rule: z.string().meta({ description: "Stable", example: "missing_member" }),
  place: z.string().max(200).meta({ description: "JSON pointer (RFC 6901); empty: the whole document" }),
  fix: z.string().max(300).meta({ description: "What its owner does" }),
});
export type DescriptorFinding = z.infer<typeof DescriptorFinding>;

/** One published document. */
export const Descriptor = z
  .object({
    format: z.string().max(40).meta({ description: "Row of the table of formats", example: "a2a-card" }),
    revision: z.string().max(40).nullable().meta({ description: "As the document declares it" }),
    url: z.string().max(2_048).meta({ description: "Of records in DNS: by RFC 4501" }),
    found_by: z.enum(FOUND_BY),
    named_by: z.string().max(2_048).nullable().meta({
      description: "Address of the catalog that names it; null: none does, or it was found otherwise",
    }),
    answer: Answer,
    conforms: z.boolean().nullable().meta({ description: "null: nothing is published to conform to" }),
    usable: z.boolean().meta({ description: "What an agent needs of it can be read" }),
    findings: z.array(DescriptorFinding).max(MAX_DESCRIPTOR_FINDINGS),
    lists: z.int().min(1).optional().meta({
      description:
        "Skills, tools, operations or entries that it names, whether or not it says where they are called",
    }),
    signature: z.enum(["own_key", "others_key", "key_unknown", "invalid"]).optional().meta({
      description:
        "Who signed it. own_key: a key that its registrable domain serves; others_key: one that nobody vouches for; key_unknown: one that is not to be had; invalid: it is not what was signed; absent: nobody",
    }),
    dnssec: Dnssec.optional().meta({
      description:
        "Of records in DNS: whether the resolver validated them. unknown: it does not validate; absent: no records",
    }),
    sha256: z.string().nullable(),
    by: z.string().max(60).meta({ description: "owner, or platform:name", example: "platform:wix" }),
    first_seen_at: Timestamp,
    seen_at: Timestamp,
    changed_at: Timestamp,
  })
  .meta({ id: "Descriptor" });
export type Descriptor = z.infer<typeof Descriptor>;

export const PROTOCOLS = [
  "mcp",
  "a2a",
  "http",
  "skill",
  "ucp",
  "acp",
  "x402",
  "nlweb",
  "webmcp",
  "bridge",
] as const;
export const Protocol = z.enum(PROTOCOLS).meta({ id: "Protocol" });
export type Protocol = z.infer<typeof Protocol>;

/** What we saw when we spoke to a service. */
export const ServiceObservation = z
  .object({
    class: ObservedClass,
    detail: z.string().max(300).meta({ description: "Why, in words; may quote the endpoint" }),
    revision: z.string().max(40).nullable().meta({ description: "Of the protocol, as it answered" }),
    name: z.string().max(200).nullable().meta({ description: "As it names itself" }),
    tools: z.int().min(0).nullable().meta({ description: "Tools that it lists; null: not listed" }),
    tools_sha256: z.string().nullable().meta({ description: "Of the list of tools, in an order of ours" }),
    latency_ms: z.int().min(0).nullable(),
    seen_at: Timestamp,
    leaf_index: z.int().min(0).optional().meta({
      description: "Of the leaf of the transparency log that says so; absent: none does yet",
    }),
  })
  .meta({ id: "ServiceObservation" });
export type ServiceObservation = z.infer<typeof ServiceObservation>;

const Screened = z.enum(["clear", "warned", "withheld"]);

/** What a service does. Text of strangers. */
export const ServiceTool = z
  .object({
    name: z.string().max(200),
    description: z.string().max(1_000),
    parameters: z
      .array(z.string().max(MAX_PARAMETER))
      .max(MAX_PARAMETERS)
      .optional()
      .meta({
        description: "Names of what it is called with, each with what it says of it",
        example: ["city: whose weather"],
      }),
    effect: Effect,
    screened: Screened.meta({
      description: "What the firewall says of its texts; withheld: blocked, and not shown",
    }),
  })
  .meta({ id: "ServiceTool" });
export type ServiceTool = z.infer<typeof ServiceTool>;

/** Something callable: one server, however many descriptors describe it. */
export const AgentService = z
  .object({
    protocol: Protocol,
    endpoint: z.string().max(2_048),
    transports: z.array(z.string().max(40)).max(8),
    auth: z.enum(["none", "oauth", "api_key", "other", "unknown"]),
    name: z.string().max(200),
    description: z.string().max(1_000),
    described_by: z.array(z.string().max(2_048)).max(10).meta({ description: "Addresses of descriptors" }),
    claimed_by: z
      .array(
        z.object({
          source: z.string().max(100),
          id: z.string().max(300),
          version: z.string().max(100).optional().meta({
            description: "As the entry numbers what it describes; absent: it names another host first",
          }),
        }),
      )
      .max(10)
      .meta({ description: "Third parties' entries that name it" }),
    level: Level,
    observation: ServiceObservation.nullable(),
    screened: Screened.default("clear").meta({
      description: "What the firewall says of its name and description; withheld: blocked",
    }),
    /** Failures in a row, and since when: three over two days or more are `dead`. */
    failing: z.object({ times: z.int().min(1), since: Timestamp }).nullable(),
    tools: z.array(ServiceTool).max(MAX_TOOLS),
  })
  .meta({ id: "AgentService" });
export type AgentService = z.infer<typeof AgentService>;

/** What one host publishes for agents, and what can be called there. Written by the crawler alone; at most 64 KiB. */
export const AgentPresence = z.looseObject({
  v: z.literal(1),
  host: Host,
  /** Software or service that serves the host, by its marks (shopify, wix, …). */
  platform: z.string().max(40).nullable(),
  descriptors: z.array(Descriptor).max(MAX_DESCRIPTORS),
  services: z.array(AgentService).max(MAX_SERVICES),
  /** What was left out for the bounds. */
  cut: z.looseObject({ descriptors: z.int().min(0), services: z.int().min(0), tools: z.int().min(0) }),
  first_seen_at: Timestamp,
  seen_at: Timestamp,
  changed_at: Timestamp,
  /** Absent paths, by when they may be asked for again. */
  absent: z.record(z.string().max(200), Timestamp),
});
export type AgentPresence = z.infer<typeof AgentPresence>;

/** Source of the official MCP registry's claims, from its address or from a file. */
export const OFFICIAL_SOURCE = "mcp-registry";

/** A third party's entry that names a host: a hint, never more. */
export const Claim = z.looseObject({
  v: z.literal(1),
  source: z.string().max(100).meta({ description: "Which list", example: "mcp-registry" }),
  id: z.string().max(300).meta({ description: "Its id there" }),
  status: z.enum(["active", "deprecated", "deleted"]),
  host: Host,
  name: z.string().max(200),
  description: z.string().max(1_000),
  endpoints: z
    .array(z.looseObject({ protocol: Protocol, url: z.string().max(2_048) }))
    .max(10)
    .meta({ description: "That it says can be called" }),
  version: z.string().max(100).optional().meta({
    description: "As the entry numbers what it describes; of the first host alone that it names",
  }),
  updated_at: Timestamp.nullable().meta({ description: "As the source says" }),
  imported_at: Timestamp,
});
export type Claim = z.infer<typeof Claim>;

/** What looks at hosts saw today. */
export const AgentWebToday = z
  .object({
    looks: z.int().min(0).meta({ description: "Hosts that were looked at" }),
    found: z.int().min(0).meta({ description: "Those where agents can use something, in any format" }),
    services: z
      .array(z.object({ protocol: Protocol, level: Level, services: z.int().min(1) }))
      .meta({ description: "Services of those hosts" }),
    probes: z
      .array(z.object({ class: ObservedClass, endpoints: z.int().min(1) }))
      .meta({ description: "Endpoints that were spoken to" }),
    imports: z
      .array(z.object({ outcome: z.enum(IMPORT_OUTCOMES), entries: z.int().min(1) }))
      .meta({ description: "Entries of others' lists that were read" }),
    control: z
      .array(z.object({ group: ControlGroup, looks: z.int().min(1), wrong: z.int().min(0) }))
      .meta({ description: "Looks at hosts of the control group, and those of them that saw another thing" }),
  })
  .meta({ id: "AgentWebToday", description: "What looks at hosts saw today (UTC), in any format" });
export type AgentWebToday = z.infer<typeof AgentWebToday>;
