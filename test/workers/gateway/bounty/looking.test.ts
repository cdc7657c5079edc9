import { afterAll, describe, expect, it } from "vitest";
import { Pool } from "../../../../src/threads/pool.ts";
import { threadTasks } from "../../../../src/threads/thread-tasks.ts";
import { look } from "../../../../workers/gateway/bounty/looking.ts";
import { triage } from "../../../../workers/gateway/bounty/rules.ts";
import type { FetchPage } from "../../../../workers/gateway/common/page-input.ts";

const thread = new URL("../hanging-scan-thread.ts", import.meta.url);
const pool = new Pool({ thread, threads: 1, jobTimeoutMs: 500 });
afterAll(() => pool.close());

describe("a reported page on which our scan does not end", () => {
  it("counts neither for the report nor against its reporter", async () => {
    const url = new URL("https://shop.example/");
    const fetched: FetchPage = async () => ({
      ok: true,
      url,
      status: 200,
      headers: { "content-type": "text/html" },
      body: Buffer.from("<p>Welcome"),
      truncated: false,
    });
    const scans = threadTasks(pool, { threads: 1, waiting: { total: { atOnce: 4 } } });
    const caller = { clientAddress: "192.0.2.1", timeoutMs: 10_000, principal: undefined };
    const looked = await look(
      { url, kind: "prompt_injection", html: undefined, caller },
      fetched,
      scans,
      0,
      1_000,
    );
    expect(looked).toMatchObject({ corroboration: [], failure: expect.stringMatching(/no time/) });
    expect(triage("prompt_injection", "hidden orders to agents", looked).state).toBe("needs_more_info");
  });
});
