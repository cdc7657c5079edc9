import { afterAll, describe, expect, inject, it } from "vitest";
import { clean, judgeRequests, listedDomains, untilClean } from "./account.ts";
import { constants } from "./change-constants.ts";
import { startJoined } from "./joined.ts";
import { cleanUp, pause, until } from "./programs.ts";

const SITES = 120;
const LEASE_MS = 4_000;
const DELAY_MS = 50;
/** None that answers for long: the request that a stopped process has under way ends for the site when it wakes up. */
const KINDS = { unsigned: 1, no_txt: 1, no_document: 1, forged: 1, robots_disallow_all: 1, flaky_5xx: 1 };
/** Clocks and queues between both ends. */
const TOLERANCE_MS = 5;

afterAll(cleanUp);

describe("a registry in several processes", () => {
  it("does not change by a worker that is killed, one that is stopped past its lease, and one that joins", async () => {
    const joined = await startJoined(
      inject("natsUrl"),
      { sites: SITES, seed: 5, kinds: KINDS, crawlDelaySeconds: 0.2 },
      {
        ...constants({ leaseMs: LEASE_MS }),
        BRIDGE_HOST_DELAY_MS: String(DELAY_MS),
        BRIDGE_IP_DELAY_MS: String(DELAY_MS),
        BRIDGE_CRAWL_CONCURRENCY: "12",
      },
    );
    const { url, world, inspector } = joined;
    const listed = (share: number) =>
      until(
        `${share * SITES} listed sites`,
        async () => ((await listedDomains(url))?.length ?? 0) > share * SITES,
      );
    const [front, killed, stopped, third] = await Promise.all([
      joined.front(),
      joined.worker(),
      joined.worker("crawler"),
      joined.worker(),
    ]);
    await joined.seed();
    await listed(0.1);
    stopped.kill("SIGSTOP");
    const stoppedAtMs = performance.now();
    await listed(0.3);
    killed.kill("SIGKILL");
    const added = await joined.worker("crawler", "indexer");
    // Just past the lease: its hosts are being visited by others when it wakes up.
    await pause(LEASE_MS + 300 - (performance.now() - stoppedAtMs));
    stopped.kill("SIGCONT");

    const oracle = world.hosts.map((site) => ({ ...site, steady: site.steady && site.kind !== "slow" }));
    const account = await untilClean(inspector, url, oracle);
    expect(account).toEqual(clean(account));
    const judgement = await judgeRequests(world, {
      hostDelayMs: DELAY_MS,
      ipDelayMs: DELAY_MS,
      toleranceMs: TOLERANCE_MS,
    });
    expect(judgement).toMatchObject({
      overlappingHost: 0,
      overlappingIp: 0,
      hostGapViolations: 0,
      ipGapViolations: 0,
      robotsViolations: 0,
      worst: [],
    });

    const programs = [stopped, third, added, front];
    for (const program of programs) program.kill("SIGTERM");
    for (const program of programs)
      expect(await program.ended, program.output).toEqual({ code: 0, signal: null });
    await joined.close();
  }, 120_000);
});
