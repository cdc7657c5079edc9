/**
 * Overload: how much is still answered within its deadline when ten times as much is asked as can be, how the rest is
 * refused, and how soon all is well again. Capacity is the best of the same run, found by raising the rate; then the
 * best rate and ten times as much take turns, so that what else the machine does is in both.
 * `npm run bench -- overload [seconds] [--engine=elasticsearch|sqlite] [--every-processor]`
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureElasticsearch, startElasticsearch } from "../../deploy/elasticsearch/node.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import type { Load, Outcome } from "./overload/generator.ts";
import { addressOf, KINDS, type Kind, type Target } from "./overload/kinds.ts";
import { cpuSeconds, startProgram, temporaryHome } from "./processes.ts";

const HEAP_MB = 512;
const SITES = 200;
const SECONDS = 30;
const ROUNDS = 3;
const MAX_WARM_UPS = 5;
const STEP_SECONDS = 4;
const STEP = 1.5;
/** Steps without a better one, after which the best is known. */
const WORSE_STEPS = 2;
const OVERLOAD = 10;
const NETWORKS = 64;
/** Of the load after the overload: what a registry that is well answers. */
const RECOVERY_SHARE = 0.5;
const RECOVERY_SECONDS = 20;
const WELL = 0.95;
/** Of capacity: what a second network asks for while the first floods. */
const SMALL_SHARE = 0.1;

interface Generator {
  run(load: Load): Promise<Outcome>;
  stop(): void;
}

const LAST = cpus().length - 1;
/** The callers' processor, and the registry's: else a flood's own work would be taken from what answers it. */
const CALLERS_ON = String(LAST);
const EVERY = `0-${LAST}`;
const APART = LAST === 0 ? "0" : `0-${LAST - 1}`;

async function startGenerator(): Promise<Generator> {
  const file = join(import.meta.dirname, "overload/generator.ts");
  const child: ChildProcess = spawn("taskset", ["-c", CALLERS_ON, process.execPath, file], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // A session of its own: Linux shares processors out by sessions, so it takes no part of the registry's.
    detached: true,
  });
  await once(child, "message");
  return {
    run: async (load) => {
      child.send(load);
      const [outcome] = (await once(child, "message")) as [Outcome];
      return outcome;
    },
    stop: () => child.disconnect(),
  };
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

function shown(what: string, rate: number, outcome: Outcome): void {
  const { goodByHalfSecond: _, ...counts } = outcome;
  say(`${what} at ${rate.toFixed(0)}/s: ${JSON.stringify(counts)}`);
}

/** The most good answers a second of any rate. */
async function capacityOf(ask: (rate: number, seconds: number) => Promise<Outcome>, firstRate: number) {
  let [goodput, bestRate] = [0, firstRate];
  for (let [rate, worse] = [firstRate, 0]; worse < WORSE_STEPS; rate *= STEP) {
    const outcome = await ask(rate, STEP_SECONDS);
    shown("step", rate, outcome);
    const now = outcome.good / outcome.tookSeconds;
    worse = now > goodput * 1.02 ? 0 : worse + 1;
    if (now > goodput) [goodput, bestRate] = [now, rate];
  }
  return { goodput, bestRate };
}

/** Several loads of one rate as one. */
function together(outcomes: Outcome[]): Outcome {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, each) => total + of(each), 0);
  const worst = (of: (outcome: Outcome) => number): number => Math.max(...outcomes.map(of));
  return {
    ...outcomes.at(-1)!,
    asked: sum(({ asked }) => asked),
    good: sum(({ good }) => good),
    tookSeconds: sum(({ tookSeconds }) => tookSeconds),
    late: sum(({ late }) => late),
    failed: sum(({ failed }) => failed),
    withoutRetryAfter: sum(({ withoutRetryAfter }) => withoutRetryAfter),
    goodMs: { p50: worst(({ goodMs }) => goodMs.p50), p99: worst(({ goodMs }) => goodMs.p99) },
    refusedMs: { p50: worst(({ refusedMs }) => refusedMs.p50), p99: worst(({ refusedMs }) => refusedMs.p99) },
  };
}

