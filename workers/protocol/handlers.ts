import { VERSIONS } from "../../schemas/common.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Listing } from "../../schemas/site.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import type { Contents } from "../../src/stores/contents.ts";
import { bridgeMetaOf, peerOf, peersFor } from "../../src/stores/peers.ts";
import type { protocol } from "./contract.ts";

export interface ProtocolDeps {
  index: SiteIndex;
  contents: Contents;
  now: () => number;
  publicUrl: string;
  secret: string;
  /** The registry's own signed document. */
  ownDocument: () => Promise<DiscoveryDocument>;
  ownRing: () => Promise<number>;
}

/** Whether a Host field names the registry itself. */
const isOwnHost = (host: string, publicUrl: string): boolean => {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return (
    name === new URL(publicUrl).hostname || name === "localhost" || /^127(\.\d+){3}$|^\[::1\]$/.test(name)
  );
};

const noSite = (host: string): Failure<"no_enabled_site"> =>
  fail(
    "no_enabled_site",
    `${JSON.stringify(host.slice(0, 100))} is not an enabled site. Report it to have it verified.`,
  );

export const protocolHandlers = (deps: ProtocolDeps): Handlers<typeof protocol> => {
  const enabledListing = async (host: string): Promise<Listing | undefined> => {
    const parsed = parseHost(host.replace(/:\d+$/, ""));
    const listing = parsed.ok ? await deps.index.get(parsed.host) : undefined;
    return listing?.status === "enabled" ? listing : undefined;
  };

  const documentOf = async (host: string): Promise<DiscoveryDocument | Failure<"no_enabled_site">> => {
    const listing = await enabledListing(host);
    const content = listing && (await deps.contents.get(listing.siteId));
    // Parsed from the same bytes that were verified.
    return content?.document ? JSON.parse(content.document) : noSite(host);
  };

  const byHost = (host: string) => (isOwnHost(host, deps.publicUrl) ? deps.ownDocument() : documentOf(host));

  return {
    discoveryDocument: (_, { host }) => byHost(host),

    discover: async ({ query: { siteId } }, { host }) => {
      if (siteId === undefined) return byHost(host);
      if (siteId === new URL(deps.publicUrl).hostname) return deps.ownDocument();
      const parsed = parseHost(siteId);
      if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
      return documentOf(parsed.host);
    },

    ping: async () => ({
      status: "ok",
      bridge_version: VERSIONS.bridge,
      protocol_version: VERSIONS.protocol,
      timestamp: new Date().toISOString(),
    }),

    beacon: async (_, { host, clientAddress }) => {
      const own = isOwnHost(host, deps.publicUrl);
      const listing = own ? undefined : await enabledListing(host);
      if (!own && !listing) return noSite(host);
      const document = own ? await deps.ownDocument() : await documentOf(listing!.siteId);
      const ring = listing?.trust_ring ?? (await deps.ownRing());
      const exclude = new Set(listing ? [registrableDomain(listing.siteId)] : []);
      const peers = await peersFor(deps, (clientAddress && networkGroup(clientAddress)) || "inside", exclude);
      return {
        bridge_meta: bridgeMetaOf(deps.publicUrl, ring),
        domain: listing?.domain ?? new URL(deps.publicUrl).hostname,
        trust_ring: ring,
        score: listing?.trust_score ?? 0,
        intent_tags: listing?.tags ?? [...("intent_tags" in document ? (document.intent_tags ?? []) : [])],
        ...("manifest" in document && document.manifest && { manifest: document.manifest }),
        peers: peers.map(peerOf),
        next: peers.map((peer) => ({ domain: peer.domain, url: peer.beacon_url })),
        generated_at: new Date(deps.now()).toISOString(),
      };
    },
  };
};
