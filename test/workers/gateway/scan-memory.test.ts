import { afterAll, describe, expect, it } from "vitest";
import type * as rules from "../../../src/detectors/firewall/rules.ts";
import { ThreadPool } from "../../../src/threads/pool.ts";
import { tasksOf } from "../../../src/threads/task.ts";
import { HOSTILE_PAGES } from "../../support/hostile-pages.ts";

const RULES = new URL("../../../src/detectors/firewall/rules.ts", import.meta.url);
const SCAN = tasksOf<typeof rules>(RULES)("scanFirewall");
const pool = new ThreadPool({ jobTimeoutMs: 20_000 });
afterAll(() => pool.close());

/** The one that the bench found to need the most (test/bench/gateway.ts). */
const [, makeWorst] = HOSTILE_PAGES.find(([name]) => name === "formatting of which every one is different")!;

describe("a scan thread", () => {
  it("has the memory for a page of 2 MiB, whatever its nodes are", async () => {
    const result = await pool.run(SCAN, { html: makeWorst(), url: undefined, text: undefined });
    expect(result).toMatchObject({ ok: true, value: { scanned: { complete: false } } });
  }, 20_000);
});