/** A load's refusals by a bare server of Node: their processor time, milliseconds each, and how late the callers have them. */
async function bareRefusals(
  generator: Generator,
  load: Load,
  processors: string,
): Promise<{ ms: number; refusedMs: Outcome["refusedMs"] }> {
  const file = join(import.meta.dirname, "overload/bare-server.ts");
  const child = spawn("taskset", ["-c", processors, process.execPath, file], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    const [port] = await once(child, "message");
    const bare = { ...load, origin: `http://127.0.0.1:${port}` };
    await generator.run(bare);
    const before = cpuSeconds(child.pid!);
    const { refused, refusedMs } = await generator.run(bare);
    return { ms: ((cpuSeconds(child.pid!) - before) * 1_000) / refused, refusedMs };
  } finally {
    child.disconnect();
  }
}

const goodputOf = ({ good, tookSeconds }: Outcome): number => good / tookSeconds;

/** Seconds until the requests of a half second are answered as those of a well registry are. */
function recoverySeconds({ goodByHalfSecond }: Outcome, rate: number): number {
  const wanted = (rate / 2) * WELL;
  const well = goodByHalfSecond.findIndex(
    (good, i) => good >= wanted && goodByHalfSecond.slice(i, i + 4).every((next) => next >= wanted * 0.9),
  );
  return well < 0 ? RECOVERY_SECONDS : well / 2;
}

async function measure(kind: Kind, target: Target, generator: Generator, seconds: number) {
  const { requests, others } = await kind.prepare(target);
  const { origin, processors } = target;
  const { deadlineMs } = kind;
  const addresses = Array.from({ length: NETWORKS }, (_, i) => addressOf(i));
  const ask = (rate: number, forSeconds: number, from = addresses, by = generator) =>
    by.run({
      origin,
      requests: by === generator ? requests : others,
      rate,
      seconds: forSeconds,
      deadlineMs,
      addresses: from,
    });
  // Threads start and code is compiled: an engine that has just begun is slow.
  for (let i = 0; i < MAX_WARM_UPS; i++) {
    const { good, asked } = await ask(kind.firstRate, STEP_SECONDS);
    if (good >= asked * WELL) break;
  }
  const { goodput: capacity, bestRate } = await capacityOf(ask, kind.firstRate);
  const load = loadavg()[0]!.toFixed(1);
  const rounds: { best: Outcome; over: Outcome }[] = [];
  const cpu = { best: 0, over: 0 };
  const spent = async (rate: number, of: keyof typeof cpu): Promise<Outcome> => {
    const before = cpuSeconds(target.pid);
    const outcome = await ask(rate, seconds / ROUNDS);
    cpu[of] += cpuSeconds(target.pid) - before;
    shown(of === "best" ? "best rate" : "overload", rate, outcome);
    return outcome;
  };
  for (let i = 0; i < ROUNDS; i++)
    rounds.push({ best: await spent(bestRate, "best"), over: await spent(capacity * OVERLOAD, "over") });
  const over = together(rounds.map((round) => round.over));
  const best = together(rounds.map((round) => round.best));
  // Refusals are few at the best rate: there, an answer costs what is spent.
  const answerMs = (cpu.best * 1_000) / best.good;
  const refusalMs = (cpu.over * 1_000 - answerMs * over.good) / over.refused;
  const flood = { rate: capacity * OVERLOAD, seconds: STEP_SECONDS };
  const bare = await bareRefusals(
    generator,
    { origin, requests, deadlineMs, addresses, ...flood },
    processors,
  );
  const after = await ask(capacity * RECOVERY_SHARE, RECOVERY_SECONDS);
  shown("afterwards", capacity * RECOVERY_SHARE, after);
  const conditions = `${kind.name}: open loop from processor ${CALLERS_ON}, the registry on ${processors}; ${NETWORKS} networks; ${OVERLOAD} × the best goodput of the same run (${capacity.toFixed(1)}/s) for ${seconds} s, in ${ROUNDS} rounds with the best rate; deadline ${deadlineMs} ms; load average ${load}`;
  const round = (value: number): number => Math.round(value * 100) / 100;
  const line = (name: string, value: number, unit: string, baseline: number | null = null): BenchLine => ({
    name: `overload: ${kind.name}, ${name}`,
    value: round(value),
    unit,
    baseline: baseline === null ? null : round(baseline),
    ratio: baseline === null ? null : round(value / baseline),
    conditions,
  });
  return {
    capacity,
    ask,
    line,
    lines: [
      line("goodput", goodputOf(over), "answers/s within the deadline", goodputOf(best)),
      line("answers, p99", over.goodMs.p99, "ms", deadlineMs),
      line("processor time of a refusal, the broker's apart", refusalMs, "ms", answerMs),
      line("processor time of a refusal, beside a bare server's", refusalMs, "ms", bare.ms),
      line("refusals, p50, beside a bare server's", over.refusedMs.p50, "ms", bare.refusedMs.p50),
      line("refusals, p99, beside a bare server's", over.refusedMs.p99, "ms", bare.refusedMs.p99),
      line("neither answered nor refused", over.late + over.failed, "requests", over.asked),
      line("refused without Retry-After", over.withoutRetryAfter, "requests"),
      line("Retry-After, p50", over.retryAfter.p50, "s"),
      line("well again after", recoverySeconds(after, capacity * RECOVERY_SHARE), "s"),
    ],
  };
}

