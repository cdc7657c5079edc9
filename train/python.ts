/** Runs Python programs in an environment of their own under .cache, with packages pinned by their digests. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const CACHE = join(import.meta.dirname, "..", ".cache", "python");

/**
 * Runs `script` with `args` to its end; what it says of its progress is shown. Needs python3 with venv.
 * @param requirements file of pinned packages with their SHA-256 (pip's `--require-hashes`)
 * @param input given on its standard input
 * @returns what it wrote on standard output
 * @throws when the packages cannot be had or the script fails
 */
export const runPython = (requirements: string, script: string, args: string[], input = ""): string =>
  execFileSync(environment(requirements), [script, ...args], {
    input,
    stdio: ["pipe", "pipe", "inherit"],
    encoding: "utf8",
    // One hash seed, and sums in one order however many cores there are: two runs give the same bytes.
    env: { ...process.env, PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", OPENBLAS_NUM_THREADS: "1" },
  });

/** Makes the environment of a file of requirements, or finds it made. @returns the path of its python */
export function environment(requirements: string): string {
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16);
  const folder = join(CACHE, digest);
  const python = join(folder, "bin", "python");
  const done = join(folder, "complete");
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  process.stderr.write("Getting Python packages (once) …\n");
  execFileSync("python3", ["-m", "venv", folder], { stdio: "inherit" });
  const options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", requirements];
  execFileSync(python, ["-m", "pip", "install", ...options], { stdio: "inherit" });
  writeFileSync(done, "");
  return python;
}
