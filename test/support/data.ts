/** Published vectors and data sets live outside the repository; a test that misses one says so and skips. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export const dataDir =
  process.env.BRIDGE_DATA_DIR ?? new URL("../../../shared/data/", import.meta.url).pathname;

/** Full path of a data file, or undefined where it is missing. */
export function dataFile(path: string): string | undefined {
  const full = join(dataDir, path);
  return existsSync(full) ? full : undefined;
}
