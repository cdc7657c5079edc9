/**
 * Places that strangers fill: series of a product, sources and points of a series. What is better attested never gives way
 * to what is less so; among equals the network that holds most gives way first, and in it what was seen least lately.
 */
import type { PriceHistory, PriceSource, Series } from "../../../schemas/price.ts";
import { judgePoints } from "./belief.ts";
import { MAX_POINTS } from "./rules.ts";
import { isSameSource, pointSource, rankOf } from "./sources.ts";

/** Sellers, regions and currencies of one product. */
export const MAX_SERIES = 32;
const MAX_SOURCES = 64;

type StoredPoint = Series["points"][number];

/**
 * The history with room for one series more.
 * @param newcomer who would open it
 * @returns undefined when all that are there are better attested
 */
export function withRoom(history: PriceHistory, newcomer: PriceSource): PriceHistory | undefined {
  if (history.series.length < MAX_SERIES) return history;
  const known = history.series.map((series) => ({ series, ...standingOfSeries(series) }));
  const rank = newcomer.standing === "registry" ? Number.POSITIVE_INFINITY : rankOf(newcomer);
  const least = Math.min(...known.map((one) => one.rank));
  if (least > rank) return undefined;
  const weakest = known.filter((one) => one.rank === least);
  const held = countBy(weakest, ({ network }) => network);
  // The newcomer's own network shares, too: its next series takes the place of its own before that of another.
  if (rank === least && held.has(newcomer.network))
    held.set(newcomer.network, held.get(newcomer.network)! + 1);
  const gone = weakest.reduce((a, b) => {
    const more = held.get(b.network)! - held.get(a.network)!;
    return more > 0 || (more === 0 && b.latest < a.latest) ? b : a;
  });
  return { ...history, series: history.series.filter((one) => one !== gone.series) };
}

/** Believed before all; else by the best of its sources, and shared by the network that was the first of those. */
function standingOfSeries(series: Series): { rank: number; network: string; latest: number } {
  const best = series.points
    .map((point) => pointSource(series, point))
    .reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a));
  const isBelieved = judgePoints(series).some(({ believed }) => believed);
  return {
    rank: isBelieved ? Number.POSITIVE_INFINITY : rankOf(best),
    network: best.network,
    latest: series.points.at(-1)![0],
  };
}

function countBy<T>(items: readonly T[], of: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return counts;
}

/**
 * The points and sources of a series with one observation more, in order of time. Of two of one source at one second the
 * later one counts; no source replaces the point of another.
 */
export function withPoint(
  series: Pick<Series, "points" | "sources">,
  [at, price]: readonly [atSeconds: number, priceMinor: number],
  source: PriceSource,
): Pick<Series, "points" | "sources"> {
  let { points, sources } = compacted(series.points, series.sources);
  let index = sources.findIndex((one) => isSameSource(one, source));
  if (index < 0) {
    while (sources.length >= MAX_SOURCES) ({ points, sources } = withoutSource({ points, sources }));
    index = sources.length;
    sources = [...sources, source];
  }
  points = points.filter((one) => !(one[0] === at && one[2] === index));
  const after = points.findLastIndex(([time]) => time <= at) + 1;
  points = [...points.slice(0, after), [at, price, index] as StoredPoint, ...points.slice(after)];
  while (points.length > MAX_POINTS) points = withoutOne(points, sources);
  return compacted(points, sources);
}

/** Sources that some point still has, and the points with their places among them. */
function compacted(points: readonly StoredPoint[], sources: readonly PriceSource[]) {
  const used = [...new Set(points.map(([, , index]) => index))].sort((a, b) => a - b);
  const places = new Map(used.map((index, place) => [index, place]));
  return {
    sources: used.map((index) => sources[index]!),
    points: points.map(([at, price, index]): StoredPoint => [at, price, places.get(index)!]),
  };
}

/** Makes room for one source more by the loss of the least attested one that was seen least lately. */
function withoutSource(series: Pick<Series, "points" | "sources">): Pick<Series, "points" | "sources"> {
  const latest = new Map<number, number>();
  for (const [at, , index] of series.points) latest.set(index, at);
  const gone = [...latest.keys()].reduce((a, b) => {
    const less = rankOf(series.sources[b]!) - rankOf(series.sources[a]!);
    return less < 0 || (less === 0 && latest.get(b)! < latest.get(a)!) ? b : a;
  });
  return compacted(
    series.points.filter(([, , index]) => index !== gone),
    series.sources,
  );
}

/** Points without the one that gives way: the oldest of the network with most points, of those of the least standing. */
function withoutOne(points: readonly StoredPoint[], sources: readonly PriceSource[]): StoredPoint[] {
  const owner = (point: StoredPoint): PriceSource => pointSource({ sources: [...sources] }, point);
  const least = Math.min(...points.map((point) => rankOf(owner(point))));
  const weakest = points.filter((point) => rankOf(owner(point)) === least);
  const counts = countBy(weakest, (point) => owner(point).network);
  const most = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  const gone = weakest.find((point) => owner(point).network === most);
  return points.filter((point) => point !== gone);
}
