import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SiteSpec } from "../../world/world.ts";
import { freePort } from "../support/ports.ts";
import { clean, inspectHome, listedDomains, oracleOf, untilClean } from "./account.ts";
import { constants } from "./change-constants.ts";
import { brokersOf, cleanUp, newHome, processesOf, runBridge, until } from "./programs.ts";

const SITES = 60;
const LEASE_MS = 4_000;

afterAll(cleanUp);

async function newRegistry() {
  const home = newHome();
  const port = await freePort();
  const environment = { BRIDGE_HOME: home, PORT: String(port), ...constants({ leaseMs: LEASE_MS }) };
  return {
    home,
    url: `http://127.0.0.1:${port}`,
    up: () => runBridge(["up", "--sites", String(SITES)], environment),
    environment,
  };
}

const listedAtLeast = (url: string, count: number) =>
  until(`${count} listed sites`, async () => ((await listedDomains(url))?.length ?? 0) >= count);

describe.concurrent("bridge up", () => {
  it("ends with the same registry, however often it is killed in a crawl", async () => {
    const oracle: SiteSpec[] = await oracleOf({ sites: SITES });
    const { home, url, up } = await newRegistry();
    const moments = [
      () => until("the broker", () => existsSync(join(home, "nats", "nats.pid"))),
      () => listedAtLeast(url, 1),
      () => listedAtLeast(url, SITES / 4),
    ];
    for (const moment of moments) {
      const program = up();
      await moment();
      program.kill("SIGKILL");
      await program.ended;
      expect(brokersOf(home).length).toBeLessThanOrEqual(1);
    }
    const orphans = brokersOf(home);
    expect(orphans).toHaveLength(1);
    const last = up();
    await last.says(/^ready /m);
    const [broker, ...others] = brokersOf(home);
    expect(others).toEqual([]);
    expect(orphans).not.toContain(broker);
    const inspector = await inspectHome(home, { leaseMs: LEASE_MS });
    const account = await untilClean(inspector, url, oracle);
    await inspector.close();
    expect(account).toEqual(clean(account));
    last.kill("SIGTERM");
    expect(await last.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(home)).toEqual([]);
  }, 90_000);

  it("is refused on a home that is in use, with a sentence and exit code 3", async () => {
    const { home, up, environment } = await newRegistry();
    const first = up();
    await until("the broker", () => brokersOf(home).length === 1);
    const second = runBridge(["up", "--sites", "5"], { ...environment, PORT: String(await freePort()) });
    expect(await second.ended).toEqual({ code: 3, signal: null });
    expect(second.output).toMatch(/Another bridge runs on .*Stop it, or set BRIDGE_HOME/);
    await first.says(/^ready /m);
    expect(brokersOf(home)).toHaveLength(1);
    first.kill("SIGINT");
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(home)).toEqual([]);
  }, 60_000);

  it("ends cleanly when it is asked to in the middle of its start", async () => {
    for (const [signal, moment] of [
      ["SIGTERM", (home: string) => brokersOf(home).length === 1],
      ["SIGINT", (home: string) => processesOf(home).length === 2],
    ] as const) {
      const { home, up } = await newRegistry();
      const program = up();
      await until("that moment of the start", () => moment(home));
      program.kill(signal);
      expect(await program.ended, program.output).toEqual({ code: 0, signal: null });
      expect(processesOf(home)).toEqual([]);
    }
  }, 60_000);

  it("ends at once when it is asked twice, and leaves no broker", async () => {
    const { home, up } = await newRegistry();
    const program = up();
    await until("a broker and a web", () => processesOf(home).length === 2);
    await program.says(/known/);
    // Two of a kind may arrive as one.
    program.kill("SIGINT");
    program.kill("SIGTERM");
    expect((await program.ended).code).toBe(130);
    await until("the processes of the home to end", () => processesOf(home).length === 0, 5_000);
  }, 60_000);
});
