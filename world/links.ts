/** Who names whom in its beacon: the graph along which gossip discovers the world. */
import { oracleOf, settlesLater } from "./kinds.ts";
import { randomFrom } from "./random.ts";
import type { SyntheticSite } from "./site.ts";

/**
 * Two to five neighbours of each site. The reliable sites form a ring (so from any one of them all are reached), each
 * also names a site that is not reliable while there are such, and the rest are shortcuts that keep paths short.
 * Returns a look-up whose cost does not depend on the number of sites.
 */
export function linkSites(
  seed: number,
  sites: readonly SyntheticSite[],
): (site: SyntheticSite) => SyntheticSite[] {
  const reliable = sites.filter(isReliable);
  const others = sites.filter((site) => !isReliable(site));
  const ranks = new Map(reliable.map((site, rank) => [site.host, rank]));
  // The others are dealt to the reliable ones, at most three to each.
  const share = Math.min(3, Math.ceil(others.length / Math.max(1, reliable.length)));
  return (site) => {
    const random = randomFrom(seed, "links", site.index);
    const chosen = new Set<SyntheticSite>();
    const rank = ranks.get(site.host);
    if (rank !== undefined) {
      chosen.add(reliable[(rank + 1) % reliable.length]!);
      for (const other of others.slice(rank * share, (rank + 1) * share)) chosen.add(other);
    }
    const wanted = Math.max(chosen.size, 2 + random.below(4));
    for (let tries = 0; chosen.size < wanted && tries < 12; tries++) chosen.add(random.pick(sites));
    chosen.delete(site);
    return [...chosen];
  };
}

/** A site that will be verified and then tells the truth in its beacon, now and later. */
const isReliable = ({ knobs }: SyntheticSite): boolean =>
  oracleOf(knobs).ring === 3 && knobs.beacon === "honest" && !settlesLater(knobs);
