/** A Python with what the Python SDK (or a test) needs, kept beside the checkout: pip fetches it once. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const REQUIREMENTS = join(ROOT, "sdk/python/tests/requirements.txt");
const PIP_TIMEOUT_MS = 100_000;

/** The interpreter, or why there is none. @param requirements file of pinned packages; default: the SDK's */
export function ensurePython(requirements = REQUIREMENTS): { python: string } | { missing: string } {
  const isNew = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 10))"]);
  if (isNew.status !== 0) return { missing: "there is no Python 3.10 or newer with venv" };
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const home = join(ROOT, ".cache", `python-sdk-${digest}`);
  const python = join(home, "bin/python");
  if (existsSync(python)) return { python };
  const staging = `${home}-${process.pid}`;
  try {
    mkdirSync(join(ROOT, ".cache"), { recursive: true });
    execFileSync("python3", ["-m", "venv", staging]);
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
    execFileSync(join(staging, "bin/python"), args, { timeout: PIP_TIMEOUT_MS, stdio: "pipe" });
    renameSync(staging, home);
    return { python };
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    return { missing: `pip cannot fetch what the SDK needs (${String(error).slice(0, 200)})` };
  }
}
