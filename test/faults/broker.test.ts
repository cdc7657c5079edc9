import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { streamConfigs } from "../../src/adapters/nats/topology.ts";
import { freePort } from "../support/ports.ts";
import { clean, inspectHome, listedDomains, oracleOf, untilClean } from "./account.ts";
import { constants } from "./change-constants.ts";
import { brokersOf, cleanUp, newHome, processesOf, runBridge, until } from "./programs.ts";

const SITES = 60;
const LEASE_MS = 4_000;
/** Longer than this is a hang: a front without its broker knows that at once. */
const PROMPT_MS = 3_000;

afterAll(cleanUp);

/** Words that nobody has asked for: an earlier reply would answer others while the broker is away. */
async function search(url: string) {
  const startedMs = performance.now();
  const reply = await fetch(`${url}/api/bridge/search?q=${randomUUID()}`, {
    signal: AbortSignal.timeout(PROMPT_MS),
  });
  return { reply, tookMs: performance.now() - startedMs };
}

describe("a nats-server that is killed under a running registry", () => {
  it("is started again on its port, and the crawl ends with the same registry", async () => {
    const oracle = await oracleOf({ sites: SITES });
    const home = newHome();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { BRIDGE_HOME: home, PORT: String(port), ...constants({ leaseMs: LEASE_MS }) };
    const program = runBridge(["up", "--sites", String(SITES)], environment);
    // A start waits for it.
    await until("the front", () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    process.kill(brokersOf(home)[0]!, "SIGKILL");
    await program.says(/^ready /m);
    for (const share of [0.25, 0.5]) {
      await until(
        `${share * SITES} listed sites; it printed:\n${program.output}`,
        async () => ((await listedDomains(url))?.length ?? -1) >= share * SITES,
      );
      const [pid] = brokersOf(home);
      process.kill(pid!, "SIGKILL");
      const statuses = new Set<number>();
      // One that asks on the way waits for a broker that is back at once, or is told of its absence.
      await until("the broker to be another one", async () => {
        statuses.add((await search(url)).reply.status);
        const [now] = brokersOf(home);
        return now !== undefined && now !== pid;
      });
      await until("an answer again", async () => {
        const { status } = (await search(url)).reply;
        statuses.add(status);
        return status === 200;
      });
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(brokersOf(home)).toHaveLength(1);
      expect(brokersOf(home)).not.toContain(pid);
    }
    expect(program.output).toMatch(/nats-server ended \(SIGKILL\); starting it again/);
    const inspector = await inspectHome(home, { leaseMs: LEASE_MS });
    const account = await untilClean(inspector, url, oracle);
    expect(account).toEqual(clean(account));

    // What follows the broker all the time, and not only when asked, follows it again.
    const { broker } = inspector;
    await until("gossip to read what beacons name", async () => {
      const info = await broker.jsm.consumers.info(streamConfigs(broker.prefix).discovered.name, "gossip");
      return info.num_pending + info.num_ack_pending === 0;
    });
    const [blocked] = account.sites > 0 ? oracle.filter(({ expected }) => expected.status === "enabled") : [];
    const block = ["call", "blockSite", "--domain", blocked!.host, "--why", "a fault's test"];
    const command = runBridge(block, environment);
    expect((await command.ended).code).toBe(0);
    await until(
      "a blocked site to leave the directory",
      async () => (await listedDomains(url))?.includes(blocked!.host) === false,
    );
    expect(await inspector.frontier.has(blocked!.host)).toBe(false);
    await inspector.close();
    program.kill("SIGTERM");
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(processesOf(home)).toEqual([]);
  }, 120_000);

  it("does not keep the program from ending while it cannot be started again", async () => {
    const home = newHome();
    const port = await freePort();
    const program = runBridge(["up", "--sites", "20"], { BRIDGE_HOME: home, PORT: String(port) });
    await program.says(/^ready /m);
    const { broker, close } = await inspectHome(home, { leaseMs: 20_000 });
    const natsPort = broker.connection.getServer().split(":").at(-1)!;
    await close();
    const { createServer } = await import("node:net");
    const squatter = createServer();
    // Whoever is first has the port: the broker is killed until it was not.
    await until("the broker's port", async () => {
      for (const pid of brokersOf(home)) process.kill(pid, "SIGKILL");
      return new Promise((resolve) => {
        squatter.once("error", () => resolve(false));
        squatter.listen(Number(natsPort), "127.0.0.1", () => resolve(true));
      });
    });
    await program.says(/nats-server ended|nats-server did not start/);
    const url = `http://127.0.0.1:${port}`;
    await until("503 without a broker", async () => (await search(url)).reply.status === 503);
    const { headers } = (await search(url)).reply;
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    program.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
    squatter.close();
    expect(processesOf(home)).toEqual([]);
  }, 60_000);
});
