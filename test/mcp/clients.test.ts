/** /mcp with the clients that others wrote: the official inspector, and those of Python and Go. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../app/front/mcp/tools/table.ts";
import { environment } from "../../train/python.ts";
import { installInspector } from "../support/inspector.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const CLIENTS = join(import.meta.dirname, "..", "clients");
const MAIN = join(import.meta.dirname, "..", "..", "app", "main.ts");
const INSTALL_MS = 240_000;
const hasGo = spawnSync("go", ["version"]).status === 0;
const hasPython =
  spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]).status === 0;

const run = promisify(execFile);
let registry: TestRegistry;
let site: string;
let url: string;
let folder: string;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 2 } });
  await registry.crawl();
  site = registry.world.hosts[0]!.host;
  url = `${registry.url}/mcp`;
  folder = mkdtempSync(join(tmpdir(), "bridge-clients-"));
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const names = TOOLS.map(({ name }) => name);

/** What the clients' programs print. */
function expectUsual(stdout: string) {
  const said = JSON.parse(stdout);
  expect(said.tools).toEqual(names);
  expect(said.verdict).toMatchObject({ domain: site, state: "enabled" });
  expect(said.failed).toMatchObject({
    is_error: true,
    text: expect.stringMatching(/^site_not_registered: .*\nNext: /),
  });
}

describe("the official inspector's command line", () => {
  let inspector: string;
  beforeAll(() => {
    inspector = installInspector();
  }, INSTALL_MS);
  const inspect = async (...args: string[]) => {
    const settings = { ...process.env, HOME: folder };
    const { stdout } = await run(inspector, ["--cli", ...args], { env: settings, timeout: 30_000 });
    return JSON.parse(stdout);
  };

  it("lists the tools, and finds no fault with their schemas", async () => {
    const { tools } = await inspect(url, "--method", "tools/list", "--strict");
    expect(tools.map(({ name }: any) => name)).toEqual(names);
  });

  it("calls a tool, over HTTP and over stdio", async () => {
    const call = ["--method", "tools/call", "--tool-name", "site_verdict", "--tool-arg", `domain=${site}`];
    const [http, stdio] = await Promise.all([
      inspect(url, ...call),
      inspect(process.execPath, MAIN, "mcp", "--registry", registry.url, ...call),
    ]);
    expect(http.structuredContent).toMatchObject({ domain: site, state: "enabled" });
    expect(stdio.structuredContent).toEqual(http.structuredContent);
  });
});

describe.skipIf(!hasPython)("the Python client", () => {
  let python: string;
  beforeAll(() => {
    python = environment(join(CLIENTS, "python", "requirements.txt"));
  }, INSTALL_MS);

  it.each(["auto", "legacy"])("lists the tools and calls two of them, in mode %s", async (mode) => {
    const { stdout } = await run(python, [join(CLIENTS, "python", "client.py"), url, site, mode]);
    expectUsual(stdout);
  });
});

describe.skipIf(!hasGo)("the Go client", () => {
  let program: string;
  beforeAll(() => {
    program = join(folder, "client");
    const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
    const options = { cwd: join(CLIENTS, "go"), env, encoding: "utf8" } as const;
    const built = spawnSync("go", ["build", "-o", program, "."], options);
    if (built.status !== 0) throw new Error(built.stderr);
  }, INSTALL_MS);

  it("lists the tools and calls two of them", async () => {
    const { stdout } = await run(program, [url, site]);
    expectUsual(stdout);
  });
});
