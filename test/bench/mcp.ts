/** Tool calls of /mcp against the REST calls that they make: their time, and the front's memory with a thousand at once. */
import { Agent, request } from "undici";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import { headersOf, modernMessage } from "../support/mcp.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import { residentMb, startProgram, temporaryHome } from "./processes.ts";

const SITES = 50;
const ROUNDS = 600;
const AT_ONCE = 1_000;
const BURSTS = 3;
/** Bursts of REST calls before: the front's heap grows with the first ones, whatever they ask. */
const MOST_WARMING = 40;

/** A tool's call and the REST call that it makes. */
interface Pair {
  name: string;
  tool: Record<string, unknown>;
  path: string;
}

const post = async (dispatcher: Agent, url: string, message: ReturnType<typeof modernMessage>) => {
  const { statusCode, body } = await request(`${url}/mcp`, {
    dispatcher,
    method: "POST",
    headers: headersOf(message),
    body: JSON.stringify(message),
  });
  const text = await body.text();
  if (statusCode !== 200 || text.includes('"isError":true')) throw new Error(`${statusCode}: ${text}`);
};
const get = async (dispatcher: Agent, url: string, path: string) => {
  const { statusCode, body } = await request(url + path, { dispatcher });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
};

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Both in turn, so that what else the machine does meets both alike. */
const timesOf = async (url: string, { name, tool, path }: Pair) => {
  const dispatcher = new Agent({ connections: 1 });
  const message = modernMessage("tools/call", { name, arguments: tool });
  const times = { tool: [] as number[], rest: [] as number[] };
  for (let i = 0; i < ROUNDS * 1.5; i++) {
    const began = performance.now();
    await get(dispatcher, url, path);
    const between = performance.now();
    await post(dispatcher, url, message);
    const ended = performance.now();
    // The first third warms both up.
    if (i < ROUNDS / 2) continue;
    times.rest.push(between - began);
    times.tool.push(ended - between);
  }
  await dispatcher.close();
  return { tool: median(times.tool), rest: median(times.rest) };
};

/** The most memory of a process while `call` runs a thousand times at once. */
const peakOf = async (pid: number, call: (dispatcher: Agent) => Promise<void>): Promise<number> => {
  const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 });
  let peak = residentMb(pid);
  const look = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, 50);
  for (let burst = 0; burst < BURSTS; burst++)
    await Promise.all(Array.from({ length: AT_ONCE }, () => call(dispatcher)));
  clearInterval(look);
  await dispatcher.close();
  return peak;
};

/** A front's memory under such bursts, once they add nothing. */
const settledAt = async (pid: number, call: (dispatcher: Agent) => Promise<void>): Promise<number> => {
  let peak = 0;
  for (let burst = 0, calm = 0; burst < MOST_WARMING && calm < 3; burst += BURSTS) {
    const now = await peakOf(pid, call);
    calm = now > peak + 2 ? 0 : calm + 1;
    peak = Math.max(peak, now);
  }
  return peak;
};

const linesOf = async (url: string, pid: number, host: string): Promise<BenchLine[]> => {
  const pairs: Pair[] = [
    {
      name: "search_sites",
      tool: { query: "small-group city tours" },
      path: "/api/discovery/search?q=small-group+city+tours&limit=10&explain=true",
    },
    { name: "site_verdict", tool: { domain: host }, path: `/api/registry/sites/${host}` },
  ];
  const lines: BenchLine[] = [];
  for (const pair of pairs) {
    const { tool, rest } = await timesOf(url, pair);
    lines.push({
      name: `mcp ${pair.name}`,
      value: Number(tool.toFixed(2)),
      unit: "ms",
      baseline: Number(rest.toFixed(2)),
      ratio: Number((tool / rest).toFixed(2)),
      conditions: `median of ${ROUNDS} calls in turn with the REST call that the tool makes, over one connection`,
    });
  }
  const message = modernMessage("tools/call", { name: "site_verdict", arguments: { domain: host } });
  const rest = await settledAt(pid, (dispatcher) => get(dispatcher, url, `/api/registry/sites/${host}`));
  const tools = await peakOf(pid, (dispatcher) => post(dispatcher, url, message));
  lines.push({
    name: "mcp memory",
    value: tools - rest,
    unit: "MB",
    baseline: 50,
    ratio: Number(((tools - rest) / 50).toFixed(2)),
    conditions: `what ${AT_ONCE} tool calls at once, ${BURSTS} times, add to the front's ${rest} MB at as many REST calls, repeated until they added nothing; ratio to the 50 MB allowed`,
  });
  return lines;
};

export const bench = async (): Promise<BenchLine[]> => {
  const { home, remove } = temporaryHome();
  const server = await startBrokerServer({
    binary: await ensureNatsServer(() => undefined),
    folder: `${home}/nats`,
  });
  const world = await forkWorld({ sites: SITES, soundShare: 1, seed: 5 });
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment = {
    BRIDGE_HOME: home,
    PORT: new URL(url).port,
    BRIDGE_NATS_URL: server.url,
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
    BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port}`,
    BRIDGE_HTTPS_PORT: String(world.port),
    BRIDGE_HOST_DELAY_MS: "0",
    BRIDGE_IP_DELAY_MS: "0",
    BRIDGE_USER_AGENT: "BridgeBot/1.2 (+https://bench.example/bot)",
    NODE_EXTRA_CA_CERTS: world.caFile,
  };
  const worker = await startProgram(["worker"], environment);
  const front = await startProgram(["front"], environment);
  const runtime = await openRuntime(
    worldConfig(readConfig({ BRIDGE_HOME: home, BRIDGE_NATS_SETUP: "true" }), world),
    server.url,
  );
  try {
    const host = world.hosts[0]!.host;
    await addSeeds(
      runtime,
      world.hosts.map((one) => one.host),
    );
    for (let found = 0; found < SITES / 2; ) {
      const { body } = await request(`${url}/api/discovery/registry?limit=1`);
      found = ((await body.json()) as { total: number }).total;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return await linesOf(url, front.child.pid!, host);
  } finally {
    await runtime.close();
    await front.stop();
    await worker.stop();
    await world.stop();
    await server.stop();
    remove();
  }
};
