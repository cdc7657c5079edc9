// Installs the lock file's packages into a new folder, then switches to it atomically: `node_modules` is a link to the
// folder of one lock. Running processes keep the folder they loaded from.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** File in a complete folder of packages: the digest of its lock. */
export const STAMP = ".bridge-installed";
const FILES = ["package.json", "package-lock.json", ".npmrc"];
const POLL_MS = 100;
/** Maximum wait for another process's install of the same packages. */
const WAIT_MS = 300_000;

export const readIfThere = (file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** Whether an optional package is for this machine. */
const isMeant = ({ os, cpu }) =>
  (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));

/**
 * Whether `npm ci` put the packages of the lock there: what npm notes of an install says the same of each package. Then it is
 * stamped, and not done a second time.
 */
export function isInstalledByNpm(root, lock) {
  const place = join(root, "node_modules");
  const noted = readIfThere(join(place, ".package-lock.json"));
  if (noted === undefined) return false;
  try {
    const installed = JSON.parse(noted).packages;
    const { "": _, ...wanted } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    const isSame = (path) =>
      installed[path] === undefined
        ? wanted[path].optional === true || !isMeant(wanted[path])
        : installed[path].version === wanted[path].version &&
          installed[path].integrity === wanted[path].integrity;
    const names = Object.keys(wanted);
    if (names.length === 0 || !names.every(isSame) || Object.keys(installed).some((path) => !wanted[path]))
      return false;
    writeFileSync(join(place, STAMP), lock);
    return true;
  } catch {
    // Nothing that npm writes, or a folder that is not ours to write to.
    return false;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/**
 * Folders of installs in progress are named `<lock>.<process id>`; abandoned ones are removed. An old one is not waited
 * for: another program may have its process id by now.
 */
const othersAt = (store, lock) =>
  readdirSync(store).filter((name) => {
    const pid = Number(/\.(\d+)$/.exec(name)?.[1]);
    if (!pid || pid === process.pid) return false;
    if (isRunning(pid))
      return name.startsWith(lock) && Date.now() - lstatSync(join(store, name)).mtimeMs < WAIT_MS;
    rmSync(join(store, name), { recursive: true, force: true });
    return false;
  });

function install(root, folder, lock) {
  mkdirSync(folder, { recursive: true });
  for (const file of FILES)
    if (existsSync(join(root, file))) copyFileSync(join(root, file), join(folder, file));
  console.error("Installing dependencies (once, about 20 s) …");
  const result = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (result.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    console.error(
      "Installing the dependencies failed; the previous ones are unchanged. Run `npm ci --dry-run` to see why.",
    );
    process.exit(result.status || 1);
  }
  writeFileSync(join(folder, "node_modules", STAMP), lock);
}

/** Makes `node_modules` a link to a folder, atomically if it is a link or absent. */
function switchTo(root, store, folder) {
  const place = join(root, "node_modules");
  const link = join(store, `link.${process.pid}`);
  rmSync(link, { force: true });
  const isWindows = process.platform === "win32";
  const target = join(folder, "node_modules");
  symlinkSync(isWindows ? target : relative(root, target), link, isWindows ? "junction" : "dir");
  // A folder of npm or of an older version stays until the next install, for processes that run from it.
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found && !found.isSymbolicLink()) {
    const kept = join(store, `replaced-${process.pid}`);
    mkdirSync(kept, { recursive: true });
    renameSync(place, join(kept, "node_modules"));
  }
  renameSync(link, place);
}

/** Removes old folders, except the one in use and its predecessor, which processes may still use. */
function removeOld(store, used, before) {
  for (const name of readdirSync(store)) {
    const isKept = name === used || name === before || /\.\d+$/.test(name);
    if (!isKept) rmSync(join(store, name), { recursive: true, force: true });
  }
}

const storeOf = (root) => join(root, ".cache", "modules");

function folderInUse(root, store) {
  const place = join(root, "node_modules");
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return `replaced-${process.pid}`;
  const folder = dirname(join(root, readlinkSync(place)));
  return dirname(folder) === store ? basename(folder) : undefined;
}

/**
 * Installs the packages of the lock file, unless they are installed, and switches to them. Ends the process on failure.
 * A failure or an interruption leaves the packages in use unchanged.
 * @param lock digest of package-lock.json
 */
export function installBeside(root, lock) {
  const store = storeOf(root);
  const final = join(store, lock);
  const own = `${final}.${process.pid}`;
  const isThere = () => readIfThere(join(final, "node_modules", STAMP)) === lock;
  mkdirSync(store, { recursive: true });
  const giveUpAt = performance.now() + WAIT_MS;
  while (!isThere() && othersAt(store, lock).length > 0 && performance.now() < giveUpAt) sleep(POLL_MS);
  if (!isThere()) {
    install(root, own, lock);
    // A concurrent install may finish first: its packages are the same.
    if (isThere()) rmSync(own, { recursive: true, force: true });
    else {
      // What is there without the stamp was broken off, or is another lock's.
      rmSync(final, { recursive: true, force: true });
      renameSync(own, final);
    }
  }
  const before = folderInUse(root, store);
  if (before === lock) return;
  switchTo(root, store, final);
  removeOld(store, lock, before);
}
