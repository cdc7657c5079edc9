/**
 * Whose configuration holds at an address. The owner of the host that is asked decides, at every hop of every reader that
 * reads for a caller: neither the site that a license is of, nor the page that redirects (docs/decisions/0043).
 */
import type { AccountSiteRecord } from "../../schemas/account.ts";
import { type Attempt, refusalOf } from "../domain/listing/site-configuration.ts";
import { parseHost, registrableDomain } from "../domain/names/domain-name.ts";
import type { AccountStore } from "./accounts.ts";

type ProvedSites = Pick<AccountStore, "site">;

/**
 * The proved site that governs an address: its host, or the nearest one above it up to the registrable domain.
 * @returns undefined where nobody proved any of them, and for addresses by number
 */
export const governingSite = async (
  { site }: ProvedSites,
  url: URL,
): Promise<AccountSiteRecord | undefined> => {
  const parsed = parseHost(url.hostname);
  if (!parsed.ok) return undefined;
  const top = registrableDomain(parsed.host);
  for (let at = parsed.host; ; at = at.slice(at.indexOf(".") + 1)) {
    const proved = await site(at);
    if (proved || at === top) return proved?.value;
  }
};

/** Why the owner of an address closes it to agents, as a sentence; undefined where he does not, or nobody owns it. */
export const closedToAgents = async (
  sites: ProvedSites,
  url: URL,
  attempt: Omit<Attempt, "path"> = {},
): Promise<string | undefined> => {
  const governing = await governingSite(sites, url);
  return governing && refusalOf(governing.configuration, { ...attempt, path: url.pathname });
};
