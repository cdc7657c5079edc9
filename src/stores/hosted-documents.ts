/** Documents that the registry serves for sites of accounts, where the crawl has verified none of the site's own. */
import { z } from "zod";
import { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostedDocument } from "../domain/listing/hosted-document.ts";
import { accessOf } from "../domain/listing/listing.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { activeAccount, openAccountStore } from "./accounts.ts";
import { hostBlock } from "./block-list.ts";
import { openPlans } from "./plans.ts";
import { openRecords, type Records } from "./records.ts";

/** A document that an owner gave the registry to serve. It counts while the same account owns the site. */
const UploadedDocument = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  document: DiscoveryDocument,
});
export type UploadedDocument = z.infer<typeof UploadedDocument>;

export interface HostedSite {
  document: DiscoveryDocument;
  /** Whether it is served as the owner gave it; otherwise it follows from the site's configuration. */
  isGiven: boolean;
}

export interface HostedSites {
  /** @param siteId canonical host. @returns undefined if nobody proved it, or if it is to be found nowhere */
  of(siteId: string): Promise<HostedSite | undefined>;
  /**
   * The document that an owner gave for a host, where the registry stands for the site's own origin: the site's host itself, or
   * `bridge.<site>`, which a site that can place no file points here.
   * @param host canonical
   */
  givenAt(host: string): Promise<DiscoveryDocument | undefined>;
}

/** The label of the one name below a site that its document is served under, so that a name says whose it is. */
const LABEL = "bridge.";

/** What the crawl took off the directory for the visitors' sake stays off every door. */
const TAKEN_OFF: readonly SiteRecord["reason"][] = ["malicious_page", "quarantined"];

export interface HostedSources {
  broker: Pick<Broker, "buckets" | "now">;
  sites: Pick<Records<SiteRecord>, "get">;
  blocks: { get(key: string): Promise<{ value: unknown } | undefined> };
  publicUrl: string;
}

export function openHostedSites({ broker, sites, blocks, publicUrl }: HostedSources): HostedSites {
  const accounts = openAccountStore(broker);
  const plans = openPlans(broker.buckets.accounts, broker.now);
  const uploaded = openUploadedDocuments(broker);
  /** A site that may be found, with its owner. */
  const foundOf = async (siteId: string) => {
    const proved = (await accounts.site(siteId))?.value;
    if (!proved) return undefined;
    const [owner, stored, block] = await Promise.all([
      activeAccount(accounts, proved.accountId, "machine"),
      sites.get(hostKey(siteId)),
      hostBlock(blocks, siteId),
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
  const of = async (siteId: string): Promise<HostedSite | undefined> => {
    const [found, own] = await Promise.all([foundOf(siteId), uploaded.get(uploadedKey(siteId))]);
    if (!found) return undefined;
    if (own?.value.accountId === found.proved.accountId)
      return { document: own.value.document, isGiven: true };
    return { document: await madeOf(found), isGiven: false };
  };
  const given = async (siteId: string): Promise<DiscoveryDocument | undefined> => {
    const site = await of(siteId);
    return site?.isGiven ? site.document : undefined;
  };
  return {
    of,
    givenAt: async (host) =>
      (await given(host)) ?? (host.startsWith(LABEL) ? given(host.slice(LABEL.length)) : undefined),
  };
}

export const openUploadedDocuments = ({ buckets }: Pick<Broker, "buckets">): Records<UploadedDocument> =>
  openRecords(buckets.account_sites, UploadedDocument);

/** Key within the bucket `account_sites`, apart from the site's own: licenses read that one at every command. */
export const uploadedKey = (siteId: string): string => `document.${hostKey(siteId)}`;
