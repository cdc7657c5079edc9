/**
 * A real Prometheus with promtool. Used where the system has them; else fetched from Debian's archive by apt and unpacked
 * beside the checkout, for which no root is needed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";

const APT_TIMEOUT_MS = 60_000;
/** Without a network the answer is quick: the tests are then skipped with a sentence. */
const QUICK = [
  "-o",
  "Acquire::http::Timeout=5",
  "-o",
  "Acquire::https::Timeout=5",
  "-o",
  "Acquire::Retries=0",
];
const cache = join(import.meta.dirname, "../../.cache/prometheus");

export interface Prometheus {
  prometheus: string;
  promtool: string;
}

const findIn = (folders: readonly string[]): Prometheus | undefined => {
  const folder = folders.find((each) =>
    ["prometheus", "promtool"].every((name) => existsSync(join(each, name))),
  );
  return folder === undefined
    ? undefined
    : { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") };
};

/** Both programs, or why they cannot be had. */
export const ensurePrometheus = (): Prometheus | { missing: string } => {
  const unpacked = join(cache, "usr/bin");
  const known = findIn([...(process.env.PATH ?? "").split(delimiter), unpacked]);
  if (known) return known;
  const staging = `${cache}-${process.pid}`;
  try {
    mkdirSync(staging, { recursive: true });
    const how = { cwd: staging, timeout: APT_TIMEOUT_MS, stdio: "ignore" } as const;
    execFileSync("apt-get", [...QUICK, "download", "prometheus"], how);
    for (const name of readdirSync(staging).filter((each) => each.endsWith(".deb"))) {
      execFileSync("dpkg", ["-x", name, "."], how);
      rmSync(join(staging, name));
    }
    rmSync(cache, { recursive: true, force: true });
    renameSync(staging, cache);
    return findIn([unpacked]) ?? { missing: "the package holds other files than it did" };
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    return { missing: `Prometheus is not here and apt cannot fetch it (${String(error).slice(0, 200)})` };
  }
};
