/** Parts are replaced one by one behind the balancer, or stand still, under load. `npm run faults -- --only rolling` does it to everything. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ensureHaproxy } from "../support/balancer.ts";
import { cleanUp, pause } from "./programs.ts";
import { quantileOf, startLoad } from "./rolling/load.ts";
import { type Parts, startParts, wronglyMade } from "./rolling/parts.ts";

const SITES = 8;
/** Two of the balancer's checks, and room for a busy machine. */
const LAME_DUCK_MS = 3_500;
/** ping_interval and ping_max of the broker, and room for a busy machine. */
const DROPPED_MS = 7_000;

const haproxy = ensureHaproxy();
if ("missing" in haproxy) process.stderr.write(`${haproxy.missing}\n`);

describe.skipIf("missing" in haproxy)("two fronts and two workers behind a real balancer", () => {
  let parts: Parts;
  beforeAll(async () => {
    if ("missing" in haproxy) return;
    const workers = [[], []];
    parts = await startParts({
      natsUrl: inject("natsUrl"),
      haproxy,
      sites: SITES,
      workers,
      lameDuckMs: LAME_DUCK_MS,
    });
  }, 240_000);
  afterAll(async () => {
    await parts?.close();
    await cleanUp();
  }, 60_000);

  const load = (seed: number, writeEvery: number) =>
    startLoad({
      url: parts.balancer.url,
      domains: parts.domains,
      connections: 6,
      writeEvery,
      registerEvery: 50,
      pauseMs: 15,
      seed,
    });

  it("fail no request and do no write twice while each is replaced", async () => {
    const requests = load(7, 10);
    const fronts = async () => {
      await parts.replaceFront(0);
      await parts.replaceFront(1);
    };
    const workers = async () => {
      await parts.replaceWorker(0);
      await parts.replaceWorker(1);
    };
    await Promise.all([fronts(), workers()]);
    await requests.stop();
    const { failed, sent } = requests;
    process.stdout.write(
      `rolling: ${failed.length} of ${sent} failed, p99 ${quantileOf(requests, 0.99)} ms\n`,
    );
    expect(failed).toEqual([]);
    expect(await wronglyMade(parts, requests, "load-7-")).toEqual([]);
    expect(requests.made.length).toBeGreaterThan(20);
  }, 180_000);

  it("fail no read while a worker is stopped dead, and no write once the broker has dropped it", async () => {
    const requests = load(8, 20);
    await pause(500);
    const stoppedAtMs = requests.nowMs();
    parts.workers[0]!.kill("SIGSTOP");
    await pause(DROPPED_MS + 1_000);
    await requests.stop();
    parts.workers[0]!.kill("SIGCONT");
    const { failed, sent } = requests;
    const lastMs = Math.max(0, ...failed.map(({ atMs }) => atMs - stoppedAtMs));
    process.stdout.write(
      `stopped dead: ${failed.length} of ${sent} requests failed, the last was sent ${Math.round(lastMs)} ms after it; p99 ${quantileOf(requests, 0.99)} ms\n`,
    );
    expect(failed.filter(({ writes }) => !writes)).toEqual([]);
    expect(lastMs).toBeLessThan(DROPPED_MS);
  }, 60_000);
});
