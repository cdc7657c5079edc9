import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModule } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 2 }, roles: ["gateway"] });
  key = await givenKey(registry, "FREE");
});
afterAll(() => registry?.stop());

const ask = (path: string, body?: unknown) => askModule(registry, "dark-pattern", key, path, body);

describe("the Dark Pattern Detector", () => {
  it("describes seventeen patterns, each with its laws", async () => {
    const { status, body } = await ask("patterns");
    expect(status).toBe(200);
    expect(body.count).toBe(17);
    expect(body.patterns.length).toBe(17);
    expect(body.patterns.every(({ laws }: { laws: unknown[] }) => laws.length > 0)).toBe(true);
  });

  it("audits a page: findings, score, grade, obligations of the jurisdictions asked for", async () => {
    const html =
      "<p>Hurry! Offer ends in <b>09:59</b></p><script>const end = Date.now() + 600000; setInterval(f, 1000)</script>";
    const { body } = await ask("audit", { html, jurisdictions: ["EU"] });
    expect(body.findings[0]).toMatchObject({ category: "fake-urgency", severity: "high" });
    expect(body.score).toBeLessThan(100);
    expect(body.obligations[0]).toMatchObject({ jurisdiction: "EU", patterns: ["fake-urgency"] });
  });

  it("tells a timer that starts anew by two snapshots, and says when there was only one", async () => {
    const html = "<p>Sale ends in 09:59</p>";
    const once = await ask("scan", { html });
    expect(once.body.patterns[0]).toMatchObject({ pattern: "fake-urgency", verdict: "present" });
    expect(once.body.not_observed).toContainEqual({ what: "later", reason: "not sent" });
    const twice = await ask("scan", { html, later: { html, seconds: 60 } });
    expect(twice.body.patterns[0]).toMatchObject({ verdict: "likely_deceptive" });
  });

  it("fetches a page, and passes nothing of one that it could not fetch", async () => {
    const { host } = registry.world.hosts[0]!;
    const home = `https://${host}:${registry.config.BRIDGE_HTTPS_PORT}/`;
    const fetched = await ask("audit", { url: home });
    expect(fetched.body.patterns[0]).toMatchObject({ pattern: "fake-urgency", verdict: "not_found" });
    expect(fetched.body.patterns[3]).toMatchObject({ verdict: "not_determinable" });
    expect(fetched.body.grade_reason).toMatch(/^Only [1-7] of 17/);
    const missing = await ask("audit", { url: "https://nobody.nowhere.test/" });
    expect(missing.body).toMatchObject({ score: null, grade: null, obligations: [] });
    expect(missing.body.patterns.every(({ verdict }: any) => verdict === "not_determinable")).toBe(true);
    const error = await ask("audit", { url: `${home}there/is/no/such/page` });
    expect(error.body).toMatchObject({ score: null, grade: null });
    expect(error.body.grade_reason).toContain("Only 0 of 17");
  });
});
