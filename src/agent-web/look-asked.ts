/** What a look at a host is given, and what it passes on. */
import type { AgentPresence, Claim } from "../../schemas/agent-web.ts";
import type { Visit } from "../egress/polite.ts";
import type { PresenceReading, SeenService } from "./reading.ts";
import type { RecordResolver } from "./records/ask.ts";

export interface LookAsked {
  visit: Visit;
  /** Canonical. */
  host: string;
  httpsPort: number;
  robotsToken: string;
  previous: AgentPresence | undefined;
  /** What third parties say of the host. */
  claims: readonly Claim[];
  reading: PresenceReading;
  resolver: RecordResolver;
  /** Nothing more is to be asked of the host: it was blocked meanwhile, or the crawler stops. */
  isOver: () => boolean;
  /** What is known of another host. */
  recordOf: (host: string) => Promise<AgentPresence | undefined>;
  /** Broker milliseconds. */
  now: () => number;
  /** A name that nobody publishes anything under. */
  random: () => string;
}

/** The services that a descriptor describes. */
export interface Described {
  descriptor: string;
  services: readonly SeenService[];
  /** It was not asked for again: what the last look read of it. */
  isKept: boolean;
}
