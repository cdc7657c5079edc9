/**
 * What seeing costs: processor time of a registry for a request, with each way of looking in turn. Ratios to a registry that
 * looks at nothing, of the same run; BENCH_BEFORE names a checkout of an earlier version to compare with, too.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import autocannon from "autocannon";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import { type Program, residentMb, startProgram, temporaryHome } from "./processes.ts";

const REQUESTS = 3_000;
const ROUNDS = 7;
const CONNECTIONS = 16;
const TICK_MS = 10;

/** Processor time of a process and its threads, milliseconds. */
const cpuMs = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

/** Takes whatever is sent. */
const openSink = async () => {
  const server = createServer((request, response) => {
    request
      .resume()
      .on("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.closeAllConnections() };
};

interface Variant {
  name: string;
  root?: string;
  environment: Record<string, string>;
}

const variantsOf = (collector: string): Variant[] => {
  const before = process.env.BENCH_BEFORE;
  const traced = (share: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: share,
  });
  return [
    { name: "off", environment: {} },
    ...(before ? [{ name: "before", root: before, environment: {} }] : []),
    { name: "access log", environment: { BRIDGE_ACCESS_LOG_PERCENT: "100" } },
    { name: "traces 1/100", environment: traced("0.01") },
    { name: "traces 1/1", environment: traced("1") },
  ];
};

interface Running {
  name: string;
  url: string;
  program: Program;
  remove(): void;
  /** Processor time for a request in each round, microseconds. */
  costs: number[];
}

const start = async ({ name, root, environment }: Variant): Promise<Running> => {
  const { home, remove } = temporaryHome();
  const port = String(await freePort());
  const program = await startProgram(
    ["up", "--sites", "60"],
    { BRIDGE_HOME: home, PORT: port, BRIDGE_OPERATORS_PORT: "0", ...environment },
    root,
  );
  program.child.stdout!.resume();
  return { name, url: `http://127.0.0.1:${port}/api/bridge/search?q=tea`, program, remove, costs: [] };
};

const round = async ({ url, program, costs }: Running): Promise<void> => {
  const pid = program.child.pid!;
  const before = cpuMs(pid);
  const { non2xx, errors } = await autocannon({ url, connections: CONNECTIONS, amount: REQUESTS });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} failures, ${errors} errors`);
  costs.push(((cpuMs(pid) - before) / REQUESTS) * 1_000);
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export const bench = async (): Promise<BenchLine[]> => {
  const sink = await openSink();
  const running: Running[] = [];
  try {
    for (const variant of variantsOf(sink.url)) running.push(await start(variant));
    // The first crawl ends, and code is compiled.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    for (let i = -1; i < ROUNDS; i++) {
      for (const each of running) await round(each);
      if (i < 0) for (const { costs } of running) costs.length = 0;
    }
    const off = median(running[0]!.costs);
    return running.map(({ name, costs, program }) => ({
      name: `search, ${name}`,
      value: Math.round(median(costs)),
      unit: "µs of processor time a request",
      baseline: Math.round(off),
      ratio: Number((median(costs) / off).toFixed(3)),
      conditions: `${REQUESTS} requests by ${CONNECTIONS} connections, median of ${ROUNDS} in turn; ${residentMb(program.child.pid!)} MB with the broker`,
    }));
  } finally {
    for (const { program, remove } of running) {
      await program.stop();
      remove();
    }
    sink.close();
  }
};
