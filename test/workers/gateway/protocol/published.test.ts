import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let headers: Record<string, string>;
beforeAll(async () => {
  registry = await startRegistry({
    world: {
      sites: 12,
      kinds: { sound: 1, unsigned: 1, forged: 1, no_txt: 1, no_document: 1, txt_split: 1 },
      soundShare: 0,
    },
    roles: ["gateway"],
  });
  headers = { authorization: `Bearer ${await givenKey(registry, "PRO")}` };
});
afterAll(() => registry?.stop());

async function check(domain: string) {
  const reply = await fetch(`${registry.url}/api/v1/protocol/check/${encodeURIComponent(domain)}`, {
    headers,
  });
  return { status: reply.status, body: (await reply.json()) as any };
}
const hostOf = (kind: string): string => registry.world.hosts.find((one) => one.kind === kind)!.host;

describe("the check of a domain", () => {
  it.each(["sound", "txt_split"])("finds nothing wrong with a site that is %s", async (kind) => {
    const { status, body } = await check(hostOf(kind));
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, trust_ring: 3, diagnostics: [], not_observed: [] });
    expect(body.meta).toMatchObject({ module: "protocol", plan: "PRO", usage: { day: { quota: 10_000 } } });
  });

  it.each([
    ["unsigned", "trust.unsigned", 2],
    ["forged", "trust.signature_invalid", 0],
    ["no_txt", "trust.txt_none", 1],
    ["no_document", "lint.path_missing", 0],
  ])("says what is wrong with a site that is %s", async (kind, code, ring) => {
    const { body } = await check(hostOf(kind));
    expect([body.diagnostics.map((one: { code: string }) => one.code), body.trust_ring]).toEqual([
      [code],
      ring,
    ]);
  });

  it("takes a domain as it was pasted, and refuses what is none", async () => {
    const host = hostOf("sound");
    const { body } = await check(` HTTPS://${host.toUpperCase()}/some/page?x=1#y `);
    expect(body.domain).toBe(host);
    for (const none of ["localhost", "10.0.0.1", "http://[::1]/", "a b", "co.uk", "not/a:domain", "%"])
      expect((await check(none)).body.code).toBe("invalid_domain");
  });
});
