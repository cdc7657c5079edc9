#!/usr/bin/env -S node --max-semi-space-size=16
// The one file that an old Node can run: installs what the lock file names, then runs the program on the Node it pins.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installBeside, readIfThere, STAMP } from "./install.mjs";
import { LONG_RUNNING, supervise } from "./supervisor.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM = [24, 18];

const installDependencies = () => {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (readIfThere(join(root, "node_modules", STAMP)) !== lock) installBeside(root, lock);
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
    : { file: join(root, "app/main.ts"), args: process.argv.slice(2) };

// Compiled code is kept between runs: half the time of a short command, and 20 MB less, for what strips types is then not
// loaded. The variable, Node's own default, hands it on to threads and to processes that this one starts.
module.enableCompileCache?.();
process.env.NODE_COMPILE_CACHE ??= module.getCompileCacheDir?.() ?? join(tmpdir(), "node-compile-cache");
// What runs for long has a parent that starts it again; the rest runs here, where Node is new enough.
const isLongRunning = LONG_RUNNING.has(command);
if (node === process.execPath && !isLongRunning) {
  process.argv = [process.execPath, target.file, ...target.args];
  await import(pathToFileURL(target.file).href);
} else {
  // The child ends when this process does (its channel closes), however this process ends.
  const start = () =>
    spawn(node, [...process.execArgv, target.file, ...target.args], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, BRIDGE_WRAPPED: "1" },
    });
  const supervised = supervise(start, isLongRunning);
  // Each is handed on, for it may have been meant for this process alone. A terminal gives it to the child too, which
  // takes the two for one (listenForStop in cli/parts.ts).
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => supervised.child.kill(signal));
}
