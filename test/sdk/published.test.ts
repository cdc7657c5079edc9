/** Both SDKs as they are published: packed, installed into an empty folder, and used on a real registry; and clients that others' generators write. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { installClients } from "../support/inspector.ts";
import { makeLicense } from "../support/license.ts";
import { freePort } from "../support/ports.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { installRuntimes, type Runtimes } from "./js-runtimes.ts";

const ROOT = join(import.meta.dirname, "../..");
const NPM = join(ROOT, "node_modules/npm/bin/npm-cli.js");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const VECTORS = join(ROOT, "sdk/vectors/evidence.json");
const JUDGE = join(import.meta.dirname, "judge-vectors.js");
const run = promisify(execFile);
const found = ensurePython();
const python = "missing" in found ? "" : found.python;

/** What a page does with the package: the vectors, a search and a tool. */
const IN_BROWSER = `
  import { countRight } from "/sdk/judge";
  import * as sdk from "/sdk/index.js";
  const { cases } = await (await fetch("/sdk/vectors")).json();
  const right = await countRight(sdk, cases);
  const bridge = new sdk.Bridge({ registry: location.origin });
  const found = (await bridge.search("kettle")).map(({ domain }) => domain);
  const { text } = await bridge.tools("mcp").call("site_verdict", { domain: new URLSearchParams(location.search).get("site") });
  document.querySelector("#out").textContent = JSON.stringify([right + " of " + cases.length + " judged right", found, text]);
`;

