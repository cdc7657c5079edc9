/** All parsers, one after the other: each with its own thread, deadline and random numbers. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "../../../world/random.ts";
import { climb, type Finding, faultOf, grow } from "./climb.ts";
import { KNOWN } from "./known.ts";
import { PARSERS, type Parser } from "./parsers.ts";
import { describe, type Recipe, render } from "./recipe.ts";
import { Subject } from "./subject.ts";

export interface TimeOptions {
  seed: number;
  /** Processor time for the search, a parser. */
  msAParser: number;
  /** Processor time that one input may take before its thread is ended. */
  deadlineMs: number;
  natsUrl: string | undefined;
  /** Parsers whose names hold one of these texts; all without. */
  only?: readonly string[];
  /** Stop after this long by the clock: parsers with known slow inputs come first, the others as the seed has it. */
  withinMs?: number;
  /** What is allowed, times this. Default 1. */
  tolerance?: number;
  /** Folder that inputs are written to which are at fault. */
  saveTo?: string;
  say?: (line: string) => void;
}

export interface ParserResult {
  parser: Parser;
  /** The slowest at the parser's bound. */
  worst: Finding | undefined;
  /** Of all findings: what is wrong, and with which recipe. */
  faults: { what: string; recipe: string }[];
  tried: number;
  expressions: number;
}

function save(folder: string, { parser, recipe, worst }: Finding): void {
  mkdirSync(folder, { recursive: true });
  const name = parser.name.replace(/\W+/g, "-");
  const input = render(recipe, parser.frames, worst.chars) ?? "";
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ parser: parser.name, recipe, input }));
}

const knownOf = ({ name, frames }: Parser): Recipe[] =>
  KNOWN.filter(({ parser }) => parser === name).map(({ before, segments }) => ({
    frame: Math.max(
      0,
      frames.findIndex((frame) => frame.before === (before ?? "")),
    ),
    segments,
  }));

async function examine(parser: Parser, options: TimeOptions): Promise<ParserResult> {
  const subject = new Subject(parser.name, options.natsUrl, options.deadlineMs);
  try {
    const random = randomFrom(options.seed, parser.name);
    const findings: Finding[] = [];
    // What was slow once is held to the bound itself, however fast it is at the length of the search.
    for (const recipe of knownOf(parser)) findings.push(await grow(subject, parser, recipe));
    const searched = findings.some(({ ended }) => ended)
      ? undefined
      : await climb(parser, subject, { ms: options.msAParser, random });
    findings.push(...(searched?.findings ?? []));
    const { tried = 0, expressions = 0 } = searched ?? {};
    const faults = findings.flatMap((finding) => {
      const what = faultOf(finding, options.tolerance);
      if (what && options.saveTo) save(options.saveTo, finding);
      return what ? [{ what, recipe: describe(finding.recipe, parser.frames) }] : [];
    });
    const worst = findings.toSorted(
      (a, b) => Number(Boolean(b.ended)) - Number(Boolean(a.ended)) || b.worst.cpuMs - a.worst.cpuMs,
    )[0];
    return { parser, worst, faults, tried, expressions };
  } finally {
    await subject.close();
  }
}

/** All in their order; where time is short, those with known slow inputs first, then the others shuffled. */
function inOrder({ seed, withinMs }: TimeOptions): readonly Parser[] {
  if (withinMs === undefined) return PARSERS;
  const isKnown = ({ name }: Parser): boolean => KNOWN.some(({ parser }) => parser === name);
  const others = PARSERS.filter((parser) => !isKnown(parser));
  return [...PARSERS.filter(isKnown), ...randomFrom(seed, "order").sample(others, others.length)];
}

/** @throws when a parser cannot be loaded */
export async function runTime(options: TimeOptions): Promise<ParserResult[]> {
  const results: ParserResult[] = [];
  const startedMs = performance.now();
  for (const parser of inOrder(options)) {
    if (options.only !== undefined && !options.only.some((text) => parser.name.includes(text))) continue;
    if (performance.now() - startedMs > (options.withinMs ?? Number.POSITIVE_INFINITY)) break;
    const result = await examine(parser, options);
    results.push(result);
    const { worst, faults } = result;
    const figures = worst
      ? `${worst.worst.cpuMs.toFixed(1)} ms at ${worst.worst.chars}, slope ${worst.slope?.toFixed(2) ?? "-"}: ${describe(worst.recipe, parser.frames).slice(0, 200)}`
      : "nothing measured";
    options.say?.(
      `${faults.length > 0 ? "✗" : "✓"} ${parser.name}: ${figures} (${result.tried} inputs, ${result.expressions} expressions)`,
    );
    for (const { what, recipe } of faults) options.say?.(`    ${what}: ${recipe.slice(0, 400)}`);
  }
  return results;
}
