/** `bridge site`: an owner's way by commands: a document that the registry serves, an appeal. */
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
    roles: ["accounts", "provider", "protocol", "crawler"],
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
  it("has the registry serve a document, unsigned and then as he signed it", async () => {
    const { host, site } = await given();
    const endpoint = `https://${host}:${registry.world.port}`;
    const name = `${host}.json`;
    const provider = { name: "Tea", domain: host, category: "", description: "" };
    writeFileSync(join(folder, name), JSON.stringify(documentOf({ provider })));
    expect((await site("document", name)).out).toContain("unsigned");
    await bridge(["keygen", host, "--out", `${host}.pem`, "--endpoint", endpoint], {}, folder);
    const signed = await bridge(["sign", name, "--key", `${host}.pem`, "--endpoint", endpoint], {}, folder);
    writeFileSync(join(folder, name), signed.out);
    expect((await site("document", name)).out).toContain("as you signed it");
    const { body } = await registry.getJson(`/api/bridge/discover?siteId=${host}`);
    expect(body).toEqual(JSON.parse(signed.out));
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
    expect((await site("decisions", "--token", "none")).err).not.toBe("");
  });
});