/** What a second network is answered while one floods with as much as all did. */
async function fairness(
  { capacity, ask, line }: Awaited<ReturnType<typeof measure>>,
  seconds: number,
): Promise<BenchLine> {
  const other = await startGenerator();
  try {
    const flood = ask(capacity * OVERLOAD, seconds, [addressOf(1)]);
    const small = await ask(capacity * SMALL_SHARE, seconds, [addressOf(2)], other);
    shown("a second network", capacity * SMALL_SHARE, small);
    shown("while one floods", capacity * OVERLOAD, await flood);
    return line("of a second network while one floods, answered", small.good, "requests", small.asked);
  } finally {
    other.stop();
  }
}

async function withTarget<T>(
  kind: Kind,
  processors: string,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const { home, remove } = temporaryHome();
  const data = mkdtempSync(join(tmpdir(), "bridge-bench-overload-"));
  const node =
    kind.engine === "elasticsearch"
      ? await startElasticsearch(await ensureElasticsearch(say), { data, heapMb: HEAP_MB })
      : undefined;
  // Whatever a process starts later, threads and programs, stays on its processors.
  if (node) await pin(node.process.pid!, processors);
  await pin(process.pid, processors);
  const port = await freePort();
  const program = await startProgram(["up", "--sites", String(SITES)], {
    BRIDGE_HOME: home,
    PORT: String(port),
    BRIDGE_TRUSTED_PROXIES: "127.0.0.1",
    ...(node && { BRIDGE_ELASTICSEARCH_URL: node.url }),
  });
  try {
    return await work({ origin: `http://127.0.0.1:${port}`, home, pid: program.pid, processors });
  } finally {
    await pin(process.pid, EVERY);
    await program.stop();
    await node?.stop();
    remove();
    rmSync(data, { recursive: true, force: true });
  }
}

async function pin(pid: number, processors: string): Promise<void> {
  const [code] = await once(spawn("taskset", ["-acp", processors, String(pid)], { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`process ${pid} cannot be kept on processors ${processors}`);
}

/**
 * @param engine only kinds on it, or only the kind whose name holds it
 * @param options.everyProcessor the registry has that of its callers, too
 */
export async function bench(
  seconds = SECONDS,
  engine?: string,
  { everyProcessor = false } = {},
): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  const processors = everyProcessor ? EVERY : APART;
  const generator = await startGenerator();
  try {
    for (const kind of KINDS) {
      if (engine !== undefined && kind.engine !== engine && !kind.name.includes(engine)) continue;
      await withTarget(kind, processors, async (target) => {
        const measured = await measure(kind, target, generator, seconds);
        lines.push(...measured.lines, await fairness(measured, seconds));
      });
    }
  } finally {
    generator.stop();
  }
  return lines;
}
