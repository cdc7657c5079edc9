import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModule } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 4, kinds: { affiliate: 1 }, soundShare: 0.5 },
    roles: ["gateway"],
  });
  key = await givenKey(registry, "PRO");
});
afterAll(() => registry?.stop());

const ask = (path: string, body?: unknown, credential = key) =>
  askModule(registry, "affiliate", credential, path, body);
function originOf(kind: string): string {
  const { host } = registry.world.hosts.find((one) => one.kind === kind)!;
  return `https://${host}:${registry.world.port}`;
}

describe("the operations of Affiliate Intelligence", () => {
  it("scan a page that is fetched, and say who is paid", async () => {
    const { status, body } = await ask("scan-url", { url: `${originOf("affiliate")}/` });
    expect(status).toBe(200);
    expect(body.hops.map((hop: { status: number }) => hop.status)).toEqual([200]);
    expect(body.links.map(({ id, role }: any) => [id, role])).toContainEqual(["4711", "link"]);
    expect(body.verdict).toBe("undisclosed");
    expect((await ask("scan-url", { url: `${originOf("sound")}/` })).body).toMatchObject({
      verdict: "none",
      findings: [],
      links: [],
    });
  });

  it("say so when a page cannot be had", async () => {
    const { body } = await ask("scan-url", { url: "https://nobody.test/" });
    expect(body.hops[0]).toMatchObject({ status: null, detail: "dns_none" });
    expect(body.not_observed[0].what).toBe("page");
    expect(body).toMatchObject({ verdict: "unknown", risk_score: null });
    expect((await ask("scan-url", { url: "http://127.0.0.1:1/" })).body.hops[0].detail).toMatch(/refused/);
  });

  it("are for PRO keys", async () => {
    const { status, body } = await ask("scan-html", { html: "<p>" }, await givenKey(registry, "FREE"));
    expect([status, body.code]).toEqual([403, "insufficient_plan"]);
  });

  it("add up what was found, each scan once", async () => {
    const before = (await ask("stats")).body;
    const html = '<iframe src="https://www.awin1.com/cread.php?awinaffid=1" width="1"></iframe>';
    await Promise.all(Array.from({ length: 5 }, () => ask("scan-html", { html: html.repeat(2) })));
    const after = (await ask("stats")).body;
    expect(after.scans - before.scans).toBe(5);
    expect(after.verdicts.stuffing).toBe(5);
    expect(after.rules["cookie-stuffing"]).toBe(5);
    expect(after.networks.awin).toBe(5);
  });
});
