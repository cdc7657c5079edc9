/** The first minute: `bridge up` as a process of its own, what it says, and buying from its shop. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ForkedWorld, forkWorld } from "../../../world/control.ts";
import { cleanUp, newHome, type Program, runBridge } from "../../faults/programs.ts";
import { blockOf } from "../../journeys/guides.ts";
import { freePort } from "../../support/ports.ts";
import { bridge } from "./run.ts";

/** A machine that does much besides. */
const LONG_MS = 110_000;
const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
/** Beside the README's `data`. */
const folder = mkdtempSync(join(tmpdir(), "bridge-test-up-"));
const home = join(folder, "data");

let url: string;
let program: Program;
const start = () => runBridge(["up", "--sites", "20"], { BRIDGE_HOME: home, PORT: new URL(url).port });
async function stop() {
  program.kill("SIGTERM");
  await program.ended;
}
const keptShop = () => JSON.parse(readFileSync(join(home, "demo.json"), "utf8"));

/** Runs a script as a user pastes it, and gives its lines. */
const shell = (script: string): string[] =>
  execFileSync("sh", ["-eu"], { cwd: folder, input: script, encoding: "utf8" }).trim().split("\n");

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  program = start();
  await program.says(/bridge -- demo/, LONG_MS);
});
afterAll(async () => {
  await stop();
  await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

/** Each address of a printed curl, fetched at the moment it was printed or later. */
async function triedSearches(output: string) {
  const addresses = [...output.matchAll(/^ {2}curl '([^']+)'$/gm)].map(([, address]) => address!);
  return Promise.all(addresses.map(async (address) => (await fetch(address)).json() as any));
}

describe("bridge up", () => {
  it("prints searches that find something, and counts the same hosts everywhere", async () => {
    await program.says(/curl '.*\/api\/discovery\/registry/, LONG_MS);
    const [found, directory, ...others] = await triedSearches(program.output);
    expect(others).toEqual([]);
    expect(found.results.length).toBeGreaterThan(0);
    expect(directory.listings.length).toBeGreaterThan(0);
    const [, known, visited, listed] = (
      await program.says(/known (\d+) hosts · visited (\d+) · listed (\d+)/, LONG_MS)
    ).map(Number);
    expect(visited).toBeLessThanOrEqual(known!);
    expect(listed).toBeLessThanOrEqual(visited!);
  });

  it("keeps the license of its shop where nobody else reads it", () => {
    expect(statSync(join(home, "demo.json")).mode & 0o777).toBe(0o600);
    expect(keptShop()).toMatchObject({ registry: url, license_key: expect.stringMatching(/^bridge_lic_/) });
  });

  it("lets bridge demo buy, which prints what a shell can do", async () => {
    const { code, out, err } = await bridge(["demo"], { BRIDGE_HOME: home });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const steps = [...out.matchAll(/^# (\d+)\. /gm)].map(([, number]) => Number(number));
    expect(steps).toEqual(steps.map((_, i) => i + 1));
    expect(out).toMatch(/# +Order 1000 .*\/order\/1000/);
    expect(out).toMatch(/# +Thank you, Ada Lovelace\. \d+\.\d\d EUR/);
    expect(out).not.toContain(keptShop().license_key);
    const { result } = JSON.parse(shell(out).at(-1)!);
    expect(result.elements[0].text).toBe("Thank you, Ada Lovelace.");
  });

  it("lets the README's dozen lines buy", () => {
    const [, lines] = /## Buy something[\s\S]*?```sh\n([\s\S]*?)```/.exec(README)!;
    expect(lines!.trim().split("\n")).toHaveLength(12);
    const last = JSON.parse(shell(lines!.replace("http://127.0.0.1:8080", url)).at(-1)!);
    expect(last).toMatchObject({ success: true, result: { title: expect.stringMatching(/^Order \d+/) } });
  });

  it("lets the quickstart of an agent's developer read a page, by its own commands", async () => {
    const guide = "quickstart-agents.md";
    const totalOf = async (access: string): Promise<number> => {
      const reply = await fetch(`${url}/api/discovery/registry?access=${access}`);
      return ((await reply.json()) as { total: number }).total;
    };
    await expect.poll(() => totalOf("open"), { timeout: 30_000 }).toBeGreaterThan(0);
    await expect.poll(() => totalOf("request"), { timeout: 30_000 }).toBeGreaterThan(0);
    const commands = ["Find a site", "An account", "A token for your agent", "Act on a site"].map((heading) =>
      blockOf(guide, heading),
    );
    const variables = `BRIDGE=${url}\nEMAIL=ada@agents.example\nPASSWORD='four words of ours'`;
    const printed = shell([variables, ...commands].join("\n"));
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({
      success: true,
      result: { title: expect.any(String) },
    });
  });

  it("stops the quickstart with a sentence where no site is open", () => {
    const [choice] = blockOf("quickstart-agents.md", "Act on a site").split("ask() {");
    const none = choice!.replace("access=open", "access=open&category=none-such");
    expect(() => shell(`BRIDGE=${url}\n${none}`)).toThrow(/no site of this registry is open to agents now/);
  });

  it("says on every page that its sites are made up, and leads to none of them", async () => {
    const open = async (path: string) =>
      (await fetch(url + path, { headers: { accept: "text/html" } })).text();
    const { site } = keptShop();
    for (const path of [
      "/",
      "/search",
      `/sites/${site}`,
      "/owners",
      "/status",
      "/docs",
      "/docs/agents",
      "/none-such",
    ])
      expect(await open(path), path).toContain("Demo registry");
    expect(await open(`/sites/${site}`)).not.toContain(`href="https://${site}`);
    expect(await open("/owners")).toContain("cannot read your domain");
  });

  it("keeps the shop, its owner and its license over a restart", async () => {
    const before = keptShop();
    await stop();
    program = start();
    await program.says(/bridge -- demo/, LONG_MS);
    expect(keptShop()).toEqual(before);
    expect((await bridge(["demo"], { BRIDGE_HOME: home })).code).toBe(0);
  });
});

describe("bridge up on seeds", () => {
  let world: ForkedWorld;
  beforeAll(async () => {
    world = await forkWorld({ sites: 1, soundShare: 1, latencyMs: 700 });
  });
  afterAll(() => world?.stop());

  it("says that nothing is listed yet, and what to search for once something is", async () => {
    const seededHome = newHome();
    const seeded = runBridge(["up", "--seeds", world.hosts[0]!.host], {
      BRIDGE_HOME: seededHome,
      PORT: String(await freePort()),
      BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
      BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port}`,
      BRIDGE_HTTPS_PORT: String(world.port),
      BRIDGE_HOST_DELAY_MS: "20",
      BRIDGE_IP_DELAY_MS: "20",
      NODE_EXTRA_CA_CERTS: world.caFile,
    });
    await seeded.says(/^ {2}Nothing is listed yet/m, LONG_MS);
    await seeded.says(/curl '.*\/api\/discovery\/registry/, LONG_MS);
    const [found] = await triedSearches(seeded.output);
    expect(found.results[0].siteId).toBe(world.hosts[0]!.host);
    const none = await bridge(["demo"], { BRIDGE_HOME: seededHome });
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining("has no synthetic shop") });
    seeded.kill("SIGTERM");
    expect(await seeded.ended).toMatchObject({ code: 0 });
  }, 120_000);
});
