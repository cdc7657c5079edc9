/**
 * Writes a fixture: the home of a registry of some version, and what was done with it. The version is driven by HTTP and
 * its command line alone.
 *
 *     node test/upgrade/write.ts <checkout of the version> <name>
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";
import { until } from "../faults/programs.ts";
import { readMoved } from "./moved.ts";
import { namesOf } from "./names.ts";
import { LATE, settle, writeScene } from "./scene.ts";
import { openVersion, startStore, stopWell, WORLD } from "./version.ts";

const [checkout, name] = process.argv.slice(2);
if (!checkout || !name) {
  process.stderr.write("Usage: node test/upgrade/write.ts <checkout of the version> <name>\n");
  process.exit(2);
}
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), "bridge-fixture-"));
const home = join(folder, "home");
mkdirSync(home);

/** Runs the whole program: sites are crawled, people and agents do what they do. */
const writeRegistry = async (world: ForkedWorld) => {
  const version = await openVersion({ home, world, checkout: resolve(checkout) });
  const seeds = world.hosts.slice(0, -LATE).map(({ host }) => host);
  const program = await version.start("up", "--seeds", seeds.join(","));
  await settle(version);
  say("the sites are crawled");
  const scene = await writeScene(version);
  const { url } = JSON.parse(readFileSync(join(home, "broker.json"), "utf8"));
  const names = await namesOf(version, home, url);
  await stopWell(program);
  return { scene, names };
};

/** Runs a crawler alone for a moment: it hears of hosts, and nobody decides about them or indexes what it writes. */
const writeLate = async (world: ForkedWorld, binary: string) => {
  const store = await startStore(binary, home);
  try {
    return await runLate(world, store.url);
  } finally {
    await store.stop();
  }
};

const runLate = async (world: ForkedWorld, natsUrl: string) => {
  const version = await openVersion({ home, world, checkout: resolve(checkout), natsUrl });
  const crawler = await version.start("worker", "crawler");
  const late = world.hosts.slice(-LATE).map(({ host }) => host);
  // Names that nobody has heard of.
  await world.set(late[0]!, { beacon: "lying" });
  await version.bridge("seed", ...late);
  await until("the late hosts to be visited", async () => {
    const { sites } = JSON.parse(await version.bridge("status", "--json"));
    return sites >= world.hosts.length - 1;
  });
  await settle(version);
  await stopWell(crawler);
  return { moved: await readMoved(natsUrl), late };
};

const world = await forkWorld(WORLD);
try {
  const binary = await ensureNatsServer(say);
  const { scene, names } = await writeRegistry(world);
  const { moved, late } = await writeLate(world, binary);
  writeFileSync(join(folder, "moved.json"), JSON.stringify(moved));
  for (const file of readdirSync(join(home, "nats")))
    if (/\.(log|ports|pid)$/.test(file)) rmSync(join(home, "nats", file));
  const write = (file: string, value: unknown): void =>
    writeFileSync(join(import.meta.dirname, file), `${JSON.stringify(value, undefined, 2)}\n`);
  write(`${name}.json`, { ...scene, late });
  write(`${name}.names.json`, names);
  const archive = join(import.meta.dirname, `${name}.tar.gz`);
  execFileSync("tar", ["-I", "gzip -9", "-cf", archive, "-C", folder, "home", "moved.json"]);
  say(`${archive} is written`);
} finally {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
}
