/** Documents that the registry serves for sites of accounts, where the crawl has verified none of the site's own. */
import { z } from "zod";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostedDocument } from "../domain/listing/hosted-document.ts";
import { accessOf } from "../domain/listing/listing.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { activeAccount, openAccountStore } from "./accounts.ts";
import { blockOf } from "./block-list.ts";
import { hostedNameKey, openHostedNames, siteOfName } from "./hosted-names.ts";
import { openPlans } from "./plans.ts";
import { openRecords, type Records } from "./records.ts";

/** A document that an owner gave the registry to serve. It counts while the same account owns the site. */
const UploadedDocument = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  document: DiscoveryDocument,
  /** Made of the configuration, and signed with the key that the registry holds: it follows what the owner configures. */
  isFromConfiguration: z.boolean().optional(),
});
export type UploadedDocument = z.infer<typeof UploadedDocument>;

/** Key within the bucket `account_sites`, apart from the site's own: licenses read that one at every command. */
export const uploadedKey = (siteId: string): string => `document.${hostKey(siteId)}`;

export const openUploadedDocuments = ({ buckets }: Pick<Broker, "buckets">): Records<UploadedDocument> =>
  openRecords(buckets.account_sites, UploadedDocument);

export interface HostedSite {
  document: DiscoveryDocument;
  /** Whether it is kept as it is served, as the owner gave it or signed; otherwise it follows from the site's configuration. */
  isGiven: boolean;
}

export interface HostedSites {
  /** @param siteId canonical host. @returns undefined if nobody proved it, or if it is to be found nowhere */
  of(siteId: string): Promise<HostedSite | undefined>;
  /** The site whose document a name below it serves, if its owner has it do so. @param host canonical */
  siteNamed(host: string): Promise<string | undefined>;
  /** What follows from the site's configuration, unsigned, whatever its owner gave. */
  configured(siteId: string): Promise<DiscoveryDocument | undefined>;
}

/** What the crawl took off the directory for the visitors' sake stays off every door. */
const TAKEN_OFF: readonly SiteRecord["reason"][] = ["malicious_page", "quarantined"];

export interface HostedSources {
  broker: Pick<Broker, "buckets" | "now">;
  sites: Pick<Records<SiteRecord>, "get">;
  blocks: { get(key: string): Promise<{ value: unknown } | undefined> };
  publicUrl: string;
}

export const openHostedSites = ({ broker, sites, blocks, publicUrl }: HostedSources): HostedSites => {
  const accounts = openAccountStore(broker);
  const plans = openPlans(broker.buckets.plans, broker.now);
  const uploaded = openUploadedDocuments(broker);
  const names = openHostedNames(broker);
  /** A site that may be found, with its owner. */
  const foundOf = async (siteId: string) => {
    const proved = (await accounts.site(siteId))?.value;
    if (!proved) return undefined;
    const [owner, stored, block] = await Promise.all([
      activeAccount(accounts, proved.accountId, "machine"),
      sites.get(hostKey(siteId)),
      blockOf(blocks, siteId),
    ]);
    const record = stored?.value;
    if (!owner || block || (record && TAKEN_OFF.includes(record.reason))) return undefined;
    return { proved, owner, record };
  };
  type Found = NonNullable<Awaited<ReturnType<typeof foundOf>>>;
  const madeOf = async ({ proved, owner, record }: Found): Promise<DiscoveryDocument> => {
    const plan = await plans.of(owner.tier);
    const access = record ? accessOf(record) : "none";
    return hostedDocument(proved, { ...plan, access }, publicUrl);
  };
  return {
    of: async (siteId) => {
      const [found, own] = await Promise.all([foundOf(siteId), uploaded.get(uploadedKey(siteId))]);
      if (!found) return undefined;
      if (own?.value.accountId === found.proved.accountId)
        return { document: own.value.document, isGiven: true };
      return { document: await madeOf(found), isGiven: false };
    },
    siteNamed: async (host) => {
      const siteId = siteOfName(host);
      return siteId !== undefined && (await names.get(hostedNameKey(siteId))) ? siteId : undefined;
    },
    configured: async (siteId) => {
      const found = await foundOf(siteId);
      return found && madeOf(found);
    },
  };
};
