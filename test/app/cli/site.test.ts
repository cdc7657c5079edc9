/** `bridge site`: an owner's way by commands: a key that the registry holds, its own again, hosting, an appeal. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blockHost } from "../../../src/stores/block-list.ts";
import { createOwner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenSite } from "../../support/visitor.ts";
import { documentOf } from "../../workers/crawler/observations.ts";
import { bridge } from "./run.ts";

let registry: TestRegistry;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-site-"));
  registry = await startRegistry({
    world: { sites: 2, soundShare: 1, seed: 4 },
    roles: ["accounts", "provider", "crawler"],
    config: { BRIDGE_HOSTING_NAME: "hosted.registry.example", BRIDGE_HOSTING_PORT: 0 },
  });
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const given = async () => {
  const owner = createOwner(registry);
  const { host } = await registry.world.add("no_txt");
  await givenSite(registry, await owner.accountId(), host);
  const settings = { BRIDGE_TOKEN: await owner.token() };
  const site = (command: string, ...words: string[]) =>
    bridge(["site", command, host, ...words, "--registry", registry.url], settings, folder);
  return { host, site };
};

describe.concurrent("an owner with a terminal", () => {
  it("has the registry hold a key, sees that it signs, and changes to a key of his own", async () => {
    const { host, site } = await given();
    const endpoint = `https://${host}:${registry.world.port}`;
    const first = await site("hold-key", "--endpoint", endpoint);
    expect(first.out).toContain("Publish its record");
    const value = /TXT "([^"]+)"/.exec(first.out)![1]!;
    expect(value).toContain("key_holder=registry");
    await registry.world.set(host, { moreTxt: [value] });
    const early = await site("hold-key");
    expect(early.out).toMatch(/The registry signs for it\.[\s\S]*signed until/);
    expect(JSON.parse((await site("key", "--json")).out)).toMatchObject({ state: "in_force", siteId: host });
    expect((await site("rotate-key")).out).toMatch(/The next key is made\.[\s\S]*key_holder=registry/);
    const name = `${host}.json`;
    const provider = { name: "Tea", domain: host, category: "", description: "" };
    writeFileSync(join(folder, name), JSON.stringify(documentOf({ provider })));
    await bridge(["keygen", host, "--out", `${host}.pem`, "--endpoint", endpoint], {}, folder);
    const signed = await bridge(["sign", name, "--key", `${host}.pem`, "--endpoint", endpoint], {}, folder);
    writeFileSync(join(folder, name), signed.out);
    expect((await site("document", name)).out).toContain("as you signed it");
    expect((await site("key")).out).toContain("Another key signed its document");
    expect(await site("end-key")).toMatchObject({ code: 0, out: expect.stringContaining("no key") });
    expect((await site("end-key")).code).toBe(1);
  });

  it("asks for hosting, and sees what it still takes", async () => {
    const { host, site } = await given();
    expect((await site("hosting")).out).toContain("does not answer there");
    const asked = await site("host");
    expect(asked.out).toContain(`bridge.${host}. 300 IN CNAME hosted.registry.example.`);
    const { out } = await site("hosting");
    for (const what of ["missing: cname:", "missing: txt:"]) expect(out).toContain(what);
    expect((await site("end-hosting")).out).toContain("Remove the CNAME");
  });

  it("appeals against what was decided, and names nothing that was not", async () => {
    const { host, site } = await given();
    expect((await site("appeal", "--reason", "It is clean")).code).toBe(2);
    await blockHost(registry.runtime, host, { why: "Malware", by: "operator", who: "ada" });
    expect((await site("decisions")).out).toMatch(/^block {2}\S+ {2}\S+: Malware$/m);
    expect((await site("appeal", "--reason", "It is clean")).out).toMatch(
      /^Appeal \S+ waits for an operator/,
    );
    expect((await site("decisions")).out).toContain("(appeal open)");
    expect((await site("key", "--token", "none")).err).not.toBe("");
  });
});
