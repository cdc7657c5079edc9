/** What a search by what can be done answers: tools, and the services that have them. Names and descriptions are strangers' words. */
import { z } from "zod";
import { Effect } from "./action.ts";
import { AgentService, Level, ObservedClass, Protocol, ServiceTool } from "./agent-web.ts";
import { Host, Timestamp, TrustRing } from "./common.ts";
import { SiteState } from "./verdict.ts";

/** What calling costs, by the protocol: x402 asks for a payment a call; a checkout protocol takes orders. */
export const PAYMENTS = ["x402", "checkout", "not_stated"] as const;
export const Payment = z.enum(PAYMENTS);
export type Payment = z.infer<typeof Payment>;

/** Who wrote what describes it: the owner of the host, or the platform that serves it. */
export const AUTHORS = ["owner", "platform"] as const;

const Screened = ServiceTool.shape.screened.meta({
  description: "What the firewall says of these words: warned, mark them; withheld, not shown",
});

/** The service of a hit: how it is called, and how well it is known. */
export const FoundService = z
  .object({
    host: Host.meta({ description: "Who offers it" }),
    protocol: Protocol,
    endpoint: z.string().max(2_048),
    transports: AgentService.shape.transports,
    auth: AgentService.shape.auth,
    payment: Payment,
    name: z.string().max(200),
    description: z.string().max(1_000),
    screened: Screened,
    by: z.string().max(60).meta({ description: "owner, or platform:name", example: "platform:wix" }),
    hosts: z
      .array(Host)
      .max(10)
      .meta({ description: "Hosts where a platform offers this very thing, the last seen first" }),
    level: Level,
    tools: z.int().min(0).meta({ description: "Tools that it lists" }),
    seen_at: Timestamp.meta({ description: "When this registry last looked" }),
    seen_by: z
      .enum(["answer", "document", "claim"])
      .meta({ description: "By what: it answered us, its own host's documents, or a third party's entry" }),
  })
  .meta({ id: "FoundService" });
export type FoundService = z.infer<typeof FoundService>;

/** What registries' own forms say of a service beside that: kept by the index, and shown in those forms alone. */
export const ServiceEntry = z.object({
  /** Of an MCP server: its name in reverse DNS, and its number as its publisher gives it. */
  server: z.object({ name: z.string().max(200), version: z.string().max(100).nullable() }).nullable(),
  /** Its own host's document in the format of its protocol. */
  document: z.string().max(2_048).nullable(),
  /** What its endpoint was when it was last spoken to. */
  observed: z
    .object({ class: ObservedClass, seen_at: Timestamp, leaf_index: z.int().min(0).optional() })
    .nullable(),
  tools_sha256: z.string().nullable(),
  /** Names of its first tools. */
  capabilities: z.array(z.string().max(200)),
  published_at: Timestamp,
  /** When anything of it but the time of the last look changed. */
  updated_at: Timestamp,
  /** It is there no more since then. */
  removed_at: Timestamp.nullable(),
});
export type ServiceEntry = z.infer<typeof ServiceEntry>;

/** What the index holds of a tool or, without one, of a service. */
export const Doable = z.object({
  tool: z.object({ ...ServiceTool.shape, effect: Effect }).nullable(),
  service: FoundService,
  /** Of a service. */
  entry: ServiceEntry.optional(),
});
export type Doable = z.infer<typeof Doable>;

/** What is known of the site behind a hit now. */
export const HitSite = z.object({
  state: SiteState,
  ring: TrustRing,
  conduct: z
    .enum(["none", "poor", "critical"])
    .meta({ description: "How grave what is known against it is" }),
});
