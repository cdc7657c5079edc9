/** The API held to its own description by schemathesis: a sample in `npm test`, all of it by `npm run faults -- fuzz api`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { credentialsFor } from "./api/credentials.ts";
import { readOptions } from "./api/options.ts";
import { hasPython, runSchemathesis } from "./api/run.ts";

const { seed, examples, phases, operations, timeoutMs, loud } = readOptions();

describe.skipIf(!hasPython())("the API as /openapi.json describes it", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({
      threads: true,
      world: { sites: 8, soundShare: 1, seed: 5 },
      config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"] },
    });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  it(
    "holds for generated requests, good and bad",
    async () => {
      const { code, output } = await runSchemathesis({
        url: registry.url,
        credentials: await credentialsFor(registry),
        seed,
        examples,
        phases,
        ...(operations && { operations }),
        ...(loud && { say: (text: string) => void process.stdout.write(text) }),
      });
      expect(code, loud ? "see above" : output).toBe(0);
    },
    timeoutMs,
  );
});
