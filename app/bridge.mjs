#!/usr/bin/env -S node --max-semi-space-size=16
// The launcher, which also runs on an old Node: installs the lock file's packages, then runs the program on the pinned
// Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installBeside, isInstalledByNpm, readIfThere, STAMP } from "./install.mjs";
import { LONG_RUNNING, supervise } from "./supervisor.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM = [24, 18];

function installDependencies() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (readIfThere(join(root, "node_modules", STAMP)) === lock) return;
  if (!isInstalledByNpm(root, lock)) installBeside(root, lock);
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

function pinnedNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const pinned = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(pinned)) return pinned;
  console.error(
    `Bridge needs Node ${MINIMUM.join(".")} or newer; this is ${process.versions.node}, and there is no pinned build for ${process.platform}-${process.arch}.`,
  );
  process.exit(1);
}

installDependencies();
const node = pinnedNode();
const [command, script, ...rest] = process.argv.slice(2);
const target =
  command === "run" && script
    ? { file: join(root, script), args: rest }
    : { file: join(root, "app/main.ts"), args: process.argv.slice(2) };

// The compile cache halves the time of a short command and saves 20 MB, since the type stripper is not loaded. The
// variable passes it to threads and child processes.
module.enableCompileCache?.();
process.env.NODE_COMPILE_CACHE ??= module.getCompileCacheDir?.() ?? join(tmpdir(), "node-compile-cache");
// Long-running commands get a supervising parent; others run in this process if its Node is new enough.
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
  // Forward each signal, since it may be sent to this process alone. A terminal also signals the child, which treats
  // both as one (listenForStop in cli/parts.ts).
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => supervised.child.kill(signal));
}
