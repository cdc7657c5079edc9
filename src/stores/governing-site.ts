/**
 * Finds the configuration that governs an address. The owner of the requested host decides, at every hop of every
 * request on behalf of a caller: neither the licensed site nor the redirecting page does (docs/decisions/0043).
 */
import type { AccountSiteRecord } from "../../schemas/account.ts";
import { type AttemptedAction, configurationRefusal } from "../domain/listing/site-configuration.ts";
import { parseHost, registrableDomain } from "../domain/names/domain-name.ts";
import type { AccountStore } from "./accounts.ts";

type ProvedSites = Pick<AccountStore, "site">;

/** Why the owner of an address closes it to agents, as a sentence; undefined if it is open or has no owner. */
export async function closedToAgents(
  sites: ProvedSites,
  url: URL,
  attempt: Omit<AttemptedAction, "path"> = {},
): Promise<string | undefined> {
  const governing = await governingSite(sites, url);
  return governing && configurationRefusal(governing.configuration, { ...attempt, path: url.pathname });
}

/**
 * The proved site that governs an address: its host, or the nearest parent up to the registrable domain.
 * @returns undefined if none of them is proved, and for IP addresses
 */
export async function governingSite({ site }: ProvedSites, url: URL): Promise<AccountSiteRecord | undefined> {
  const parsed = parseHost(url.hostname);
  if (!parsed.ok) return undefined;
  const top = registrableDomain(parsed.host);
  for (let at = parsed.host; ; at = at.slice(at.indexOf(".") + 1)) {
    const proved = await site(at);
    if (proved || at === top) return proved?.value;
  }
}
