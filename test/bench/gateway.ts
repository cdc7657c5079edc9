/** Scans of a page of 1 MiB, on one core: time on the processor, the median of many. */
import { readPageModel } from "../../workers/gateway/common/page-model.ts";
import { scanDarkPatterns } from "../../workers/gateway/dark-pattern/rules.ts";
import { scanFirewall } from "../../workers/gateway/firewall/rules.ts";
import type { BenchLine } from "./bench-line.ts";

const PAGE_CHARS = 1024 * 1024;
const RUNS = 15;
const WANTED_MS = 100;
const SENTENCES = [
  "Full-grain leather from a tannery on the river, resoled in our own workshop.",
  "The river rose after the storm and the old bridge was closed for a week.",
  "Our committee meets on the first Monday of the month in the town hall.",
  "Add the flour to the butter and stir until it is smooth.",
  "A study of birds on the island found that most of them leave before winter.",
];

/** A shop's page of many different cards, as one that lists everything would be. */
const bigPage = (): string => {
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
};

/** Milliseconds on the processor: what else the machine does is no part of it. */
const medianMs = (work: () => unknown): number => {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.round(times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!);
};

export const bench = async (): Promise<BenchLine[]> => {
  const html = bigPage();
  const scans: [string, () => unknown][] = [
    ["gateway: page model", () => readPageModel(html)],
    ["gateway: firewall scan", () => scanFirewall({ url: undefined, html, text: undefined })],
    [
      "gateway: dark-pattern scan",
      () => scanDarkPatterns({ first: { html, text: undefined }, later: undefined, secondsLater: undefined }),
    ],
  ];
  return scans.map(([name, work]) => {
    const value = medianMs(work);
    return {
      name,
      value,
      unit: "ms of processor time, median",
      baseline: WANTED_MS,
      ratio: Number((value / WANTED_MS).toFixed(2)),
      conditions: `1 MiB of HTML, one core, ${RUNS} runs; wanted: at most ${WANTED_MS} ms`,
    };
  });
};
