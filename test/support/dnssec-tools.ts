/**
 * A real authoritative server, validator and signer: nsd, unbound and ldnsutils. Used where the system has them; else
 * fetched from Debian's archive by apt and unpacked beside the checkout, for which no root is needed.
 */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";

const TOOLS = ["nsd", "unbound", "ldns-keygen", "ldns-signzone"] as const;
const PACKAGES = ["nsd", "unbound", "ldnsutils"];
const APT_TIMEOUT_MS = 30_000;
/** Without a network the answer is quick: the tests are then skipped with a sentence. */
const QUICK = [
  "-o",
  "Acquire::http::Timeout=5",
  "-o",
  "Acquire::https::Timeout=5",
  "-o",
  "Acquire::Retries=0",
];

export type Tool = (typeof TOOLS)[number];
export interface DnssecTools {
  path(tool: Tool): string;
  env: NodeJS.ProcessEnv;
}

const cache = join(import.meta.dirname, "../../.cache/dnssec-tools");

const find = (folders: string[]): Map<Tool, string> =>
  new Map(
    TOOLS.flatMap((tool) => {
      const folder = folders.find((each) => existsSync(join(each, tool)));
      return folder ? [[tool, join(folder, tool)] as const] : [];
    }),
  );

const toolsOf = (folders: string[], libraries: string[] = []): DnssecTools | undefined => {
  const found = find(folders);
  if (found.size < TOOLS.length) return undefined;
  const env = { ...process.env };
  if (libraries.length > 0) env.LD_LIBRARY_PATH = libraries.join(delimiter);
  return { path: (tool) => found.get(tool)!, env };
};

/** Folders of shared libraries: usr/lib/<architecture>. */
const librariesOf = (root: string): string[] =>
  ["usr/lib", "lib"].flatMap((part) => {
    const folder = join(root, part);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.includes("linux-gnu"))
      .map((name) => join(folder, name));
  });

const unpacked = (root: string): DnssecTools | undefined =>
  toolsOf([join(root, "usr/sbin"), join(root, "usr/bin")], librariesOf(root));

/** Package names that an installation would add, dependencies among them. */
const missingPackages = (options: string[], how: ExecFileSyncOptions): string[] => {
  const args = [...options, "install", "--print-uris", "-y", "--no-install-recommends", ...PACKAGES];
  const printed = execFileSync("apt-get", args, { ...how, encoding: "utf8" }) as string;
  return printed.split("\n").flatMap((line) => /^'[^']+' ([^_\s]+)_/.exec(line)?.[1] ?? []);
};

const fetchPackages = (folder: string): void => {
  const how: ExecFileSyncOptions = {
    cwd: folder,
    timeout: APT_TIMEOUT_MS,
    stdio: ["ignore", "pipe", "ignore"],
  };
  const unlocked = [...QUICK, "-o", "Debug::NoLocking=1"];
  // Lists of our own where the system has none, or no right to make them.
  const state = join(folder, "state");
  for (const part of ["lists/partial", "archives/partial"]) mkdirSync(join(state, part), { recursive: true });
  const own = [...unlocked, "-o", `Dir::State::lists=${state}/lists`, "-o", `Dir::Cache=${state}`];
  let options = unlocked;
  let names: string[];
  try {
    names = missingPackages(options, how);
  } catch {
    options = own;
    execFileSync("apt-get", [...own, "update"], how);
    names = missingPackages(own, how);
  }
  execFileSync("apt-get", [...options, "download", ...names], how);
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".deb")))
    execFileSync("dpkg", ["-x", name, "root"], how);
};

/** The tools, or why they cannot be had. */
export const ensureDnssecTools = (): DnssecTools | { missing: string } => {
  const system = toolsOf([...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"]);
  const known = system ?? unpacked(join(cache, "root"));
  if (known) return known;
  const staging = `${cache}-${process.pid}`;
  try {
    mkdirSync(staging, { recursive: true });
    fetchPackages(staging);
    rmSync(join(staging, "state"), { recursive: true, force: true });
    rmSync(cache, { recursive: true, force: true });
    renameSync(staging, cache);
    return unpacked(join(cache, "root")) ?? { missing: "the packages hold other files than they did" };
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    return {
      missing: `nsd, unbound and ldnsutils are not here and apt cannot fetch them (${String(error).slice(0, 200)})`,
    };
  }
};
