/** How fast sites are written into the index, against the engine alone taking the same documents. */
import type { BenchLine } from "./bench-line.ts";
import { type BenchEngine, onEachEngine } from "./engines.ts";
import { batchesOf, MARKET } from "./market.ts";

/** As many as the indexer writes at once. */
const BATCH = 256;
/** Batches of one, then of the other: both meet the same moments of a busy machine. */
async function measure(engine: BenchEngine, size: number): Promise<BenchLine[]> {
  let oursMs = 0;
  let rawMs = 0;
  for (const batch of batchesOf(size, BATCH)) {
    const startedMs = performance.now();
    await engine.index.apply(batch);
    oursMs += performance.now() - startedMs;
    rawMs += await engine.bulk(batch);
  }
  rawMs += await engine.endBulk();
  const { bytes } = await engine.index.stats();
  const perSecond = (ms: number) => Math.round((size / ms) * 1_000);
  return [
    {
      name: `index ${engine.name}, ${size} sites`,
      value: perSecond(oursMs),
      unit: "sites/s",
      baseline: perSecond(rawMs),
      ratio: Math.round((rawMs / oursMs) * 100) / 100,
      conditions: `${MARKET}; batches of ${BATCH}, each visible at once; ${Math.round(bytes / size)} bytes a site on disk; against a bulk of the same documents and filters, encoded before, with nothing of ours`,
    },
  ];
}

/** Measures each size on both engines, or on the one named. */
export async function bench(sizes: number[], only?: string): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const size of sizes.length > 0 ? sizes : [1_000, 100_000])
    lines.push(...(await onEachEngine((engine) => measure(engine, size), only)));
  return lines;
}
