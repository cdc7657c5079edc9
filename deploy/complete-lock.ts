/**
 * `npm run generate -- lock`, after npm changed package-lock.json: adds the optional dependencies that npm omitted. npm
 * drops a platform's package that its registry lacks, and then `npm ci` rejects the lock on every platform. Another lock,
 * such as one of test/clients, is named after it.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Lock,
  type LockedPackage,
  type MissingPackage,
  missingPackages,
  packagesWithoutIntegrity,
  platformOf,
} from "./lock.ts";

const ROOT = join(import.meta.dirname, "..");
const FILE = resolve(process.argv[2] ?? join(ROOT, "package-lock.json"));
const NPM = join(ROOT, "node_modules/npm/bin/npm-cli.js");
const ASK_TIMEOUT_MS = 30_000;

type Manifest = Pick<LockedPackage, "os" | "cpu" | "libc"> & { "dist.integrity"?: string };

const lock = JSON.parse(readFileSync(FILE, "utf8")) as Lock;
const missing = missingPackages(lock);
for (const each of missing) {
  const entry = entryOf(lock, each);
  // At the top level if its place there is free, as npm does.
  lock.packages[`node_modules/${each.name}`] = entry;
  console.log(`entered ${each.name}@${each.version} (${entry.os}, ${entry.cpu})`);
}
for (const each of packagesWithoutIntegrity(lock)) {
  const integrity = manifestOf(each)?.["dist.integrity"];
  const { version, ...rest } = lock.packages[each.parent]!;
  if (integrity) lock.packages[each.parent] = { version: version!, integrity, ...rest };
  else
    console.log(
      `no integrity of ${each.name}@${each.version}: this registry has not got it; ask a complete one`,
    );
}
const order = (a: [string, unknown], b: [string, unknown]): number => a[0].localeCompare(b[0], "en");
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(order));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);

/** @throws if neither the registry nor the name states the platform */
function entryOf(lock: Lock, missing: MissingPackage): LockedPackage {
  const { name, version, parent } = missing;
  if (!/^\d+\.\d+\.\d+[-+.\w]*$/.test(version))
    throw new Error(`${parent} asks for ${name}@${version}: only an exact version can be entered.`);
  const manifest = manifestOf(missing);
  const platform = manifest?.os && manifest.cpu ? manifest : platformOf(name);
  if (!platform) throw new Error(`The registry has no ${name}@${version}, and its name names no platform.`);
  const { dev, peer } = lock.packages[parent]!;
  return {
    version,
    cpu: platform.cpu!,
    ...(dev && { dev }),
    ...(platform.libc && { libc: platform.libc }),
    optional: true,
    os: platform.os!,
    ...(peer && { peer }),
  };
}

/** The registry's metadata of one version; undefined if it lacks it. @throws if the registry is unreachable */
function manifestOf({ name, version }: MissingPackage): Manifest | undefined {
  const fields = ["os", "cpu", "libc", "dist.integrity"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [NPM, "view", `${name}@${version}`, ...fields, "--json"],
    { cwd: ROOT, encoding: "utf8", timeout: ASK_TIMEOUT_MS },
  );
  const answer = stdout.trim() === "" ? {} : JSON.parse(stdout);
  if (status === 0) return answer as Manifest;
  if (answer.error?.code === "E404") return undefined;
  throw new Error(
    `The registry could not be asked for ${name}: ${answer.error?.summary ?? `npm ended with ${status}`}.`,
  );
}
