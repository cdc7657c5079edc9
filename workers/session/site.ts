/** A site as its sessions find it: the owner's configuration, and what the site itself declares. */
import { LRUCache } from "lru-cache";
import type { Action } from "../../schemas/action.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteConfiguration, SitePermission, SitePermissions } from "../../schemas/license.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { limitedTo } from "../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { AccountStore } from "../../src/stores/accounts.ts";
import type { Contents } from "../../src/stores/contents.ts";
import { governingSite } from "../../src/stores/governing-site.ts";
import type { HostedSites } from "../../src/stores/hosted-documents.ts";
import type { Records } from "../../src/stores/records.ts";

/**
 * What is known of a site: its document as the crawl verified it, and where that is, or else the one that its owner gave
 * the registry. Read anew after half a minute.
 */
export interface Documents {
  of(siteId: string): Promise<{ document: DiscoveryDocument | undefined; record: SiteRecord | undefined }>;
}

const DOCUMENT_TTL_MS = 30_000;

/** Where a site's facts come from. */
export interface SiteSources {
  accounts: AccountStore;
  documents: Documents;
}

/** A site as a command finds it. */
export interface SessionSite {
  siteId: string;
  /** The owner's configuration, less what the session was not given. */
  configuration: SiteConfiguration;
  /** The owner's configuration. */
  owners: SiteConfiguration;
  /** Actions of its document. */
  declared: readonly Action[];
  home: URL;
  /** Whether its owner's configuration and its own document both permit it. */
  allows(permission: SitePermission): boolean;
  /** What holds at an address: as the owner of its host says, as this site's owner does where nobody proved that host. */
  configurationAt(url: URL): Promise<SiteConfiguration>;
}

/** What a session was given of a site. */
export interface SessionGrant {
  siteId: string;
  configuration: SiteConfiguration;
  /** What its license and its own request limit it to; null and undefined: to nothing. */
  grants: readonly (readonly SitePermission[] | null | undefined)[];
}

export function openDocuments(
  contents: Contents,
  sites: Records<SiteRecord>,
  hosted: HostedSites,
): Documents {
  const known = new LRUCache<string, Awaited<ReturnType<Documents["of"]>>>({
    max: 500,
    ttl: DOCUMENT_TTL_MS,
  });
  return {
    of: async (siteId) => {
      const kept = known.get(siteId);
      if (kept) return kept;
      const [content, stored] = await Promise.all([contents.get(siteId), sites.get(hostKey(siteId))]);
      const document = content?.document
        ? (JSON.parse(content.document) as DiscoveryDocument)
        : await givenDocument(hosted, siteId);
      const found = { document, record: stored?.value };
      known.set(siteId, found);
      return found;
    },
  };
}

/** Without one given, the configuration itself says what holds, and says it now. */
async function givenDocument(hosted: HostedSites, siteId: string): Promise<DiscoveryDocument | undefined> {
  const own = await hosted.of(siteId);
  return own?.isGiven ? own.document : undefined;
}

/** Permissions that hold: the owner's configuration, less what the published document denies. */
export function permissionsOf(
  { permissions }: SiteConfiguration,
  document: DiscoveryDocument | undefined,
): SitePermissions {
  const declared = document?.capabilities.permissions ?? {};
  const held = Object.entries(permissions).map(([name, granted]) => [
    name,
    granted && declared[name] !== false,
  ]);
  return Object.fromEntries(held) as SitePermissions;
}

/** What both the site and the owner of the open page's host permit, if somebody owns it. */
export const allowsAt =
  (site: SessionSite, here: SiteConfiguration | undefined) =>
  (permission: SitePermission): boolean =>
    site.allows(permission) && (here === undefined || here.permissions[permission]);

export async function openSite(
  sources: SiteSources,
  { siteId, configuration: owners, grants }: SessionGrant,
  httpsPort: number,
): Promise<SessionSite> {
  const { document, record } = await sources.documents.of(siteId);
  const held = (whole: SiteConfiguration) => grants.reduce<SiteConfiguration>(limitedTo, whole);
  const configuration = held(owners);
  const own = inForce(configuration, document);
  return {
    siteId,
    configuration,
    owners,
    declared: document?.actions ?? [],
    home: homeOf(siteId, record, httpsPort),
    allows: (permission) => own.permissions[permission] === true,
    configurationAt: async (url) => {
      const theirs = await ownersConfiguration(sources, url);
      return theirs ? held(theirs) : own;
    },
  };
}

/** A configuration as it is in force. */
const inForce = (
  configuration: SiteConfiguration,
  document: DiscoveryDocument | undefined,
): SiteConfiguration => ({ ...configuration, permissions: permissionsOf(configuration, document) });

/** The home page of a site: at the origin of its verified document, else at its own host. */
export function homeOf(siteId: string, record: SiteRecord | undefined, httpsPort: number): URL {
  const published = record?.discovery_url && URL.parse(record.discovery_url);
  if (published && published.hostname === siteId) return new URL("/", published);
  return new URL(`https://${siteId}${httpsPort === 443 ? "" : `:${httpsPort}`}/`);
}

/** What the owner of an address's host says of it; undefined where nobody proved the host. */
export async function ownersConfiguration(
  { accounts, documents }: SiteSources,
  url: URL,
): Promise<SiteConfiguration | undefined> {
  const governing = await governingSite(accounts, url);
  return governing && inForce(governing.configuration, (await documents.of(governing.siteId)).document);
}
