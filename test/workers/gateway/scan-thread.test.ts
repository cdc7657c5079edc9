import { afterAll, describe, expect, it } from "vitest";
import type { FirewallResult } from "../../../src/detectors/firewall/rules.ts";
import { Pool } from "../../../src/threads/pool.ts";
import { HOSTILE_PAGES } from "../../support/hostile-pages.ts";

const pool = new Pool({
  thread: new URL("../../../workers/gateway/scan-thread.ts", import.meta.url),
  jobTimeoutMs: 20_000,
});
afterAll(() => pool.close());

/** The one that the bench found to need the most (test/bench/gateway.ts). */
const [, makeWorst] = HOSTILE_PAGES.find(([name]) => name === "formatting of which every one is different")!;

describe("a scan thread", () => {
  it("has the memory for a page of 2 MiB, whatever its nodes are", async () => {
    const result = await pool.run<FirewallResult>("firewall", { html: makeWorst() });
    expect(result).toMatchObject({ ok: true, value: { scanned: { complete: false } } });
  }, 20_000);
});
