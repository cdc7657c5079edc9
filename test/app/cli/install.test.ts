/** Dependencies are installed beside those in use and changed for them in one step, from a real registry on loopback. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const VERSIONS = ["1.0.0", "2.0.0"];

/** A package that reads a part of itself, named by its version, only when it is asked to. */
function packageOf(folder: string, version: string): Buffer {
  const place = join(folder, version);
  mkdirSync(place, { recursive: true });
  const late = `late-${version}.js`;
  const scripts = { install: "node -e \"fs.writeFileSync('ran', '')\"" };
  writeFileSync(
    join(place, "package.json"),
    JSON.stringify({ name: "greeting", version, type: "module", exports: "./index.js", scripts }),
  );
  writeFileSync(join(place, late), `export const version = "${version}";`);
  writeFileSync(join(place, "index.js"), `export const late = () => import("./${late}");`);
  const file = execFileSync("npm", ["pack", "--silent"], { cwd: place, encoding: "utf8" }).trim();
  return readFileSync(join(place, file));
}
const integrityOf = (bytes: Buffer): string =>
  `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

let folder: string;
let registry: Server;
let address: string;
let answersTarballs = true;
let downloads: string[] = [];
const tarballs = new Map<string, Buffer>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-test-install-"));
  for (const version of VERSIONS) tarballs.set(version, packageOf(join(folder, "packages"), version));
  registry = createServer((request, response) => {
    const version = /greeting-([\d.]+)\.tgz$/.exec(request.url!)?.[1];
    if (version) {
      downloads.push(version);
      if (answersTarballs) response.end(tarballs.get(version));
      return;
    }
    const manifests = VERSIONS.map((each) => {
      const tarball = `${address}/greeting/-/greeting-${each}.tgz`;
      const dist = { tarball, integrity: integrityOf(tarballs.get(each)!) };
      return [each, { name: "greeting", version: each, dist }];
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: "greeting", versions: Object.fromEntries(manifests) }));
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
});
afterAll(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

let project: string;
let projects = 0;
beforeEach(() => {
  answersTarballs = true;
  downloads = [];
  project = join(folder, `project-${++projects}`);
  mkdirSync(join(project, "app"), { recursive: true });
  for (const file of ["app/bridge.mjs", "app/install.mjs", "app/supervisor.mjs", ".npmrc"])
    cpSync(join(ROOT, file), join(project, file));
  writeFileSync(
    join(project, "once.mjs"),
    'console.log("found " + (await (await import("greeting")).late()).version);',
  );
  writeFileSync(
    join(project, "server.mjs"),
    `import { late } from "greeting";
     console.log("ready");
     process.stdin.once("data", async () => {
       console.log("served by " + (await late()).version);
       process.exit();
     });`,
  );
  lockTo("1.0.0");
});

function lockTo(version: string, integrity = integrityOf(tarballs.get(version)!)): void {
  const root = { name: "project", version: "1.0.0", dependencies: { greeting: version } };
  const packages = { "": root, "node_modules/greeting": { version, integrity, hasInstallScript: true } };
  writeFileSync(join(project, "package.json"), JSON.stringify(root));
  const lock = { name: "project", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(project, "package-lock.json"), JSON.stringify(lock));
}

const environment = () => ({
  ...process.env,
  npm_config_registry: address,
  npm_config_cache: join(project, "npm-cache"),
  npm_config_fetch_retries: "0",
});

function start(program: string): ChildProcess & { output: Promise<string> } {
  const child = spawn(process.execPath, ["app/bridge.mjs", "run", program], {
    cwd: project,
    // A group of its own, to be ended as a whole.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(),
  });
  const output = Promise.all([text(child.stdout!), text(child.stderr!)]).then((all) => all.join(""));
  return Object.assign(child, { output });
}
async function ran(program = "once.mjs") {
  const child = start(program);
  const [[code], output] = await Promise.all([once(child, "exit"), child.output]);
  return { code, output };
}
const stored = (): string[] => readdirSync(join(project, ".cache/modules"));

describe("dependencies", () => {
  it("are those of the lock file, checked by its digests", async () => {
    expect(await ran()).toMatchObject({ code: 0, output: expect.stringContaining("found 1.0.0") });
    lockTo("2.0.0", integrityOf(tarballs.get("1.0.0")!));
    const refused = await ran();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/EINTEGRITY/);
  });

  it("run no script of theirs when they are installed", async () => {
    expect(await ran()).toMatchObject({ code: 0 });
    const modules = join(project, ".cache/modules", stored()[0]!, "node_modules/greeting");
    expect(readdirSync(modules)).toEqual(expect.arrayContaining(["index.js"]));
    expect(readdirSync(modules)).not.toContain("ran");
  });

  it("are taken as `npm ci` put them there, and installed anew once the lock file says otherwise", async () => {
    const npm = spawn("npm", ["ci", "--silent"], { cwd: project, stdio: "ignore", env: environment() });
    await once(npm, "exit");
    expect(await ran()).toMatchObject({ code: 0, output: "found 1.0.0\n" });
    expect([downloads, lstatSync(join(project, "node_modules")).isSymbolicLink()]).toEqual([
      ["1.0.0"],
      false,
    ]);
    lockTo("2.0.0");
    expect(await ran()).toMatchObject({ output: expect.stringMatching(/found 2\.0\.0[\s\S]*Installing/) });
  });

  it("are changed without a program that runs noticing, whatever it loads later", async () => {
    const server = start("server.mjs");
    await once(server.stdout!, "data");
    lockTo("2.0.0");
    expect(await ran()).toMatchObject({ code: 0, output: expect.stringContaining("found 2.0.0") });
    server.stdin!.write("go\n");
    expect(await server.output).toContain("served by 1.0.0");
    expect(stored()).toHaveLength(2);
  });

  it("are put back at once when the lock file is, and old ones are removed", async () => {
    await ran();
    lockTo("2.0.0");
    await ran();
    lockTo("1.0.0");
    expect(await ran()).toMatchObject({ output: expect.stringContaining("found 1.0.0") });
    expect(downloads).toEqual(["1.0.0", "2.0.0"]);
    expect(stored()).toHaveLength(2);
  });

  it("are left as they were by an install that fails", async () => {
    await ran();
    lockTo("2.0.0", integrityOf(Buffer.from("another")));
    const failed = await ran();
    expect(failed.code).not.toBe(0);
    expect(failed.output).toMatch(/Installing the dependencies failed; the previous ones are unchanged/);
    expect(stored()).toHaveLength(1);
    lockTo("1.0.0");
    expect(await ran()).toMatchObject({ code: 0, output: expect.stringMatching(/^found 1.0.0\n$/) });
  });

  it("are left as they were by an install that is killed, of which the next leaves nothing", async () => {
    await ran();
    lockTo("2.0.0");
    answersTarballs = false;
    const killed = start("once.mjs");
    while (!downloads.includes("2.0.0")) await delay(10);
    process.kill(-killed.pid!, "SIGKILL");
    await once(killed, "exit");
    expect(readFileSync(join(project, "node_modules/greeting/package.json"), "utf8")).toContain("1.0.0");
    expect(stored()).toHaveLength(2);
    answersTarballs = true;
    expect(await ran()).toMatchObject({ code: 0, output: expect.stringContaining("found 2.0.0") });
    expect(stored().filter((name) => /\.\d+$/.test(name))).toEqual([]);
  });

  it("are installed by several at once without harm", async () => {
    const all = await Promise.all([ran(), ran(), ran()]);
    for (const each of all)
      expect(each).toMatchObject({ code: 0, output: expect.stringContaining("found 1.0.0") });
    expect(stored()).toHaveLength(1);
  });

  it("take the place of a folder that npm made, which stays for what runs from it", async () => {
    cpSync(join(folder, "packages/1.0.0"), join(project, "node_modules/greeting"), { recursive: true });
    lockTo("2.0.0");
    expect(await ran()).toMatchObject({ output: expect.stringContaining("found 2.0.0") });
    expect(lstatSync(join(project, "node_modules")).isSymbolicLink()).toBe(true);
    expect(stored().some((name) => name.startsWith("replaced-"))).toBe(true);
  });
});
