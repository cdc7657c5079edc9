/** Scans of a page of 1 MiB, on one core: time on the processor, the median of many. And what hostile pages cost at most. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { parse } from "parse5";
import * as affiliate from "../../src/detectors/affiliate/rules.ts";
import * as darkPattern from "../../src/detectors/dark-pattern/rules.ts";
import * as firewall from "../../src/detectors/firewall/rules.ts";
import { readPageModel } from "../../src/pages/page-model.ts";
import { THREAD_LIMITS } from "../../src/threads/pool.ts";
import type { JobReply, JobRequest } from "../../src/threads/run-job.ts";
import { HOSTILE_PAGES } from "../support/hostile-pages.ts";
import type { BenchLine } from "./bench-line.ts";

const PAGE_CHARS = 1024 * 1024;
/**
 * Each scan some times in a row, that it pays for the garbage of its own kind, and all of them in turn, that what else the
 * machine does meets all alike. Compilers and heap have settled after the first rounds.
 */
const IN_A_ROW = 5;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 9;
const WANTED_MS = 100;
const WANTED_HOSTILE_MS = 1_000;
const WANTED_HOSTILE_MB = 200;
const DETECTORS = new URL("../../src/detectors/", import.meta.url);
const SENTENCES = [
  "Full-grain leather from a tannery on the river, resoled in our own workshop.",
  "The river rose after the storm and the old bridge was closed for a week.",
  "Our committee meets on the first Monday of the month in the town hall.",
  "Add the flour to the butter and stir until it is smooth.",
  "A study of birds on the island found that most of them leave before winter.",
];

/** A shop's page of many different cards, as one that lists everything would be. */
function bigPage(): string {
  const parts = [
    "<!doctype html><title>Everything</title><style>.card b { color: red } .menu ul { display: none }</style>",
  ];
  for (let i = 0, length = 0; length < PAGE_CHARS; i++) {
    const text = `${SENTENCES[i % 5]} ${SENTENCES[(i * 3 + 1) % 5]} No. ${(i * 7_919).toString(36)}.`;
    const card = `<div class="card" id="c${i}"><h3><a href="/p/${i}">Article ${i.toString(36)}</a></h3><p>${text}</p><img src="/i/${i}.jpg" alt="Article ${i}"><b>€ ${i % 90}.90</b><button>Add to cart</button></div>\n`;
    parts.push(card);
    length += card.length;
  }
  return parts.join("");
}

/** Milliseconds on the processor for one of some in a row, all threads of this process: what else runs is no part of it. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let i = 0; i < IN_A_ROW; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / IN_A_ROW;
}

/** The median time of each. */
function mediansMs(works: readonly (() => unknown)[]): number[] {
  const times = works.map((): number[] => []);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
    for (const [i, work] of works.entries()) {
      const ms = cpuMs(work);
      if (round >= 0) times[i]!.push(ms);
    }
  return times.map((own) => Math.round(own.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!));
}

/** What a task of a scan thread took: one page, in a thread made as the pool makes them. */
interface Cost {
  ms: number;
  heapMb: number;
}

/** A scan of one page, as a task of a thread. */
interface PageTask {
  detector: string;
  name: string;
  inputOf: (html: string) => unknown;
}

async function askThread(thread: Worker, { detector, name, inputOf }: PageTask, html: string): Promise<void> {
  const started = new BigInt64Array(new SharedArrayBuffer(16));
  const module = new URL(`${detector}/rules.ts`, DETECTORS).href;
  const request: JobRequest = { module, task: name, input: inputOf(html), started };
  thread.postMessage(request);
  const [reply] = (await once(thread, "message")) as [JobReply];
  if (!reply.ok) throw new Error(reply.message);
}

async function costIn(task: PageTask, html: string): Promise<Cost> {
  const thread = new Worker(new URL("task-thread.ts", import.meta.url), { resourceLimits: THREAD_LIMITS });
  // What the modules load for their first page is no part of the next one's cost.
  await askThread(thread, task, "<p>A page.");
  const before = await thread.cpuUsage();
  await askThread(thread, task, html);
  const { user, system } = await thread.cpuUsage(before);
  const { total_heap_size: heapBytes } = await thread.getHeapStatistics();
  await thread.terminate();
  return { ms: (user + system) / 1_000, heapMb: heapBytes / 2 ** 20 };
}

const TASKS: readonly PageTask[] = [
  {
    detector: "firewall",
    name: "scanFirewall" satisfies keyof typeof firewall,
    inputOf: (html) => ({ url: undefined, html, text: undefined }),
  },
  {
    detector: "dark-pattern",
    name: "scanDarkPatterns" satisfies keyof typeof darkPattern,
    inputOf: (html) => ({ first: { html, text: undefined }, later: undefined, secondsLater: undefined }),
  },
  {
    detector: "affiliate",
    name: "scanHtml" satisfies keyof typeof affiliate,
    inputOf: (html) => ({ html, url: "https://shop.example/" }),
  },
];

/** The worst of 2 MiB of anything, by any of the scans. A page that needs more memory than a thread has is an error here. */
async function hostileLines(): Promise<BenchLine[]> {
  let slowest = { value: 0, page: "" };
  let largest = { value: 0, page: "" };
  for (const [name, make] of HOSTILE_PAGES)
    for (const task of TASKS) {
      const { ms, heapMb } = await costIn(task, make());
      if (ms > slowest.value) slowest = { value: ms, page: `${task.detector} of ${name}` };
      if (heapMb > largest.value) largest = { value: heapMb, page: `${task.detector} of ${name}` };
    }
  const line = (name: string, { value, page }: typeof slowest, unit: string, wanted: number): BenchLine => ({
    name: `gateway: hostile page, ${name}`,
    value: Math.round(value),
    unit,
    baseline: wanted,
    ratio: Number((value / wanted).toFixed(2)),
    conditions: `2 MiB of HTML, ${HOSTILE_PAGES.length} pages by ${TASKS.length} scans, the worst (${page}); wanted: at most ${wanted}`,
  });
  return [
    line("time", slowest, "ms of the thread's processor time", WANTED_HOSTILE_MS),
    line("memory", largest, "MiB of the thread's heap after the scan", WANTED_HOSTILE_MB),
  ];
}

export async function bench(): Promise<BenchLine[]> {
  const html = bigPage();
  const scans: [string, () => unknown][] = [
    ["gateway: page model", () => readPageModel(html)],
    ["gateway: firewall scan", () => firewall.scanFirewall({ url: undefined, html, text: undefined })],
    [
      "gateway: dark-pattern scan",
      () =>
        darkPattern.scanDarkPatterns({
          first: { html, text: undefined },
          later: undefined,
          secondsLater: undefined,
        }),
    ],
    ["gateway: affiliate scan", () => affiliate.scanHtml({ html, url: "https://shop.example/" })],
  ];
  // The same work in every version of this service: by it a slow machine is told from a slow scan.
  const [yardstickMs, ...values] = mediansMs([() => parse(html), ...scans.map(([, work]) => work)]);
  const lines = scans.map(([name], i) => ({
    name,
    value: values[i]!,
    unit: "ms of processor time, median",
    baseline: WANTED_MS,
    ratio: Number((values[i]! / WANTED_MS).toFixed(2)),
    conditions: `1 MiB of HTML, one core, median of ${ROUNDS} rounds of ${IN_A_ROW} scans after ${WARM_UP_ROUNDS} to warm up; wanted: at most ${WANTED_MS} ms; parse5's own parse of the page in the same rounds: ${yardstickMs} ms`,
  }));
  return [...lines, ...(await hostileLines())];
}
