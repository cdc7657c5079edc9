/** From `npm start` (set-up done) to ready, fresh and again, and the memory of all our processes with many hosts known. */
import PQueue from "p-queue";
import { readBrokerUrl } from "../../app/processes/home.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import { residentMb, startProgram, temporaryHome } from "./processes.ts";

const FAR_MS = 30 * 86_400_000;

/** Gives a running registry this many more hosts, due in a month: known, not visited. */
async function addHosts(home: string, hosts: number): Promise<void> {
  const runtime = await openRuntime(readConfig({ BRIDGE_HOME: home }), readBrokerUrl(home)!);
  const queue = new PQueue({ concurrency: 500 });
  const at = runtime.broker.now() + FAR_MS;
  for (let i = 0; i < hosts; i++) {
    await queue.onSizeLessThan(2_000);
    void queue.add(() =>
      runtime.frontier.add(`far-${i}.example`, at, { source: "seed", discoveredAt: at, visited: false }),
    );
  }
  await queue.onIdle();
  await runtime.close();
}

export async function bench(hosts = 100_000): Promise<BenchLine[]> {
  const { home, remove } = temporaryHome();
  const environment = { BRIDGE_HOME: home, PORT: String(await freePort()) };
  const first = await startProgram(["up"], environment);
  await addHosts(home, hosts);
  await first.stop();
  const second = await startProgram(["up"], environment);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const rss = residentMb(second.pid);
  await second.stop();
  remove();
  const line = (
    name: string,
    value: number,
    unit: string,
    baseline: number,
    conditions: string,
  ): BenchLine => ({
    name,
    value,
    unit,
    baseline,
    ratio: Number((value / baseline).toFixed(2)),
    conditions,
  });
  return [
    line(
      "start fresh",
      Math.round(first.readyMs),
      "ms",
      3_000,
      "empty home, 500 synthetic sites; ratio to the 3 s allowed",
    ),
    line(
      "start again",
      Math.round(second.readyMs),
      "ms",
      3_000,
      `${hosts} hosts known; ratio to the 3 s allowed`,
    ),
    line(
      "memory",
      rss,
      "MB",
      512,
      `all processes of the registry, ${hosts} hosts known; ratio to the 512 MB allowed`,
    ),
  ];
}
