import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SiteVerdict } from "../../../schemas/verdict.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

/** One of each kind of site (world/agent-web/sites.ts). */
const AGENT_SITES = 22;

describe("a host that knows nothing of Bridge", () => {
  let registry: TestRegistry;
  const verdicts = new Map<string, SiteVerdict>();

  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: AGENT_SITES, soundShare: 1, agentSites: AGENT_SITES, seed: 5 },
    });
    await registry.crawl();
    for (const { host } of registry.world.hosts)
      verdicts.set(host, (await registry.getJson(`/api/registry/sites/${host}`)).body);
  }, 180_000);
  afterAll(() => registry?.stop());

  const agents = () => registry.world.hosts.filter(({ agent }) => agent !== null);

  it("is found where agents can use something of it, and nowhere else", () => {
    const said = agents().map(({ host }) => [host, verdicts.get(host)?.state === "found"]);
    expect(said).toEqual(agents().map(({ host, agent }) => [host, agent?.found]));
  });

  it("has the level and the class of what answered there", () => {
    for (const { host, agent } of agents()) {
      const verdict = verdicts.get(host)!;
      const [service] = verdict.services.filter(({ protocol }) => protocol === "mcp");
      expect([host, verdict.level, service?.observation?.class ?? null]).toEqual([
        host,
        agent?.level,
        agent?.observed,
      ]);
    }
  });

  it("is told to its owner: what was found, and how to claim it", () => {
    const found = agents().find(({ agent }) => agent?.found)!;
    expect(verdicts.get(found.host)).toMatchObject({
      state: "found",
      listed: false,
      reason: "not_claimed",
      headline: "Found, and claimed by nobody.",
      fixes: [{ code: "claim_site", gains: "listed" }],
    });
  });

  it("is told what is wrong with what it publishes, although nothing of it can be used", async () => {
    const [host, verdict] = [...verdicts].find(([, { descriptors }]) =>
      descriptors.some(({ findings }) => findings.some(({ rule }) => rule === "no_endpoint")),
    )!;
    expect(verdict).toMatchObject({ state: "disabled", listed: false, reason: "no_txt", level: null });
    const { body } = await registry.getJson(`/api/registry/sites/${host}/ready`);
    expect(body).toMatchObject({
      readiness: "broken",
      headline: expect.stringMatching(/1 thing that it publishes is broken/),
    });
  });

  it("is disabled to a DNS provider, since nobody claimed it", async () => {
    const found = agents().find(({ agent }) => agent?.found)!;
    const { body } = await registry.getJson(`/api/discovery/provider/status?domain=${found.host}`);
    expect(body).toMatchObject({ state: "disabled", verdict: { state: "found", reason: "not_claimed" } });
  });

  it("is not in the directory, and takes no place in the record of sites", async () => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    const listed = new Set(body.listings.map(({ domain }: { domain: string }) => domain));
    for (const { host } of agents()) expect(listed.has(host)).toBe(false);
  });

  it("is counted in the status, with the classes of what was spoken to", async () => {
    const { body } = await registry.getJson("/api/registry/status");
    expect(body.agent_web.looks).toBeGreaterThanOrEqual(AGENT_SITES - 1);
    expect(body.agent_web.found).toBeGreaterThanOrEqual(agents().filter(({ agent }) => agent?.found).length);
    expect(body.agent_web.probes.map((each: { class: string }) => each.class)).toContain("open");
  });

  it("is held against what is known of it, and the status says that no look erred", async () => {
    const { body } = await registry.getJson("/api/registry/status");
    const control = body.agent_web.control as { group: string; looks: number; wrong: number }[];
    for (const group of ["alive", "soft_404", "broken"]) {
      const { looks, wrong } = control.find((each) => each.group === group) ?? {};
      expect([group, looks, wrong]).toEqual([
        group,
        agents().filter(({ agent }) => agent?.control === group).length,
        0,
      ]);
    }
    const said = await (await fetch(`${registry.url}/status`, { headers: { accept: "text/html" } })).text();
    expect(said).toContain("How often looks err");
  });

  it("has a page that says what was found, what is wrong with it, and how to call it", async () => {
    const page = async (path: string) =>
      (await fetch(registry.url + path, { headers: { accept: "text/html" } })).text();
    const open = agents().find(({ host }) =>
      verdicts.get(host)!.services.some(({ observation }) => observation?.class === "open"),
    )!;
    const said = await page(`/sites/${open.host}`);
    expect(said).toContain("What agents can call here");
    expect(said).toContain("answers as it says");
    expect(said).toContain(verdicts.get(open.host)!.services[0]!.tools[0]!.name);
    expect(Buffer.byteLength(said)).toBeLessThan(60_000);
    const faulty = agents().find(({ host }) =>
      verdicts.get(host)!.descriptors.some(({ findings }) => findings.length > 0),
    )!;
    const { fix } = verdicts.get(faulty.host)!.descriptors.flatMap(({ findings }) => findings)[0]!;
    expect(await page(`/sites/${faulty.host}`)).toContain(fix.slice(0, 20).replace(/[<>&"'].*/s, ""));
    expect(await page("/status")).toContain("The agent web today");
    expect(await page(`/owners/${open.host}`)).toContain("Found here already");
  });

  it("says which catalog named a document", async () => {
    const { host } = await registry.world.add("agent");
    const catalog = `https://${host}:${registry.world.port}/.well-known/api-catalog`;
    const interfaces = new URL("/v2/openapi.json", catalog).href;
    const linkset = [{ anchor: catalog, "service-desc": [{ href: interfaces, type: "application/json" }] }];
    const openapi = { openapi: "3.1.0", info: { title: "Rates", version: "1" }, paths: {} };
    await registry.world.set(host, {
      answers: {
        "/.well-known/api-catalog": { body: JSON.stringify({ linkset }) },
        "/v2/openapi.json": { body: JSON.stringify(openapi) },
      },
    });
    await registry.crawl([host]);
    const { body } = await registry.getJson(`/api/registry/sites/${host}`);
    expect(body.descriptors).toContainEqual(
      expect.objectContaining({ url: interfaces, found_by: "catalog", named_by: catalog }),
    );
  });

  it("is asked one request after the other, and nothing that robots.txt closes", async () => {
    const report = await registry.world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect(report).toMatchObject({ robotsViolations: 0, overlappingHost: 0, crawlDelayViolations: 0 });
  });
});
