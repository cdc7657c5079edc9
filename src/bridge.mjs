#!/usr/bin/env -S node --max-semi-space-size=16
// The one file that an old Node can run: installs what the lock file names, then runs the program on the Node it pins.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM = [24, 18];

const installDependencies = () => {
  const stamp = join(root, "node_modules", ".bridge-installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.error("Installing dependencies (once, about 20 s) …");
  const result = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (result.status !== 0) {
    console.error("Dependencies could not be installed. Run `npm install` to see why.");
    process.exit(result.status ?? 1);
  }
  writeFileSync(stamp, lock);
};

const isNewEnough = (version) => {
  const [major, minor] = version.split(".").map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
};

const pinnedNode = () => {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const pinned = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(pinned)) return pinned;
  console.error(
    `Node ${MINIMUM.join(".")} or newer is needed; this is ${process.versions.node}, and no build for ${process.platform}-${process.arch} is pinned here.`,
  );
  process.exit(1);
};

installDependencies();
const node = pinnedNode();
const [command, script, ...rest] = process.argv.slice(2);
const target =
  command === "run" && script
    ? { file: join(root, script), args: rest }
    : { file: join(root, "src/main.ts"), args: process.argv.slice(2) };

if (node === process.execPath) {
  // Compiled code is kept between runs: half the time of a short command, and 20 MB less, for what strips types is then
  // not loaded. The variable hands it on to threads and to processes that this one starts.
  module.enableCompileCache?.();
  const compiled = module.getCompileCacheDir?.();
  if (compiled) process.env.NODE_COMPILE_CACHE ??= compiled;
  process.argv = [process.execPath, target.file, ...target.args];
  await import(pathToFileURL(target.file).href);
} else {
  // The child ends when this process does (its channel closes), however this process ends.
  const child = spawn(node, [...process.execArgv, target.file, ...target.args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, BRIDGE_WRAPPED: "1" },
  });
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + 15 : (code ?? 1)));
}
