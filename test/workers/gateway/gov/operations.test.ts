import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModule } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 4, kinds: { secure: 1 }, soundShare: 0.5 },
    roles: ["gateway"],
  });
  key = await givenKey(registry, "BUSINESS");
});
afterAll(() => registry?.stop());

async function ask(path: string, body?: unknown) {
  const reply = await askModule(registry, "gov", key, path, body);
  // What is seen of a site proves no conformity.
  expect(JSON.stringify(reply.body)).not.toMatch(/compliant/i);
  return reply;
}
const statusOf = (body: any, id: string) => body.controls.find((one: { id: string }) => one.id === id).status;

describe("Gov Intelligence", () => {
  it("looks at a domain as it was pasted, and says what it saw", async () => {
    const host = registry.world.hosts[0]!.host;
    const path = `check/${encodeURIComponent(`https://${host}/some/page`)}?country=DE`;
    const { status, body } = await ask(path);
    expect(status).toBe(200);
    expect(body.domain).toBe(host);
    expect([statusOf(body, "https"), statusOf(body, "page-language"), statusOf(body, "page-title")]).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
    expect([statusOf(body, "hsts"), statusOf(body, "dmarc"), statusOf(body, "privacy-policy")]).toEqual([
      "fail",
      "fail",
      "fail",
    ]);
    expect(body.law).toMatchObject({ country: "DE", country_from: "sent" });
    expect(statusOf(body, "do-not-sell")).toBe("not_applicable");
    expect(body.score).toBeLessThan(100);
    expect(body.headers.tests.length).toBe(9);
    expect(body.meta.module).toBe("gov");
  });

  it("says what could not be seen of a site that is not there", async () => {
    const { body } = await ask("check/nobody.test");
    expect(body.headers).toBeNull();
    expect(statusOf(body, "privacy-policy")).toBe("not_observed");
    expect(body.not_observed.map(({ what }: { what: string }) => what)).toContain("page");
    expect(body.counts.pass).toBe(0);
  });

  it("says that it does not know the law of a country, in every answer that rests on it", async () => {
    const { host } = registry.world.hosts[0]!;
    const law = { country: "JP", jurisdictions: [{ code: "JP", known: false }] };
    const report = (await ask("compliance-report", { domain: host, country: "jp" })).body;
    expect(report).toMatchObject({ law, regulations: [] });
    expect((await ask("regulations?country=JP")).body).toMatchObject({ law, count: 0 });
    const check = (await ask(`check/${host}?country=JP`)).body;
    expect(check.law).toMatchObject(law);
    for (const { controls } of [report, check])
      for (const { basis, status } of controls)
        if (basis === "law") expect(["fail", "partial"]).not.toContain(status);
  });

  it("fails no law that does not bind the site, in the report either", async () => {
    const { host } = registry.world.hosts[0]!;
    const { body } = await ask("compliance-report", { domain: host });
    expect(body.law).toEqual({ country: null, country_from: null, jurisdictions: [] });
    for (const { regulation, counts } of body.regulations)
      if (regulation.applies !== "yes") expect(counts.fail + counts.partial).toBe(0);
    expect(body.regulations.some((one: any) => one.counts.unknown > 0)).toBe(true);
  });

  it("refuses what is no domain", async () => {
    for (const none of ["localhost", "10.0.0.1", "me@shop.example", "co.uk"])
      expect((await ask(`check/${encodeURIComponent(none)}`)).body.code).toBe("invalid_domain");
  });

  it("orders what it found by regulation, with evidence that the caller sends marked as sent", async () => {
    const { body } = await ask("compliance-report", {
      domain: registry.world.hosts[0]!.host,
      country: "de",
      sector: "retail",
      html: '<html lang="de"><a href="/impressum">Impressum</a><button>Alle akzeptieren</button>',
      headers: { "Strict-Transport-Security": "max-age=63072000" },
      cookies: ["_ga=1; Secure"],
    });
    expect(body.sent.sort()).toEqual(["cookies", "headers", "html"]);
    expect([statusOf(body, "hsts"), statusOf(body, "imprint"), statusOf(body, "consent-parity")]).toEqual([
      "pass",
      "pass",
      "fail",
    ]);
    expect(statusOf(body, "no-marketing-cookies-before-consent")).toBe("fail");
    const of = (id: string) => body.regulations.find((one: any) => one.regulation.id === id);
    expect(of("eu-crd-11a").regulation).toMatchObject({ applies: "yes", applies_from: "2026-06-19" });
    expect(of("de-ddg-5").controls[0]).toEqual({ id: "imprint", status: "pass" });
    expect(of("us-coppa")).toBeUndefined();
  });

  it("lists regulations by country and sector", async () => {
    const all = (await ask("regulations")).body;
    const { body } = await ask("regulations?country=FR&sector=travel");
    expect(all.count).toBeGreaterThan(body.count);
    expect(body.regulations.every((one: any) => ["EU", "FR"].includes(one.jurisdiction))).toBe(true);
    expect((await ask("regulations?country=Germany")).status).toBe(400);
  });
});
