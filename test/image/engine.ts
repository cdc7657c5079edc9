/** Starts the engine and builds the image, once for all files; without `npm run image` it does nothing. */
import { execFileSync, spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { natsStandIn, nodeStandIn, STAND_INS } from "./bases.ts";
import {
  build,
  docker,
  ENGINE,
  engineEnvironment,
  HAS_ENGINE,
  load,
  SOCKET,
  TUNNEL,
  TUNNEL_PORT,
  UNUSABLE,
} from "./docker.ts";

const ROOT = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 180_000;
export const IMAGE = "bridge";

const openTunnel = (path: string) =>
  createServer((near) => {
    const far = connect(path);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  }).listen(TUNNEL_PORT, "127.0.0.1");

async function startEngine() {
  execFileSync("ip", ["link", "set", "lo", "up"], { env: engineEnvironment() });
  const log = openSync(join(ENGINE, "log"), "a");
  const folders = ["--data-root", join(ENGINE, "data"), "--exec-root", join(ENGINE, "run")];
  const child = spawn(
    "dockerd",
    [
      ...folders,
      "--pidfile",
      join(ENGINE, "pid"),
      "--host",
      `unix://${SOCKET}`,
      "--containerd-namespace",
      "bridge-test",
    ],
    { env: engineEnvironment(), stdio: ["ignore", log, log] },
  );
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const version = await docker("version", "--format", "{{.Server.Version}}").catch(() => undefined);
    if (version) return { child, version };
    if (child.exitCode === null && performance.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    writeFileSync(join(ENGINE, UNUSABLE), "");
    throw new Error(`dockerd did not start:\n${readFileSync(join(ENGINE, "log"), "utf8").slice(-2_000)}`);
  }
}

async function buildImages() {
  const { BRIDGE_IMAGE_BASE: base, BRIDGE_IMAGE_NATS: nats } = process.env;
  await load(nodeStandIn("amd64", base!, process.execPath));
  await load(natsStandIn("amd64", base!, nats!));
  const { NODE_IMAGE, NATS_IMAGE } = STAND_INS;
  await build(IMAGE, ROOT, {
    // Without the sentence encoder, which tests of its own are about.
    target: "program",
    file: join(ROOT, "deploy/Dockerfile"),
    arguments: { NODE_IMAGE, NATS_IMAGE, REVISION: "0123abc" },
  });
}

export default async function setup() {
  if (!HAS_ENGINE) return undefined;
  const tunnel = openTunnel(TUNNEL);
  const { child } = await startEngine();
  const stop = async () => {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
    tunnel.close();
  };
  try {
    const startedMs = performance.now();
    await buildImages();
    process.stdout.write(`built in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
