/** How the owner of a site lets agents in, as the account configured it: for the crawl, which takes it into the record. */
import type { Access } from "../../schemas/license.ts";
import { type AccountStore, activeAccount } from "./accounts.ts";

/** @param siteId canonical host. @returns none for a site that nobody proved, and where nobody can answer */
export async function configuredAccess(
  store: Pick<AccountStore, "site" | "account">,
  siteId: string,
): Promise<Access> {
  const site = (await store.site(siteId))?.value;
  if (!site || site.configuration.access === "none") return "none";
  return (await activeAccount(store, site.accountId, "machine")) ? site.configuration.access : "none";
}
