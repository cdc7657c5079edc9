/** Whether memory stays level: caches and heaps fill up first, so the middle of a run is compared with its end. */

export interface Sample {
  /** Seconds since the load began. */
  atSeconds: number;
  /** Resident memory of the registry's own process, megabytes of 2^20 bytes. */
  residentMb: number;
  /** The broker's. */
  brokerMb: number;
}

export interface Flatness {
  /** Medians of the third quarter and of the last one. */
  beforeMb: number;
  endMb: number;
  /** Theil-Sen estimator of the second half: the median of the slopes between its samples (Sen 1968). */
  mbAnHour: number;
  isFlat: boolean;
}

/** More than this between the quarters is growth; so much of it lies within what a collection leaves. */
const MOST_GROWTH = 0.05;
const MOST_GROWTH_MB = 16;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const slopes = (points: readonly (readonly [x: number, y: number])[]): number[] =>
  points.flatMap(([x, y], i) => points.slice(i + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)));

/**
 * @param samples at least eight, in order
 * @throws RangeError for fewer
 */
export function flatnessOf(samples: readonly Sample[], of: "residentMb" | "brokerMb"): Flatness {
  if (samples.length < 8) throw new RangeError(`${samples.length} samples say nothing of a trend`);
  const quarter = Math.floor(samples.length / 4);
  const half = samples.slice(-2 * quarter);
  const beforeMb = median(half.slice(0, quarter).map((sample) => sample[of]));
  const endMb = median(half.slice(quarter).map((sample) => sample[of]));
  const mbAnHour = median(slopes(half.map((sample) => [sample.atSeconds / 3_600, sample[of]])));
  return {
    beforeMb,
    endMb,
    mbAnHour,
    isFlat: endMb - beforeMb <= Math.max(MOST_GROWTH_MB, MOST_GROWTH * beforeMb),
  };
}
