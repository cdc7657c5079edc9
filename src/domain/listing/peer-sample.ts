/** Which peers a reader is shown (gossip's eighth rule). Pure. */

import type { Listing } from "../../../schemas/site.ts";
import { DAY_MS } from "../../ports/time.ts";
import { keyed } from "../keyed.ts";

/** The most peers in a reply, as a count, as a share of the verified sites, and per owner or network. */
const MAX_PEERS = 20;
const MAX_SHARE = 0.23;
/** A young registry shows this many whatever share they are: who finds nobody has nowhere to go on. */
const MIN_PEERS = 3;
const MAX_PER_GROUP = 2;
const SAMPLE_POINTS = 24;
export const PEER_MAX_AGE_MS = DAY_MS;
export const SAMPLE_PER_POINT = 3;

export interface PeerCandidate {
  listing: Listing;
  registrableDomain: string;
  network: string | null;
}

/** The points on the ring of sample keys for one reader and day: fixed for that day, unpredictable without the secret. */
export function samplePoints(secret: string, reader: string, now: number): number[] {
  const day = Math.floor(now / DAY_MS);
  return Array.from({ length: SAMPLE_POINTS }, (_, i) =>
    keyed(secret, "peer sample", reader, day, i).readUInt32BE(0),
  );
}

/**
 * Peers for one reader: as many as `mostPeers` says, at most two per owner or network, never the reader's own.
 * @param verified number of sites verified now
 * @param exclude registrable domains to hide from this reader
 */
export function choosePeers(
  candidates: PeerCandidate[],
  verified: number,
  exclude: ReadonlySet<string>,
): Listing[] {
  const most = mostPeers(verified);
  const perGroup = new Map<string, number>();
  const chosen = new Map<string, Listing>();
  for (const { listing, registrableDomain, network } of candidates) {
    if (chosen.size >= most) break;
    const groups = [registrableDomain, ...(network ? [network] : [])];
    if (exclude.has(registrableDomain) || chosen.has(listing.siteId)) continue;
    if (groups.some((group) => (perGroup.get(group) ?? 0) >= MAX_PER_GROUP)) continue;
    for (const group of groups) perGroup.set(group, (perGroup.get(group) ?? 0) + 1);
    chosen.set(listing.siteId, listing);
  }
  return [...chosen.values()];
}

/** How many peers a reply names at most: 23 % of the verified sites, at least three where there are so many, at most 20. */
export const mostPeers = (verified: number): number =>
  Math.min(MAX_PEERS, Math.max(Math.min(MIN_PEERS, verified), Math.floor(verified * MAX_SHARE)));
