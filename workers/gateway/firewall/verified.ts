/** Whether the registry itself vouches for whose site an address is: then its name is no sign of anything. */
import type { SiteRecord } from "../../../schemas/site.ts";
import { verdictSummary } from "../../../src/crawl/verdict.ts";
import { hostKey, parseHost } from "../../../src/domain/names/domain-name.ts";
import type { Records } from "../../../src/stores/records.ts";

/** Whether the site of every one of these addresses is verified and listed. @param nowMs broker milliseconds */
export async function areListed(
  sites: Pick<Records<SiteRecord>, "get">,
  addresses: readonly URL[],
  nowMs: number,
): Promise<boolean> {
  const hosts = [...new Set(addresses.map(({ hostname }) => hostname))].map(parseHost);
  // An address of numbers, or a name that is not public, is no site's.
  const known = await Promise.all(hosts.map((host) => (host.ok ? sites.get(hostKey(host.host)) : undefined)));
  return (
    known.length > 0 &&
    known.every((site) => site && verdictSummary({ record: site.value, isBlocked: false }, nowMs).listed)
  );
}
