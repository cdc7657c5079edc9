/**
 * How well addresses of phishing are told: `npm run eval -- urls --phishing FILE --benign FILE`, an address a line; without
 * files, by development sources (`--write`: docs/evaluation/urls.md).
 */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { analyzeUrl, URL_THRESHOLD } from "../../../src/detectors/phishing/url-analysis.ts";
import { readLines } from "../../../train/data.ts";
import { confusionOf, measuresOf } from "../confusion.ts";
import { optionValues } from "../labelled.ts";
import { developmentReport } from "./development.ts";

const REPORT = join(import.meta.dirname, "..", "..", "..", "docs", "evaluation", "urls.md");

/** Lists write addresses without a scheme, too. */
function isSuspicious(line: string): boolean {
  const text = line.trim();
  const analysis = analyzeUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  return analysis !== undefined && analysis.risk >= URL_THRESHOLD;
}

export async function evaluate(args: string[]): Promise<number> {
  const files = { phishing: optionValues(args, "--phishing"), benign: optionValues(args, "--benign") };
  const paths = [...files.phishing, ...files.benign];
  if (args.length === 0 || args[0] === "--write") {
    const page = developmentReport();
    process.stdout.write(page);
    if (args[0] === "--write") writeFileSync(REPORT, page);
    return 0;
  }
  const missing = paths.filter((path) => !existsSync(path));
  if (paths.length === 0 || missing.length > 0) {
    for (const path of missing) process.stderr.write(`${path} is not there.\n`);
    process.stderr.write("Usage: npm run eval -- urls --phishing FILE… --benign FILE…\n");
    return 2;
  }
  const labelled = (list: readonly string[], isTrue: boolean) =>
    list.flatMap((path) => readLines(resolve(path)).map((line) => [isTrue, isSuspicious(line)] as const));
  const pairs = [...labelled(files.phishing, true), ...labelled(files.benign, false)];
  const head = { eval: "urls", ...files, threshold: URL_THRESHOLD };
  process.stdout.write(`${JSON.stringify({ ...head, ...measuresOf(confusionOf(pairs)) })}\n`);
  return 0;
}
