/** Whether the registry itself vouches for whose site an address is: then its name is no sign of anything. */
import type { SiteRecord } from "../../../schemas/site.ts";
import { summaryOf } from "../../../src/crawl/verdict.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { Records } from "../../../src/stores/records.ts";

/** Whether the site of every one of these addresses is verified and listed. @param nowMs broker milliseconds */
export const areListed = async (
  sites: Pick<Records<SiteRecord>, "get">,
  addresses: readonly URL[],
  nowMs: number,
): Promise<boolean> => {
  const hosts = [...new Set(addresses.map(({ hostname }) => hostname))];
  const known = await Promise.all(hosts.map((host) => sites.get(hostKey(host))));
  return (
    known.length > 0 &&
    known.every((site) => site && summaryOf({ record: site.value, isBlocked: false }, nowMs).listed)
  );
};
