import { beforeEach, describe, expect, it } from "vitest";
import { faultsOf, runAttack } from "../attack/attack.ts";
import { untilQuiet } from "./quiet.ts";

describe("a registry under attack", () => {
  // Of the run before, processes may still be ending.
  beforeEach(untilQuiet);

  it("answers others, lives and goes on crawling while hostile pages, fields and records come", async () => {
    const result = await runAttack({ seconds: 4, rounds: 3, rate: 200, agentWeb: false });
    expect(faultsOf(result), JSON.stringify(result)).toEqual([]);
    expect(result.answered).toBeGreaterThan(0);
  }, 90_000);
});
