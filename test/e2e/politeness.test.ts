import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const HOST_DELAY_MS = 100;
const IP_DELAY_MS = 40;

describe("two registries' crawlers on one web, ten sites an address", () => {
  let first: TestRegistry;
  let second: TestRegistry;
  beforeAll(async () => {
    const config = { BRIDGE_HOST_DELAY_MS: HOST_DELAY_MS, BRIDGE_IP_DELAY_MS: IP_DELAY_MS };
    first = await startRegistry({
      world: {
        sites: 60,
        soundShare: 0.9,
        seed: 11,
        sitesPerIp: 10,
        crawlDelaySeconds: 0.5,
        kinds: { no_txt: 1, unsigned: 1 },
      },
      config,
    });
    second = await startRegistry({ join: first, config, roles: ["crawler"] });
    await first.crawl();
  });
  afterAll(async () => {
    await second?.stop();
    await first?.stop();
  });

  it("both take part, and every site is visited", async () => {
    for (const { roles } of [first, second])
      expect(roles.find(({ role }) => role === "crawler")?.crawler?.visits).toBeGreaterThan(0);
    const expected = first.world.hosts.filter(({ expected }) => expected.status === "enabled").length;
    const { body } = await first.getJson("/api/discovery/registry");
    expect(body.total).toBe(expected);
  });

  it("the sites' own log knows of no request too early, at once or uninvited", async () => {
    const judgement = await first.world.log({ hostDelayMs: HOST_DELAY_MS, ipDelayMs: IP_DELAY_MS });
    expect(judgement).toMatchObject({
      hostGapViolations: 0,
      ipGapViolations: 0,
      overlappingHost: 0,
      overlappingIp: 0,
      robotsViolations: 0,
      crawlDelayViolations: 0,
      dropped: 0,
      worst: [],
    });
    expect(judgement.requests).toBeGreaterThan(200);
    expect(judgement.ips).toBe(6);
  });
});
