/** Requests a second of the whole way (HTTP, NATS, worker, validation) against bare Fastify that answers the same JSON. */
import { Worker } from "node:worker_threads";
import autocannon from "autocannon";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import { startProgram, temporaryHome } from "./processes.ts";
import { steadyLoad } from "./steady-load.ts";

const CONNECTIONS = 64;
const SECONDS = 5;
const ROUNDS = 3;
const STEADY_RATE = 1_000;
/** Connections are opened and code is compiled before anything is timed. */
const WARM_UP_SECONDS = 1;

/** A bare server in a thread, so that its load generator does not share its event loop: as ours does not. */
const BARE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const app = require("fastify")();
  app.get("/*", (_, reply) => reply.type("application/json; charset=utf-8").send(JSON.stringify(workerData)));
  app.listen({ port: 0, host: "127.0.0.1" }).then(() => parentPort.postMessage(app.server.address().port));
`;

/** Requests a second at full load. */
async function load(url: string): Promise<number> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} failures, ${result.errors} errors`);
  return result.requests.average;
}

/** Milliseconds within which 99 of 100 requests are answered when one is sent every 1 / STEADY_RATE seconds. */
async function steadyP99Ms(url: string): Promise<number> {
  const took = await steadyLoad({
    url,
    rate: STEADY_RATE,
    connections: CONNECTIONS,
    seconds: SECONDS,
    warmUpSeconds: WARM_UP_SECONDS,
  });
  return Math.round(took[Math.floor(took.length * 0.99)]! * 10) / 10;
}

async function bare(body: unknown): Promise<{ url: string; stop(): Promise<number> }> {
  const thread = new Worker(BARE, { eval: true, workerData: body });
  const port = await new Promise<number>((resolve) => thread.once("message", resolve));
  return { url: `http://127.0.0.1:${port}/`, stop: () => thread.terminate() };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function compare(name: string, url: string): Promise<BenchLine[]> {
  const body: unknown = await (await fetch(url)).json();
  const baseline = await bare(body);
  const ours: number[] = [];
  const theirs: number[] = [];
  await load(url);
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await load(url));
    theirs.push(await load(baseline.url));
  }
  const bareP99Ms = await steadyP99Ms(baseline.url);
  await baseline.stop();
  const p99Ms = await steadyP99Ms(url);
  const value = Math.round(median(ours));
  const ratio = Number((median(ours) / median(theirs)).toFixed(2));
  const conditions = `${CONNECTIONS} connections, ${SECONDS} s, median of ${ROUNDS}, one address; the load generator on the same machine`;
  return [
    {
      name: `http ${name}`,
      value,
      unit: "requests/s",
      baseline: Math.round(median(theirs)),
      ratio,
      conditions,
    },
    {
      name: `http ${name} p99`,
      value: p99Ms,
      unit: "ms",
      baseline: bareP99Ms,
      ratio: Number((p99Ms / bareP99Ms).toFixed(2)),
      conditions: `one request every ${1_000 / STEADY_RATE} ms; the load generator on the same machine`,
    },
  ];
}

export async function bench(): Promise<BenchLine[]> {
  const { home, remove } = temporaryHome();
  const port = await freePort();
  const program = await startProgram(["up", "--sites", "120"], { BRIDGE_HOME: home, PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  try {
    const page = `${url}/api/discovery/registry?limit=50`;
    for (let count = 0; count < 50; ) {
      count = ((await (await fetch(page)).json()) as { listings: unknown[] }).listings.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return [...(await compare("ping", `${url}/api/bridge/ping`)), ...(await compare("page of 50", page))];
  } finally {
    await program.stop();
    remove();
  }
}
