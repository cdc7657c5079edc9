/**
 * `node deploy/check-lock.ts [folder]`, a step of `npm run check`: verifies that the image can be built from
 * package-lock.json. It must contain every optional dependency of every platform and name no registry host, and the
 * image's npm (the devDependency) must accept it, in full and with the options of
 * deploy/Dockerfile. Makes no network requests.
 */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Lock, missingPackages } from "./lock.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const NPM = join(ROOT, "node_modules/npm/bin/npm-cli.js");
const FILES = ["package.json", "package-lock.json", ".npmrc"];
const WAYS = [[], ["--omit=dev", "--omit=optional"]];

const faults = await faultsOf(resolve(process.argv[2] ?? ROOT));
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

/** Faults of a project's lock, one line each. */
async function faultsOf(project: string): Promise<string[]> {
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as Lock;
  const missing = missingPackages(lock).map(
    ({ name, version, parent }) =>
      `package-lock.json lacks ${name}@${version}, an optional dependency of ${parent}.`,
  );
  const placed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);
  const hosts = placed.map(([key, { resolved }]) => `${key} names the place it came from: ${resolved}.`);
  const folder = mkdtempSync(join(tmpdir(), "bridge-lock-"));
  try {
    for (const file of FILES) copyFileSync(join(project, file), join(folder, file));
    const refusals = await Promise.all(WAYS.map((options) => refusalOf(folder, options)));
    return [...missing, ...hosts, ...refusals.filter((each) => each !== undefined)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm's error for a folder with only the lock; undefined if npm accepts it. */
async function refusalOf(folder: string, options: string[]): Promise<string | undefined> {
  const args = [NPM, "ci", "--dry-run", "--offline", "--ignore-scripts", "--loglevel=error", ...options];
  try {
    await run(process.execPath, args, { cwd: folder });
    return undefined;
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    return `\`npm ${args.slice(1).join(" ")}\` fails:\n${stderr}`;
  }
}
