/** A registry as `npm start` runs it, over a web that the attacker's sites are part of, on a broker of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { agentWebToday } from "../../src/agent-web/counts.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import { startProgram } from "../bench/processes.ts";
import { freePort } from "../support/ports.ts";

export interface CallerFigures {
  p50Ms: number;
  p99Ms: number;
  failed: number;
  asked: number;
  /** By status, or by how they failed. */
  endings: Record<string, number>;
}

const LOAD = join(import.meta.dirname, "load-main.ts");

/** @param sites of the web, those of the attacker not counted */
export async function startAttacked(sites: number) {
  const home = mkdtempSync(join(tmpdir(), "bridge-attack-"));
  const server = await startBrokerServer({
    binary: await ensureNatsServer(() => undefined),
    folder: join(home, "nats"),
  });
  const world = await forkWorld({ sites, soundShare: 1, seed: 11, crawlDelaySeconds: 0.05 });
  const url = `http://127.0.0.1:${await freePort()}`;
  const [first, ...others] = world.hosts.map(({ host }) => host);
  const program = await startProgram(["up", "--seeds", first!], {
    BRIDGE_HOME: home,
    PORT: new URL(url).port,
    BRIDGE_NATS_URL: server.url,
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
    BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port},${world.network}:${world.httpPort}`,
    BRIDGE_HTTPS_PORT: String(world.port),
    BRIDGE_HOST_DELAY_MS: "20",
    BRIDGE_IP_DELAY_MS: "20",
    NODE_EXTRA_CA_CERTS: world.caFile,
  });
  const runtime = await openRuntime(
    worldConfig(readConfig({ BRIDGE_HOME: home, BRIDGE_NATS_SETUP: "true" }), world),
    server.url,
  );
  return {
    url,
    world,
    hosts: others,
    /** Puts hosts into the frontier; known ones are due at once. */
    seed: (hosts: readonly string[]) => addSeeds(runtime, hosts, undefined, true),
    /** How many of the web's own sites were visited at or after a time, milliseconds since 1970. */
    visitedSince: async (ms: number): Promise<number> => {
      const records = await Promise.all(others.map((host) => runtime.sites.get(hostKey(host))));
      return records.filter((record) => record && Date.parse(record.value.last_visit_at) >= ms).length;
    },
    /** Looks at hosts of the agent web today, and endpoints that were spoken to. */
    lookedAt: async (): Promise<{ looks: number; probes: number }> => {
      const { looks, probes } = await agentWebToday(runtime.broker.counters, runtime.broker.now());
      return { looks, probes: probes.reduce((sum, { endpoints }) => sum + endpoints, 0) };
    },
    alive: (): boolean => program.isRunning,
    /** Pings and searches from a process of its own. @param begun called when the first that counts is asked for */
    callers: async (rate: number, seconds: number, begun: () => void = () => {}): Promise<CallerFigures> => {
      const load = spawn(process.execPath, [LOAD, url, String(rate), String(seconds)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      load.stdout.once("data", begun);
      return JSON.parse(await text(load.stdout)) as CallerFigures;
    },
    stop: async (): Promise<void> => {
      await runtime.close();
      // One that hangs hears nothing else.
      const kill = setTimeout(() => program.kill("SIGKILL"), 10_000);
      if (program.isRunning) await program.stop();
      clearTimeout(kill);
      await world.stop();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
export type Attacked = Awaited<ReturnType<typeof startAttacked>>;
