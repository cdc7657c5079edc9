/** Reads what the verdict on a host follows from. */
import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Block } from "../stores/block-list.ts";
import type { Records } from "../stores/records.ts";
import type { Known } from "./verdict.ts";

export interface SiteStores {
  sites: Pick<Records<SiteRecord>, "get">;
  blocks: Pick<Records<Block>, "get">;
}

/** @param host canonical */
export const knownSite = async ({ sites, blocks }: SiteStores, host: string): Promise<Known> => {
  const key = hostKey(host);
  const [site, block] = await Promise.all([sites.get(key), blocks.get(key)]);
  return { host, record: site?.value, isBlocked: block !== undefined };
};
