/** Who is seen: exposure of owners under a ranking, and how evenly it falls. Pure. */

/** Results that people see: one page. */
export const PAGE = 20;

/** How much of a page's attention each place has: 1 / log2(place + 1). */
const attention = (place: number): number => 1 / Math.log2(place + 2);

/** Exposure of each owner that one page shows; all of an owner's places count. */
export function addExposure(page: readonly string[], into: Map<string, number>): void {
  page.slice(0, PAGE).forEach((owner, place) => {
    into.set(owner, (into.get(owner) ?? 0) + attention(place));
  });
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / Math.max(1, values.length);

/** 0: all the same; 1: one has it all. */
export function gini(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const total = sum(sorted);
  if (total === 0) return 0;
  const weighted = sum(sorted.map((value, i) => (i + 1) * value));
  return (2 * weighted) / (sorted.length * total) - (sorted.length + 1) / sorted.length;
}

export interface Group {
  /** Exposure and size of each owner of one grade for one trade. */
  members: { exposure: number; pages: number }[];
}

const shareOf = (values: readonly { exposure: number }[]): number =>
  sum(values.map(({ exposure }) => exposure));

/** The smallest and the largest third of a group, by pages. */
function thirds({ members }: Group) {
  const sorted = [...members].sort((a, b) => a.pages - b.pages);
  const third = Math.floor(sorted.length / 3);
  return { small: sorted.slice(0, third), large: sorted.slice(sorted.length - third) };
}

export interface Evenness {
  /** Mean exposure of the smallest third over that of the largest third, within a grade. */
  smallToLarge: number;
  /** Attention-weighted rank fairness: 1 less the distance between the exposure that the groups have and that due to them. */
  awrf: number;
  /** Of the exposure of the owners of one grade. */
  gini: number;
}

/** Groups without exposure (below the page) say nothing. */
export function evennessOf(groups: readonly Group[]): Evenness {
  const seen = groups.filter((group) => shareOf(group.members) > 0 && group.members.length >= 6);
  const parts = seen.map((group) => ({ ...thirds(group), all: group.members }));
  const smallToLarge =
    sum(parts.map(({ small }) => shareOf(small))) / sum(parts.map(({ large }) => shareOf(large)));
  const distances = parts.map(({ small, all }) =>
    Math.abs(shareOf(small) / shareOf(all) - small.length / all.length),
  );
  const weights = parts.map(({ all }) => shareOf(all));
  const weighted = (values: readonly number[]): number =>
    sum(values.map((value, i) => value * weights[i]!)) / sum(weights);
  return {
    smallToLarge,
    awrf: 1 - weighted(distances),
    gini: weighted(parts.map(({ all }) => gini(all.map(({ exposure }) => exposure)))),
  };
}
