/** Programs of others that tests run, each set installed once under .cache by its own lock: they are no part of what a start installs. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const CLIENTS = join(import.meta.dirname, "..", "clients");
const CACHE = join(import.meta.dirname, "..", "..", ".cache", "clients");

/** @returns the folder whose node_modules has them @throws when they cannot be had */
export function installClients(name: "generators" | "inspector" | "kits" | "runtimes"): string {
  const own = join(CLIENTS, name);
  const lock = readFileSync(join(own, "package-lock.json"));
  const folder = join(CACHE, `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`);
  const done = join(folder, "complete");
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(own, file), join(folder, file));
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["ci", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    writeFileSync(done, "");
  }
  return folder;
}

/** @returns the path of the official MCP inspector's command line @throws when its packages cannot be had */
export const installInspector = (): string =>
  join(installClients("inspector"), "node_modules", ".bin", "mcp-inspector");
