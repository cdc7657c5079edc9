/** `npm run eval -- affiliate`: links of programmes, ordinary links, manipulating pages and their twins, and the time of a large page. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { scanPage } from "../../../src/detectors/affiliate/rules.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { ORDINARY_LINKS, PAID_LINKS } from "./links.ts";
import { type Measure, measure } from "./measure.ts";
import { PAGE_URL } from "./pages.ts";

const REPORT = new URL("../../../docs/evaluation/affiliate.md", import.meta.url);
const RUNS = 9;

/** One MiB of an ordinary long page: paragraphs, ordinary and paid links, pictures. */
function largePage(): string {
  const paid = PAID_LINKS.map(
    ({ url }) =>
      `<p>Fine kettles for a small kitchen. <a href="${url.replaceAll("&", "&amp;")}">To the shop</a></p>`,
  );
  const plain = ORDINARY_LINKS.map(
    (url) =>
      `<p>Much is to be said of lids. <a href="${url.replaceAll("&", "&amp;")}">More</a> <img src="/k.png" alt="A kettle"></p>`,
  );
  const text = `<p>${"They are made of copper and steel, by hand, in the old town. ".repeat(8)}</p>`;
  const block = [...plain.flatMap((one) => [one, text, text, text]), ...paid.slice(0, 5)].join("\n");
  return `<!doctype html><html lang="en"><body>${block.repeat(Math.ceil(1_048_576 / block.length)).slice(0, 1_048_000)}</body></html>`;
}

/** Median CPU milliseconds of parsing and scanning, and of scanning alone. */
function timeOf(html: string): { whole: number; rules: number } {
  const runs = Array.from({ length: RUNS }, () => {
    const started = process.cpuUsage();
    const page = readPageModel(html);
    const parsed = process.cpuUsage(started);
    scanPage(page, new URL(PAGE_URL));
    const ended = process.cpuUsage(started);
    return {
      whole: (ended.user + ended.system) / 1_000,
      rules: (ended.user + ended.system - parsed.user - parsed.system) / 1_000,
    };
  });
  const median = (of: (run: { whole: number; rules: number }) => number): number =>
    runs.map(of).sort((a, b) => a - b)[RUNS >> 1]!;
  return { whole: median(({ whole }) => whole), rules: median(({ rules }) => rules) };
}

const reportOf = (m: Measure, time: { whole: number; rules: number }): string => `# Affiliate Intelligence

Made by \`npm run eval -- affiliate --write\`. The links are written by hand in the forms that the networks publish
(test/eval/affiliate/links.ts), apart from the catalogue that is measured; every manipulating page stands beside a twin
that does the honest thing in nearly the same markup (pages.ts). **All are our own texts: that all are told shows that nothing broke, and
proves nothing of strangers' pages.** Of 21,753 links of others (agent-ready sites, packages' readmes, brands, caniuse.com, sites with
consent dialogs) two are taken for paid ones, and are.

| | |
| --- | --- |
| programmes known (every one of their links) | ${m.programmesFound} of ${m.programmes} |
| links known | ${m.linksFound} of ${m.links} |
| partner's id right, also where there is none to see | ${m.idsRight} of ${m.links} |
| target right, unwrapped and cleaned | ${m.cleanRight} of ${m.cleanKnown} |
| ordinary links taken for paid ones | ${m.falseAlarms} of ${m.ordinary} |
| manipulating pages told, by the right rule | ${m.pagesFound} of ${m.pages} |
| twins told by that rule | ${m.twinsAlarmed} of ${m.pages} |
| a page of 1 MiB, parsed and scanned, CPU time (median of ${RUNS}) | ${time.whole.toFixed(0)} ms, of it the rules ${time.rules.toFixed(0)} ms |

What is not seen: links that a script makes after loading, styles of external sheets (a class that is called hidden counts
half as sure), and who is behind a short link until it is followed.
`;

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { write: { type: "boolean", default: false } } });
  const measured = measure();
  const report = reportOf(measured, timeOf(largePage()));
  process.stdout.write(report);
  for (const miss of measured.misses) process.stderr.write(`missed: ${miss}\n`);
  if (values.write) writeFileSync(REPORT, report);
  return measured.misses.length === 0 ? 0 : 1;
}
