import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exactForm } from "../../src/domain/search/text-analysis.ts";
import { dataFile } from "../support/data.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const corpus = dataFile("services/mcp-registry-2025-05.jsonl");

interface Service {
  name: string;
  host: string;
  description: string;
}

/** From so many services on that say a name's words it describes them, and names none: "mcp" is said by 435 of 464. */
const DESCRIBED_BY = 30;

describe.skipIf(!corpus)("the 464 services of a public registry, served as a web", () => {
  let registry: TestRegistry;
  let services: Service[];
  beforeAll(async () => {
    services = readFileSync(corpus!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Service);
    registry = await startRegistry({
      threads: true,
      world: { corpus: corpus! },
      config: { pagesPerVisit: 1 },
    });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  it("are all verified and listed", async () => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    expect(body.total).toBe(services.length);
  });

  it("are found by name: first, or in the first ten where several share it, unless many say its words", async () => {
    const sharing = Map.groupBy(services, ({ name }) => exactForm(name));
    const said = services.map(({ name, description }) => ` ${exactForm(`${name} ${description}`)} `);
    const describes = (name: string) =>
      said.filter((words) => words.includes(` ${exactForm(name)} `)).length >= DESCRIBED_BY;
    const named = services.filter(({ name }) => !describes(name));
    expect(named.length).toBeGreaterThan(450);
    const lost: string[] = [];
    for (const { name, host } of named) {
      const { body } = await registry.getJson(`/api/bridge/search?q=${encodeURIComponent(name)}`);
      const rank = body.results.findIndex(({ siteId }: { siteId: string }) => siteId === host);
      const shared = sharing.get(exactForm(name))!.length > 1;
      if (rank < 0 || rank >= (shared ? 10 : 1)) lost.push(`${name} (${host}): ${rank}`);
    }
    expect(lost).toEqual([]);
    // 464 searches, one after the other: seconds, but not on a machine that is busy otherwise.
  }, 60_000);
});
