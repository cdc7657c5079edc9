/** The official MCP inspector's command line, installed once under .cache by its own lock: it is no part of what a start installs. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OWN = join(import.meta.dirname, "..", "clients", "inspector");
const CACHE = join(import.meta.dirname, "..", "..", ".cache", "clients");

/** @returns the path of its program @throws when its packages cannot be had */
export const installInspector = (): string => {
  const lock = readFileSync(join(OWN, "package-lock.json"));
  const folder = join(CACHE, `inspector-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`);
  const done = join(folder, "complete");
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(join(OWN, file), join(folder, file));
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["ci", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    writeFileSync(done, "");
  }
  return join(folder, "node_modules", ".bin", "mcp-inspector");
};
