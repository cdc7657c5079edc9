/**
 * A real Prometheus with promtool. Used where the system has them; else fetched from Debian's archive by apt and unpacked
 * beside the checkout, for which no root is needed.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { unpackPackages } from "../support/debian-packages.ts";

const APT_TIMEOUT_MS = 60_000;
const cache = join(import.meta.dirname, "../../.cache/prometheus");

export interface Prometheus {
  prometheus: string;
  promtool: string;
}

function findIn(folders: readonly string[]): Prometheus | undefined {
  const folder = folders.find((each) =>
    ["prometheus", "promtool"].every((name) => existsSync(join(each, name))),
  );
  return folder === undefined
    ? undefined
    : { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") };
}

/** Both programs, or why they cannot be had. */
export function ensurePrometheus(): Prometheus | { missing: string } {
  const known = findIn((process.env.PATH ?? "").split(delimiter));
  if (known) return known;
  try {
    const root = unpackPackages(["prometheus"], cache, APT_TIMEOUT_MS);
    return findIn([join(root, "usr/bin")]) ?? { missing: "the package holds other files than it did" };
  } catch (error) {
    return { missing: `Prometheus is not here and apt cannot fetch it (${String(error).slice(0, 200)})` };
  }
}
