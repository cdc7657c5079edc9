/** A crawl with a delay, judged by the sites' own log: gaps broken, visits that overlap, robots.txt disobeyed. */
import { forkWorld } from "../../world/control.ts";
import type { BenchLine } from "./bench-line.ts";
import { crawlOnce } from "./crawl.ts";

const HOST_DELAY_MS = 200;
const IP_DELAY_MS = 50;
/** Neighbours that share an address, so that its gap has something to do. */
const SITES_PER_IP = 4;
const CONCURRENCY = 256;

export const bench = async (hosts = 10_000): Promise<BenchLine[]> => {
  const world = await forkWorld({ sites: hosts, soundShare: 0.9, seed: 17, sitesPerIp: SITES_PER_IP });
  const delays = { BRIDGE_HOST_DELAY_MS: HOST_DELAY_MS, BRIDGE_IP_DELAY_MS: IP_DELAY_MS };
  const perSecond = await crawlOnce(world, CONCURRENCY, { ...delays, BRIDGE_PAGES_PER_VISIT: 3 });
  const seen = await world.log({ hostDelayMs: HOST_DELAY_MS, ipDelayMs: IP_DELAY_MS });
  await world.stop();
  // What was broken, if anything was, for whoever looks for the reason.
  for (const one of seen.worst) process.stderr.write(`${JSON.stringify(one)}\n`);
  const conditions = `${hosts} hosts, ${SITES_PER_IP} an address, ${seen.requests} requests in the log, ${HOST_DELAY_MS} ms a host, ${IP_DELAY_MS} ms an address, ${Math.round(perSecond)} visits/s`;
  const line = (name: string, value: number): BenchLine => ({
    name: `politeness ${name}`,
    value,
    unit: "violations",
    baseline: null,
    ratio: null,
    conditions,
  });
  return [
    line("host gaps", seen.hostGapViolations),
    line("address gaps", seen.ipGapViolations),
    line("overlaps at a host", seen.overlappingHost),
    line("overlaps at an address", seen.overlappingIp),
    line("robots.txt", seen.robotsViolations + seen.crawlDelayViolations),
    line("log entries lost", seen.dropped),
  ];
};