/** A workerd that runs main.js with these modules, and lets it reach this machine. */
const workerConfig = (address: string, modules: readonly string[]): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "${address}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    (name = "judge-vectors.js", esModule = embed "judge-vectors.js"),
    (name = "vectors.json", json = embed "vectors.json"),
    ${modules.join(",\n    ")}
  ],
  compatibilityDate = "2026-11-01"
);
`;

const folder = mkdtempSync(join(tmpdir(), "bridge-sdk-"));
let registry: TestRegistry;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  const shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  const license = await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } });
  env = {
    ...process.env,
    REGISTRY: registry.url,
    SITE: shop,
    LICENSE: license.key,
    QUERY: "kettle",
    VECTORS,
  };
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What all examples print, whatever their language. */
function expectSearched(printed: string): void {
  expect(printed).toMatch(
    /^\S+\.test: enabled, neutrality [\d.]+, dns unproven, key [\w-]{43}, registered (?:f|F)alse$/m,
  );
}
function expectRead(printed: string): void {
  expect(printed).toMatch(/^can submit-search$/m);
  expect(printed).toMatch(/^cannot \S+: \w/m);
}
function expectBought(printed: string): void {
  expect(printed).toMatch(/^Order \d+.*, for \d+\.\d\d EUR$/m);
}

describe("the npm package", () => {
  const app = join(folder, "app");
  const example = (name: string) => run(process.execPath, [join(app, `${name}.ts`)], { env, cwd: app });

  beforeAll(async () => {
    mkdirSync(app);
    const packed = [NPM, "pack", "--silent", "--pack-destination", folder];
    await run(process.execPath, packed, { cwd: join(ROOT, "sdk/typescript") });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
    writeFileSync(join(app, "package.json"), '{ "type": "module", "private": true }\n');
    await run(
      process.execPath,
      [NPM, "install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)],
      {
        cwd: app,
      },
    );
    cpSync(join(ROOT, "sdk/typescript/examples"), app, { recursive: true });
  });

  it("is installed from a checkout by the line of the documentation", async () => {
    const lines = ["docs/quickstart-agents.md", "sdk/typescript/README.md"].map(
      (file) => /^npm install .*$/m.exec(readFileSync(join(ROOT, file), "utf8"))![0],
    );
    expect(new Set(lines).size).toBe(1);
    const own = join(folder, "by-the-line");
    mkdirSync(own);
    writeFileSync(join(own, "package.json"), '{ "type": "module", "private": true }\n');
    const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
    const options = { cwd: own, env: { ...process.env, PATH, CHECKOUT: ROOT, npm_config_offline: "true" } };
    await run("sh", ["-euc", lines[0]!], options);
    const used = "console.log(typeof (await import('@agent-web-bridge/sdk')).Bridge)";
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", used], { cwd: own });
    expect(stdout.trim()).toBe("function");
  });

  it("brings nothing but itself, compiled and typed", () => {
    const modules = join(app, "node_modules");
    expect(readdirSync(modules).filter((name) => !name.startsWith("."))).toEqual(["@agent-web-bridge"]);
    const files = readdirSync(join(modules, "@agent-web-bridge/sdk"), { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining(["dist/index.js", "dist/index.d.ts", "dist/node.js", "README.md"]),
    );
    expect(files.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))).toEqual([]);
    const index = readFileSync(join(modules, "@agent-web-bridge/sdk/dist/index.js"), "utf8");
    expect(index).not.toContain(".ts");
  });

  it("has types that its examples compile with, strictly", async () => {
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--skipLibCheck",
      "false",
    ];
    const types = [
      "--types",
      "node",
      "--typeRoots",
      join(ROOT, "node_modules/@types"),
      "--lib",
      "es2024,dom,esnext.disposable",
    ];
    const files = ["search-and-verify.ts", "open-and-read.ts", "buy.ts", "check-vectors.ts"];
    await run(process.execPath, [TSC, ...options, ...types, ...files], { cwd: app }).catch((error) =>
      expect.unreachable(String(error.stdout)),
    );
  });

  it("finds and verifies", async () => expectSearched((await example("search-and-verify")).stdout));
  it("opens and reads", async () => expectRead((await example("open-and-read")).stdout));
  it("buys at the total that it was told", async () => expectBought((await example("buy")).stdout));

  const vectors = (program: string, ...args: string[]) =>
    run(program, [...args, join(app, "check-vectors.ts"), VECTORS], { env, cwd: app });
  const RIGHT = /^(\d+) of \1 judged right$/m;
  it("judges evidence alike in Node", async () =>
    expect((await vectors(process.execPath)).stdout).toMatch(RIGHT));
  it.skipIf(!chromiumPath)(`… and in a browser${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, async () => {
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      // The package and its vectors, as if the registry's own origin served them beside its operations.
      const dist = join(app, "node_modules/@agent-web-bridge/sdk/dist");
      const served = (path: string) => {
        if (path === "/sdk/page") return { contentType: "text/html", body: "<!doctype html><p id=out>" };
        if (path === "/sdk/vectors") return { contentType: "application/json", path: VECTORS };
        if (path === "/sdk/judge") return { contentType: "text/javascript", path: JUDGE };
        return { contentType: "text/javascript", path: join(dist, path.slice("/sdk/".length)) };
      };
      await page.route("**/sdk/**", (route) =>
        route.fulfill(served(new URL(route.request().url()).pathname)),
      );
      await page.goto(`${registry.url}/sdk/page?site=${env.SITE}`);
      await page.addScriptTag({ type: "module", content: IN_BROWSER });
      await page.waitForFunction("document.querySelector('#out').textContent !== ''");
      const [judged, found, text] = JSON.parse((await page.textContent("#out"))!);
      expect(judged).toMatch(RIGHT);
      expect(found).toContain(env.SITE);
      expect(text).toContain(`${env.SITE}: Identity verified`);
    } finally {
      await browser.close();
    }
  });

  const runtimes = installRuntimes();
  const { deno, bun, workerd } = "missing" in runtimes ? ({} as Partial<Runtimes>) : runtimes;
  const why = "missing" in runtimes ? ` (${runtimes.missing})` : "";
  it.skipIf(!deno)(`… and in Deno${why}`, async () => {
    const options = ["run", "--no-prompt", "--allow-read", "--node-modules-dir=manual"];
    expect((await vectors(deno!, ...options)).stdout).toMatch(RIGHT);
  });
  it.skipIf(!bun)(`… and in Bun${why}`, async () => expect((await vectors(bun!)).stdout).toMatch(RIGHT));
  it.skipIf(!workerd)(`… and in a Worker, which also searches and calls a tool${why}`, async () => {
    const own = join(folder, "worker");
    cpSync(join(app, "node_modules/@agent-web-bridge/sdk/dist"), join(own, "sdk"), { recursive: true });
    cpSync(join(import.meta.dirname, "in-worker.js"), join(own, "main.js"));
    cpSync(JUDGE, join(own, "judge-vectors.js"));
    cpSync(VECTORS, join(own, "vectors.json"));
    const modules = readdirSync(join(own, "sdk"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js") && name !== "node.js")
      .map((name) => `(name = "sdk/${name}", esModule = embed "sdk/${name}")`);
    const address = `127.0.0.1:${await freePort()}`;
    writeFileSync(join(own, "config.capnp"), workerConfig(address, modules));
    const child = spawn(workerd!, ["serve", join(own, "config.capnp")], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    try {
      const query = new URLSearchParams({ registry: registry.url, site: env.SITE! });
      const ask = () => fetch(`http://${address}/?${query}`);
      const reply = await vi.waitUntil(() => ask().catch(() => undefined), { timeout: 10_000 });
      const { right, of, found, text } = (await reply.json()) as Record<string, unknown>;
      expect(right).toBe(of);
      expect(found).toContain(env.SITE);
      expect(text).toContain(`${env.SITE}: Identity verified`);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });
});

describe.skipIf(!python)(`the wheel${python ? "" : ` (${(found as { missing: string }).missing})`}`, () => {
  const site = join(folder, "site");
  const examples = join(ROOT, "sdk/python/examples");
  const withSdk = (): NodeJS.ProcessEnv => ({ ...env, PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: "1" });
  const example = (name: string) =>
    run(python, [join(examples, `${name}.py`)], { env: withSdk(), cwd: folder });

  beforeAll(async () => {
    // Copied: a build leaves files where it builds.
    const source = join(folder, "python");
    cpSync(join(ROOT, "sdk/python"), source, { recursive: true });
    const quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"];
    await run(python, [
      "-m",
      "pip",
      "wheel",
      ...quiet,
      "--no-build-isolation",
      "--wheel-dir",
      folder,
      source,
    ]);
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"))!;
    await run(python, ["-m", "pip", "install", ...quiet, "--target", site, join(folder, wheel)]);
  });

  it("is installed from a checkout by the line of the documentation", async () => {
    const lines = ["docs/quickstart-agents.md", "sdk/python/README.md"].map(
      (file) => /^pip install .*$/m.exec(readFileSync(join(ROOT, file), "utf8"))![0],
    );
    expect(new Set(lines).size).toBe(1);
    const checkout = join(folder, "checkout");
    cpSync(join(ROOT, "sdk/python"), join(checkout, "sdk/python"), { recursive: true });
    const target = join(folder, "by-the-pip-line");
    // What the SDK needs is installed beside already, and nothing is fetched in a test.
    const line = lines[0]!.replace(
      "pip install",
      `'${python}' -m pip install --quiet --no-deps --no-build-isolation --target '${target}'`,
    );
    await run("sh", ["-euc", line], { env: { ...process.env, CHECKOUT: checkout } });
    expect(readdirSync(target)).toContain("agent_web_bridge");
  });

  it("brings its types, and nothing but itself", () => {
    expect(readdirSync(site).filter((name) => !name.endsWith(".dist-info"))).toEqual(["agent_web_bridge"]);
    expect(readdirSync(join(site, "agent_web_bridge"))).toContain("py.typed");
  });

  it("is typed without a gap, and its examples too", async () => {
    const files = [join(folder, "python/src"), ...readdirSync(examples).map((name) => join(examples, name))];
    const args = ["-m", "mypy", "--strict", "--cache-dir", join(folder, "mypy"), ...files];
    await run(python, args, { env: withSdk(), cwd: folder }).catch((error) =>
      expect.unreachable(String(error.stdout)),
    );
  });

  it("does what the other SDK does, and judges evidence alike", async () => {
    const tests = join(ROOT, "sdk/python/tests");
    await run(python, ["-m", "unittest", "test_client"], { env: withSdk(), cwd: tests }).catch((error) =>
      expect.unreachable(String(error.stderr)),
    );
  });

  it("finds and verifies", async () => expectSearched((await example("search_and_verify")).stdout));
  it("opens and reads, without waiting", async () => expectRead((await example("open_and_read")).stdout));
  it("buys at the total that it was told", async () => expectBought((await example("buy")).stdout));
});

describe("clients that others' generators write from the OpenAPI document", () => {
  const DOCUMENT = join(ROOT, "schemas/openapi.json");
  const CLIENTS = join(ROOT, "test/clients/generators");
  const generated = join(folder, "generated");
  const own = ensurePython(join(CLIENTS, "requirements.txt"));

  it("compile strictly, and buy from the shop: openapi-typescript's types and hey-api's client", async () => {
    const modules = join(installClients("generators"), "node_modules");
    const node = (program: string, ...args: string[]) =>
      run(process.execPath, [join(modules, program), ...args], { cwd: generated, env }).catch((error) =>
        expect.unreachable(`${program}: ${error.stdout} ${error.stderr}`),
      );
    mkdirSync(generated);
    cpSync(join(CLIENTS, "buy.ts"), join(generated, "buy.ts"));
    await Promise.all([
      node("openapi-typescript/bin/cli.js", DOCUMENT, "-o", "schema.d.ts"),
      node("@hey-api/openapi-ts/bin/run.js", "-i", DOCUMENT, "-o", "hey", "-c", "@hey-api/client-fetch"),
    ]);
    const compiled = [
      "--outDir",
      "out",
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom,dom.iterable",
    ];
    const resolved = ["--module", "commonjs", "--moduleResolution", "node10", "--skipLibCheck"];
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    await node("typescript/bin/tsc", ...compiled, ...resolved, ...types, "buy.ts");
    const { stdout } = await run(process.execPath, [join(generated, "out/buy.js")], { env, cwd: generated });
    expect(stdout).toMatch(/^Order \d+.*, receipt done$/m);
  });

  it.skipIf("missing" in own)("compile and look: openapi-python-client's", async () => {
    const { python: generator } = own as { python: string };
    const app = join(folder, "generated-python");
    mkdirSync(app);
    const args = ["generate", "--path", DOCUMENT, "--output-path", join(app, "generated"), "--meta", "none"];
    await run(generator, ["-m", "openapi_python_client", ...args], { cwd: app });
    await run(generator, ["-m", "compileall", "-q", "generated"], { cwd: app });
    cpSync(join(CLIENTS, "look.py"), join(app, "look.py"));
    const { stdout } = await run(generator, ["look.py"], { env, cwd: app });
    expect(stdout).toBe("True enabled\n");
  });
});
