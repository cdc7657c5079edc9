/**
 * Programs of Debian's archive for tests, for which no root is needed: fetched by apt and unpacked beside the checkout. Nothing
 * is installed and no service starts.
 */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Without a network the answer is quick: the tests are then skipped with a sentence. */
const QUICK = [
  ...["-o", "Acquire::http::Timeout=5"],
  ...["-o", "Acquire::https::Timeout=5"],
  ...["-o", "Acquire::Retries=0"],
];

/** Package names that an installation would add, dependencies among them. */
function missingPackages(packages: readonly string[], options: string[], how: ExecFileSyncOptions): string[] {
  const args = [...options, "install", "--print-uris", "-y", "--no-install-recommends", ...packages];
  const printed = execFileSync("apt-get", args, { ...how, encoding: "utf8" }) as string;
  return printed.split("\n").flatMap((line) => /^'[^']+' ([^_\s]+)_/.exec(line)?.[1] ?? []);
}

function fetchPackages(packages: readonly string[], folder: string, timeoutMs: number): void {
  const how: ExecFileSyncOptions = { cwd: folder, timeout: timeoutMs, stdio: ["ignore", "pipe", "ignore"] };
  const unlocked = [...QUICK, "-o", "Debug::NoLocking=1"];
  // Lists of our own where the system has none, or no right to make them.
  const state = join(folder, "state");
  for (const part of ["lists/partial", "archives/partial"]) mkdirSync(join(state, part), { recursive: true });
  const own = [...unlocked, "-o", `Dir::State::lists=${state}/lists`, "-o", `Dir::Cache=${state}`];
  let options = unlocked;
  let names: string[];
  try {
    names = missingPackages(packages, options, how);
  } catch {
    options = own;
    execFileSync("apt-get", [...own, "update"], how);
    names = missingPackages(packages, own, how);
  }
  execFileSync("apt-get", [...options, "download", ...names], how);
  mkdirSync(join(folder, "root"), { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".deb")))
    execFileSync("dpkg", ["-x", name, "root"], how);
}

/**
 * Unpacks packages, and what they need that the system lacks, into `<folder>/root`, unless that is there.
 * @returns that root
 * @throws when apt cannot fetch them
 */
export function unpackPackages(packages: readonly string[], folder: string, timeoutMs = 30_000): string {
  const root = join(folder, "root");
  if (existsSync(root)) return root;
  const staging = `${folder}-${process.pid}`;
  try {
    mkdirSync(staging, { recursive: true });
    fetchPackages(packages, staging, timeoutMs);
    rmSync(join(staging, "state"), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
    return root;
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}

/** Folders of shared libraries in an unpacked root: usr/lib/<architecture>. */
export const librariesOf = (root: string): string[] =>
  ["usr/lib", "lib"].flatMap((part) => {
    const folder = join(root, part);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.includes("linux-gnu"))
      .map((name) => join(folder, name));
  });
