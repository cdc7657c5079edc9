/** The rules that this registry crawls, ranks and lists by: from its settings, and from the tables that rank and score. */
import { contactsIn } from "../../src/domain/protocols/contacts.ts";
import { FACTOR_RANGES } from "../../src/domain/search/ranking.ts";
import { NEUTRALITY_POINTS } from "../../src/domain/trust/neutrality.ts";
import { MOST_TRUST_POINTS } from "../../src/domain/trust/ring.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { RegistryAbout } from "./registry-contract.ts";

export const registryAbout = (config: Config, publicUrl: string): RegistryAbout => ({
  public_url: publicUrl,
  contacts: contactsIn(config.BRIDGE_USER_AGENT),
  sends_mail: config.BRIDGE_SMTP_URL !== undefined,
  crawler: {
    user_agent: config.BRIDGE_USER_AGENT,
    robots_token: config.BRIDGE_USER_AGENT.split("/")[0]!,
    host_delay_ms: config.BRIDGE_HOST_DELAY_MS,
    address_delay_ms: config.BRIDGE_IP_DELAY_MS,
    session_delay_ms: config.BRIDGE_IP_DELAY_MS,
    pages_per_visit: config.pagesPerVisit,
  },
  ranking: FACTOR_RANGES,
  trust: partsOf(MOST_TRUST_POINTS),
  neutrality: partsOf(NEUTRALITY_POINTS),
});

const partsOf = (points: Readonly<Record<string, number>>): RegistryAbout["trust"] =>
  Object.entries(points).map(([name, most]) => ({ name, points: most }));
