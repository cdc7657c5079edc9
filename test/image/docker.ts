/** The client of the tests' own engine, and what it builds from. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { StandIn } from "./bases.ts";
import { toolsEnvironment } from "./tools.ts";

const run = promisify(execFile);
const COMMAND_TIMEOUT_MS = 180_000;
const BUILD_TIMEOUT_MS = 900_000;

/** The engine's folder, which `npm run image` makes: without it there is no engine. */
export const ENGINE = process.env.BRIDGE_IMAGE_ENGINE ?? "";
export const HAS_ENGINE = ENGINE !== "";
export const SOCKET = join(ENGINE, "docker.sock");
/** A file in the engine's folder: it did not start. */
export const UNUSABLE = "unusable";
/** To the tunnel of main.ts, outside of this namespace. */
export const TUNNEL = join(ENGINE, "tunnel.sock");
/** A port of this namespace's own 127.0.0.1, behind which is the tunnel. */
export const TUNNEL_PORT = 3128;

export function engineEnvironment(): NodeJS.ProcessEnv {
  // Neither plug-ins nor credentials of whoever runs the tests.
  const config = join(ENGINE, "config");
  mkdirSync(config, { recursive: true });
  return { ...toolsEnvironment(), DOCKER_HOST: `unix://${SOCKET}`, DOCKER_CONFIG: config };
}

/** @returns standard output, trimmed, with `both` also the other @throws with what the program said */
export async function command(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; timeout?: number; both?: boolean } = {},
): Promise<string> {
  const env = { ...engineEnvironment(), ...options.env };
  const { stdout, stderr } = await run(program, args, { maxBuffer: 64e6, ...options, env });
  return (options.both ? stdout + stderr : stdout).trim();
}

export const docker = (...args: string[]): Promise<string> =>
  command("docker", args, { timeout: COMMAND_TIMEOUT_MS });

export const logsOf = (name: string): Promise<string> => command("docker", ["logs", name], { both: true });

/** Builds in the engine's own network namespace, from which the tunnel leads to package registries. */
export function build(
  tag: string,
  context: string,
  given: { file?: string; arguments?: Record<string, string>; platform?: string; target?: string } = {},
): Promise<string> {
  const proxy = `http://127.0.0.1:${TUNNEL_PORT}`;
  const all = { ...given.arguments, HTTPS_PROXY: proxy, https_proxy: proxy };
  const args = Object.entries(all).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  const file = given.file ? ["--file", given.file] : [];
  const platform = given.platform ? ["--platform", given.platform] : [];
  const target = given.target ? ["--target", given.target] : [];
  return command(
    "docker",
    ["build", "--quiet", "--network=host", "--tag", tag, ...file, ...platform, ...target, ...args, context],
    { timeout: BUILD_TIMEOUT_MS },
  );
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Makes an image of layers that are there, in the form of `docker save`: a build would copy each through the client. */
export async function load({ name, architecture, layers, config }: StandIn): Promise<void> {
  const folder = mkdtempSync(join(ENGINE, "load-"));
  const digests = await Promise.all(layers.map(digestOf));
  const rootfs = { type: "layers", diff_ids: digests.map((digest) => `sha256:${digest}`) };
  const variant = architecture === "arm64" ? { variant: "v8" } : {};
  const Env = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"];
  const image = { architecture, ...variant, os: "linux", rootfs, config: { ...config, Env } };
  writeFileSync(join(folder, "config.json"), JSON.stringify(image));
  for (const [i, layer] of layers.entries()) symlinkSync(layer, join(folder, `${i}.tar`));
  const manifest = [
    { Config: "config.json", RepoTags: [`${name}:latest`], Layers: layers.map((_, i) => `${i}.tar`) },
  ];
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  await command("tar", [
    "--dereference",
    "-C",
    folder,
    "-cf",
    join(folder, "image"),
    "--exclude=./image",
    ".",
  ]);
  await command("docker", ["load", "--quiet", "--input", join(folder, "image")], {
    timeout: BUILD_TIMEOUT_MS,
  });
  rmSync(folder, { recursive: true });
}

export const inspect = async (name: string): Promise<any> => JSON.parse(await docker("inspect", name))[0];
