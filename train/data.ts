/** Where training data lies: outside the repository, as for the tests. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const dataDir = process.env.BRIDGE_DATA_DIR ?? join(import.meta.dirname, "..", "..", "shared", "data");

/** Rows of a JSON Lines file. */
export const readRows = <T>(path: string): T[] => readLines(path).map((line) => JSON.parse(line) as T);

/** Lines of a file that are not blank. @throws Error that names the file, where it is missing */
export function readLines(path: string): string[] {
  const full = path.startsWith("/") ? path : join(dataDir, path);
  if (!existsSync(full)) throw new Error(`${full} is missing: set BRIDGE_DATA_DIR to the folder of the data`);
  return readFileSync(full, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
}
