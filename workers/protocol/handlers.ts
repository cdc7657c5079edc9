import type { Census } from "../../schemas/census.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Listing } from "../../schemas/site.ts";
import type { VerdictSummary } from "../../schemas/verdict.ts";
import { newRecord } from "../../src/crawl/judgement.ts";
import { knownByLook, type SiteStores } from "../../src/crawl/known-site.ts";
import type { Looks } from "../../src/crawl/look.ts";
import { recordAt, verdictSummary, verdictUrl } from "../../src/crawl/verdict.ts";
import { listingOf } from "../../src/domain/listing/listing.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { type Handlers, StoredReply } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { Contents } from "../../src/stores/contents.ts";
import type { HostedSites } from "../../src/stores/hosted-documents.ts";
import { bridgeMetaOf, type PeersFor, peerOf } from "../../src/stores/peers.ts";
import { protocol } from "./contract.ts";
import type { RegistryAbout, RegistryStatus } from "./registry-contract.ts";
import type { ServedCensus } from "./registry-status.ts";

export interface ProtocolDeps extends SiteStores {
  looks: Pick<Looks, "get" | "presence">;
  peersFor: PeersFor;
  contents: Contents;
  /** Sites of accounts, for those that the crawl has not listed. */
  hosted: HostedSites;
  now: () => number;
  publicUrl: string;
  /** The registry's own signed document. */
  ownDocument: () => Promise<DiscoveryDocument>;
  ownRing: () => Promise<number>;
  /** How far the crawl is. */
  status: () => Promise<RegistryStatus>;
  census: () => Promise<ServedCensus>;
  /** The rules that the registry goes by. */
  about: RegistryAbout;
}

/** A site that is listed, or that an account proved. */
interface Site {
  listing: Listing;
  verdict: VerdictSummary;
  document: DiscoveryDocument;
}

export function protocolHandlers(deps: ProtocolDeps): Handlers<typeof protocol> {
  const siteOf = async (host: string): Promise<Site | Failure<"no_enabled_site">> => {
    const parsed = parseHost(host.replace(/:\d+$/, ""));
    if (!parsed.ok) return noSite(host, undefined, deps.publicUrl);
    const known = await knownByLook(deps, parsed.host);
    const now = deps.now();
    const verdict = verdictSummary(known, now);
    const content = verdict.listed ? await deps.contents.get(parsed.host) : undefined;
    // Parsed from the same bytes that were verified.
    const verified = content?.document && (JSON.parse(content.document) as DiscoveryDocument);
    const document = verified || (await deps.hosted.of(parsed.host))?.document;
    if (!document) return noSite(parsed.host, verdict, deps.publicUrl);
    const record = recordAt(known.record ?? newRecord(parsed.host, now, now), now);
    return { listing: listingOf(record), verdict, document };
  };

  // The very document that its owner signed: whoever hashes it without its manifest gets what is signed.
  const documentOf = async (host: string) => {
    const site = await siteOf(host);
    return site instanceof Failure ? site : site.document;
  };
  const byHost = async (host: string) => {
    if (isOwnHost(host, deps.publicUrl)) return deps.ownDocument();
    return (await givenDocument(deps, host)) ?? documentOf(host);
  };

  return {
    getDiscoveryDocument: (_, { host }) => byHost(host),

    getSiteDocument: async ({ query: { siteId } }, { host }) => {
      if (siteId === undefined) return byHost(host);
      if (siteId === new URL(deps.publicUrl).hostname) return deps.ownDocument();
      const parsed = parseHost(siteId);
      if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
      return documentOf(parsed.host);
    },

    getServedName: async ({ query: { domain } }) => {
      const parsed = parseHost(domain);
      if (!parsed.ok) return fail("invalid_domain", `domain is not a host name: ${parsed.reason}.`);
      return (await deps.hosted.givenAt(parsed.host))
        ? { domain: parsed.host, is_served: true as const }
        : fail("not_found", `No owner gave a document for ${parsed.host} to serve.`);
    },

    pingRegistry: async () => protocol.operations.pingRegistry.constant(),

    getRegistryStatus: () => deps.status(),

    getCensus: async ({ query: { days } }) => {
      const { at, frame, newest } = await deps.census();
      return new StoredReply<Census, "days">({ at, frame }, "days", newest(days));
    },

    getRegistryAbout: async () => deps.about,

    getBeacon: async (_, { host, clientAddress }) => {
      const own = isOwnHost(host, deps.publicUrl);
      const site = own ? undefined : await siteOf(host);
      if (site instanceof Failure) return site;
      // What an account proved has a document here, and nothing that an agent could follow.
      if (site && !site.verdict.listed)
        return noSite(site.listing.siteId, site.verdict, deps.publicUrl, true);
      const document = site ? site.document : await deps.ownDocument();
      const listing = site?.listing;
      const ring = listing?.trust_ring ?? (await deps.ownRing());
      const exclude = new Set(listing ? [registrableDomain(listing.siteId)] : []);
      const peers = await deps.peersFor((clientAddress && networkGroup(clientAddress)) || "inside", exclude);
      return {
        bridge_meta: bridgeMetaOf(deps.publicUrl, ring),
        domain: listing?.domain ?? new URL(deps.publicUrl).hostname,
        trust_ring: ring,
        score: listing?.trust_score ?? 0,
        intent_tags: listing?.tags ?? document.intent_tags ?? [],
        ...(document.manifest && { manifest: document.manifest }),
        peers: peers.map(peerOf),
        next: peers.map((peer) => ({ domain: peer.domain, url: peer.beacon_url })),
        generated_at: new Date(deps.now()).toISOString(),
      };
    },
  };
}

/** Why a host has no document here, and what to do. */
function noSite(
  host: string,
  verdict: VerdictSummary | undefined,
  publicUrl: string,
  isProved = false,
): Failure<"no_enabled_site"> {
  const name = JSON.stringify(host.slice(0, 100));
  if (verdict === undefined) return fail("no_enabled_site", `${name} is not a host name.`);
  const { state, reason } = verdict;
  const never = isProved
    ? `An account proved it, and its first visit is to come: ${verdictUrl(publicUrl, host)} says what it found.`
    : "It was never visited: report it (POST /api/registry/report) to have it verified.";
  const next =
    state === "unknown"
      ? never
      : `It is ${state} (${reason}); ${verdictUrl(publicUrl, host)} says why, and what to do.`;
  return fail("no_enabled_site", `${name} is not an enabled site. ${next}`);
}

/** Whether a Host field names the registry itself. */
function isOwnHost(host: string, publicUrl: string): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return (
    name === new URL(publicUrl).hostname || name === "localhost" || /^127(\.\d+){3}$|^\[::1\]$/.test(name)
  );
}

/** Here the registry is the site's own origin: a document that its owner replaced must reach the crawl. */
async function givenDocument({ hosted }: ProtocolDeps, host: string): Promise<DiscoveryDocument | undefined> {
  const parsed = parseHost(host.replace(/:\d+$/, ""));
  return parsed.ok ? hosted.givenAt(parsed.host) : undefined;
}
