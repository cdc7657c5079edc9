import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showProgress } from "../../../app/cli/progress.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 3 } });
});
afterAll(() => registry?.stop());

describe("the progress of a crawl", () => {
  it("counts the hosts that there are: none that was visited and forgotten, and none twice", async () => {
    const { runtime, roles } = registry;
    const discoveredAt = runtime.broker.now();
    for (let i = 0; i < 5; i++)
      await runtime.frontier.add(`invented-${i}.test`, discoveredAt, {
        source: "report",
        discoveredAt,
        visited: false,
      });
    await registry.crawl();
    const progress = showProgress(runtime, roles.find(({ role }) => role === "crawler")!);
    const now = await progress.snapshot();
    progress.stop();
    expect(now).toMatchObject({ known: 3, visited: 3, listed: 3, visits: 8, waiting: 0 });
  });
});
