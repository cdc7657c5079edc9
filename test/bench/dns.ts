/** TXT queries a second, every name new, of our resolver against Node's native one (c-ares), on the same server. */
import { Resolver as NativeResolver } from "node:dns/promises";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import type { BenchLine } from "./bench-line.ts";

const CONCURRENCY = 256;
const QUERIES_PER_ROUND = 15_000;
const ROUNDS = 5;

/**
 * A name server that does as little as one can: the question comes back with the id it had, and one TXT record from a
 * template, whose owner points at the question.
 */
const RESPONDER = `
  const { createSocket } = require("node:dgram");
  const { parentPort } = require("node:worker_threads");
  const text = Buffer.from("v=BRIDGE1; k=ed25519; pk=${"A".repeat(43)}; endpoint=https://shop.example");
  const tail = Buffer.alloc(13 + text.length);
  tail.writeUInt16BE(0xc00c, 0);
  tail.writeUInt16BE(16, 2);
  tail.writeUInt16BE(1, 4);
  tail.writeUInt32BE(300, 6);
  tail.writeUInt16BE(text.length + 1, 10);
  tail[12] = text.length;
  text.copy(tail, 13);
  const udp = createSocket({
    type: "udp4",
    recvBufferSize: 1 << 20,
    lookup: (address, options, done) => done(null, address, 4),
  });
  udp.on("message", (query, from) => {
    let end = 12;
    while (query[end] !== 0) end += query[end] + 1;
    end += 5;
    const reply = Buffer.allocUnsafe(end + tail.length);
    query.copy(reply, 0, 0, end);
    tail.copy(reply, end);
    reply.writeUInt16BE(0x8180, 2);
    reply.writeUInt32BE(0x00010001, 4);
    reply.writeUInt32BE(0, 8);
    udp.send(reply, from.port, from.address);
  });
  udp.bind(0, "127.0.0.1", () => parentPort.postMessage(udp.address().port));
`;

let serial = 0;

interface Round {
  perSecond: number;
  /** CPU of the asking thread, which unlike the rate does not wait for the responder. */
  cpuMicrosEach: number;
}

/** One round. A query without an answer is a fault of the bench. */
async function round(ask: (name: string) => Promise<boolean>): Promise<Round> {
  let left = QUERIES_PER_ROUND;
  let missed = 0;
  const startMs = performance.now();
  const startCpu = process.threadCpuUsage();
  const worker = async (): Promise<void> => {
    while (left-- > 0) if (!(await ask(`_bridge.host-${serial++}.bench.example`))) missed++;
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  if (missed > 0) throw new Error(`${missed} queries without an answer`);
  const cpu = process.threadCpuUsage(startCpu);
  return {
    perSecond: (QUERIES_PER_ROUND * 1000) / (performance.now() - startMs),
    cpuMicrosEach: (cpu.user + cpu.system) / QUERIES_PER_ROUND,
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Rounds of the two take turns, so that both see the same machine; the first of each warms up. About 5 s. */
export async function bench(): Promise<BenchLine[]> {
  const worker = new Worker(RESPONDER, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  const ours = createResolver({
    servers: [{ address: "127.0.0.1", port }],
    validating: false,
    clock: systemClock,
  });
  const native = new NativeResolver();
  native.setServers([`127.0.0.1:${port}`]);
  const askOurs = async (name: string) => (await ours.txt(name)).outcome === "found";
  const askNative = async (name: string) => (await native.resolveTxt(name)).length === 1;
  const rounds: { ours: Round[]; native: Round[] } = { ours: [], native: [] };
  for (let i = 0; i <= ROUNDS; i++) {
    const pair = { ours: await round(askOurs), native: await round(askNative) };
    if (i === 0) continue;
    rounds.ours.push(pair.ours);
    rounds.native.push(pair.native);
  }
  ours.close();
  await worker.terminate();
  const value = Math.round(median(rounds.ours.map(({ perSecond }) => perSecond)));
  const baseline = Math.round(median(rounds.native.map(({ perSecond }) => perSecond)));
  const [cpuOurs, cpuNative] = [rounds.ours, rounds.native].map((of) =>
    median(of.map(({ cpuMicrosEach }) => cpuMicrosEach)).toFixed(1),
  );
  return [
    {
      name: "dns",
      value,
      unit: "TXT queries/s",
      baseline,
      ratio: Number((value / baseline).toFixed(2)),
      conditions:
        `${CONCURRENCY} at once, no name twice, median of ${ROUNDS} rounds of ${QUERIES_PER_ROUND}; baseline node:dns ` +
        `resolveTxt; CPU of the asking thread ${cpuOurs} against ${cpuNative} microseconds a query`,
    },
  ];
}
