/**
 * Which observations of a series are believed. The registry's own are; callers' claims are where several independent ones
 * that have something to lose made the same at the same time, and the registry observed nothing else then. All others are claims:
 * shown, marked, and no part of a verdict.
 */
import type { PriceSource, Series } from "../../../schemas/price.ts";
import { medianOf, outlierTest } from "./robust.ts";
import type { Point } from "./rules.ts";
import { pointSource } from "./sources.ts";

/** Established accounts, and networks, that must claim the same price. */
export const LEAST_SOURCES = 3;
/** … within so long. */
const TOGETHER_SECONDS = 86_400;
/** The registry's own observation decides over claims about the time around it, */
const DECIDES_SECONDS = 3_600;
/** and for so long after it, where there is none around the time: what it fetched weighs more than what callers agree on. */
const HOLDS_SECONDS = 86_400;
/** Networks whose claims can make another an outlier, where nothing is believed. */
const LEAST_NETWORKS = 3;

export interface JudgedPoint {
  point: Point;
  source: PriceSource;
  believed: boolean;
  /** Not believed, and outside of what the others say. */
  outlier: boolean;
}

class Tally {
  readonly #counts = new Map<string, number>();
  get size(): number {
    return this.#counts.size;
  }
  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
  remove(name: string): void {
    const left = this.#counts.get(name)! - 1;
    if (left === 0) this.#counts.delete(name);
    else this.#counts.set(name, left);
  }
}

/** Every observation of a series in order of time, with what it is worth. */
export function judgePoints(series: Pick<Series, "points" | "sources">): JudgedPoint[] {
  const judged = series.points.map((point): JudgedPoint => {
    const source = pointSource(series, point);
    const [at, price] = point;
    return { point: [at, price], source, believed: source.standing === "registry", outlier: false };
  });
  const own = judged.filter(({ believed }) => believed);
  const witnesses = judged.filter(({ source }) => source.standing === "established" && !source.late);
  for (const claims of Map.groupBy(witnesses, ({ point }) => point[1]).values()) believeTogether(claims);
  unbelieveContradicted(witnesses, own);
  const isOutlier = outlierTest(usualOf(judged));
  for (const one of judged) one.outlier = !one.believed && isOutlier(one.point[1]);
  return judged;
}

/** Marks those of one price that enough sources claimed within the time, in one pass. @param claims in order of time */
function believeTogether(claims: JudgedPoint[]): void {
  const [accounts, networks] = [new Tally(), new Tally()];
  let from = 0;
  let marked = 0;
  claims.forEach(({ point, source }, to) => {
    accounts.add(source.who);
    networks.add(source.network);
    for (; point[0] - claims[from]!.point[0] > TOGETHER_SECONDS; from++) {
      accounts.remove(claims[from]!.source.who);
      networks.remove(claims[from]!.source.network);
    }
    if (accounts.size < LEAST_SOURCES || networks.size < LEAST_SOURCES) return;
    for (marked = Math.max(marked, from); marked <= to; marked++) claims[marked]!.believed = true;
  });
}

/** Takes belief from those that the registry's own observations contradict, around the time or last before. Both in order of time. */
function unbelieveContradicted(judged: JudgedPoint[], own: readonly JudgedPoint[]): void {
  let from = 0;
  for (const one of judged) {
    const [at, price] = one.point;
    while (from < own.length && own[from]!.point[0] < at - DECIDES_SECONDS) from++;
    let observations = 0;
    let agrees = false;
    for (let i = from; i < own.length && own[i]!.point[0] <= at + DECIDES_SECONDS; i++) {
      observations++;
      agrees ||= own[i]!.point[1] === price;
    }
    const before = own[from - 1]?.point;
    if (observations === 0 && before && at - before[0] <= HOLDS_SECONDS) {
      observations = 1;
      agrees = before[1] === price;
    }
    if (observations > 0 && !agrees) one.believed = false;
  }
}

/** What is usual: believed prices; else what most networks say, each of which has one voice however many claims it makes. */
function usualOf(judged: readonly JudgedPoint[]): number[] {
  const believed = judged.filter((one) => one.believed);
  if (believed.length > 0) return believed.map(({ point }) => point[1]);
  const voices = [...Map.groupBy(judged, ({ source }) => source.network).values()];
  return voices.length < LEAST_NETWORKS
    ? []
    : voices.map((claims) => medianOf(claims.map(({ point }) => point[1])));
}

/** The last price of a series that counts: the last that is believed, else the last claim that is no outlier. */
export const latestOf = (judged: readonly JudgedPoint[]): JudgedPoint | undefined =>
  judged.findLast(({ believed }) => believed) ?? judged.findLast(({ outlier }) => !outlier);
