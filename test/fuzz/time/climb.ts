/**
 * The search for slow inputs: recipes from the expressions that ran and from the grammar's tokens are tried at one length; the slowest are changed and tried again; those left grow to the parser's bound, where what they
 * cost, and how that grew, is the result.
 */
import type { Random } from "../../../world/random.ts";
import { attacksOn, type SeenExpression } from "./expressions.ts";
import type { Parser } from "./parsers.ts";
import { mutate, type Recipe, randomRecipe, render } from "./recipe.ts";
import type { Subject } from "./subject.ts";

/** Length that recipes are compared at: enough for a square to stand out from a line. */
const PROBE_CHARS = 6_000;
const ELITE = 6;
const FINALISTS = 3;
/** What takes less is measured three times, and the least counts. */
const AGAIN_MS = 100;
const FIRST_CHARS = 500;
const GROWTH = 2;
/** Processor time below this says nothing of growth: compilers and the collector are as large. */
const FLOOR_MS = 6;
/** Hangs after which a parser is not tried further: each costs a deadline and a thread. */
const MAX_HANGS = 1;
/** Lengths that growth is judged by, each twice the last: the one bend where the collector's young space is full counts little. */
const JUDGED = 4;
/** More than a line. */
const MAX_SLOPE = 1.5;
const SHARE_FOR_EXPRESSIONS = 0.6;

export interface Point {
  chars: number;
  cpuMs: number;
}
export interface Finding {
  parser: Parser;
  recipe: Recipe;
  points: readonly Point[];
  /** At the largest length tried. */
  worst: Point;
  /** Exponent by which time grows with length, over the last lengths of which enough is to be seen. */
  slope: number | undefined;
  ended?: "deadline" | "crashed";
}

export interface ClimbOptions {
  /** Processor time, for all but the growing of finalists: a busy machine searches as far as another one. */
  ms: number;
  random: Random;
}

interface Candidate {
  recipe: Recipe;
  cpuMs: number;
}

/** The exponent between two lengths: 1 is a line, 2 a square. */
function slopeOf(points: readonly Point[]): number | undefined {
  const seen = points.filter(({ cpuMs }) => cpuMs >= FLOOR_MS);
  const [first, last] = [seen.slice(-JUDGED)[0], seen.at(-1)];
  if (!first || !last || first === last) return undefined;
  return Math.log(last.cpuMs / first.cpuMs) / Math.log(last.chars / first.chars);
}

/** @returns the least processor time of several runs of an input, and whether one did not end */
async function leastOf(
  subject: Subject,
  input: string,
  runs: number,
  enoughMs = Number.POSITIVE_INFINITY,
): Promise<{ cpuMs: number; ended?: Finding["ended"] }> {
  let cpuMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && (run === 0 || cpuMs < enoughMs); run++) {
    const cost = await subject.cost({ input });
    cpuMs = Math.min(cpuMs, cost.cpuMs);
    if (cost.ended) return { cpuMs, ended: cost.ended };
  }
  return { cpuMs };
}

/**
 * Lets a recipe grow to the bound; the cheapest of three runs counts where runs are cheap. Where time seems to grow faster than
 * the input, what that is judged by is measured again: other work on the machine looks the same, once.
 */
export async function grow(subject: Subject, parser: Parser, recipe: Recipe): Promise<Finding> {
  const points: (Point & { input: string })[] = [];
  const lengths: number[] = [];
  // Down from the bound: the last two lengths are as far apart as any, so that growth between them is no noise.
  for (let chars = parser.maxChars; chars >= FIRST_CHARS || lengths.length === 0; chars /= GROWTH)
    lengths.unshift(Math.floor(chars));
  let ended: Finding["ended"];
  for (const chars of lengths) {
    const input = render(recipe, parser.frames, chars);
    if (input === undefined) continue;
    const least = await leastOf(subject, input, 3, AGAIN_MS);
    ended = least.ended;
    points.push({ chars: input.length, cpuMs: least.cpuMs, input });
    // More of it would only take longer: it is at fault already.
    if (ended !== undefined || least.cpuMs > 2 * parser.budgetMs) break;
  }
  const isSteep = ended === undefined && (slopeOf(points) ?? 0) > MAX_SLOPE;
  for (const point of isSteep ? points.slice(-JUDGED) : []) {
    const again = await leastOf(subject, point.input, 5);
    point.cpuMs = Math.min(point.cpuMs, again.cpuMs);
    ended ??= again.ended;
  }
  const shown = points.map(({ chars, cpuMs }) => ({ chars, cpuMs }));
  const worst = shown.at(-1) ?? { chars: 0, cpuMs: 0 };
  return { parser, recipe, points: shown, worst, slope: slopeOf(shown), ...(ended && { ended }) };
}

class Search {
  readonly #parser: Parser;
  readonly #subject: Subject;
  readonly #expressions = new Map<string, SeenExpression>();
  readonly #elite: Candidate[] = [];
  hangs = 0;
  tried = 0;

  constructor(parser: Parser, subject: Subject) {
    this.#parser = parser;
    this.#subject = subject;
  }

  get expressions(): SeenExpression[] {
    return [...this.#expressions.values()];
  }

  get elite(): readonly Candidate[] {
    return this.#elite;
  }

  /** Notes the expressions that an input makes the parser run. */
  async watch(input: string): Promise<number> {
    const before = this.#expressions.size;
    const { expressions = [] } = await this.#subject.cost({ input, watch: true });
    for (const one of expressions) this.#expressions.set(`/${one.source}/${one.flags}`, one);
    return this.#expressions.size - before;
  }

  async try(recipe: Recipe): Promise<void> {
    const { frames, maxChars } = this.#parser;
    const input = render(recipe, frames, Math.min(PROBE_CHARS, maxChars));
    if (input === undefined) return;
    this.tried++;
    const { cpuMs, ended } = await this.#subject.cost({ input });
    if (ended) this.hangs++;
    const least = this.#elite.at(-1);
    if (this.#elite.length >= ELITE && least && cpuMs <= least.cpuMs) return;
    // Compiled and collected garbage looks like work the first time.
    const again = ended ? cpuMs : Math.min(cpuMs, (await this.#subject.cost({ input })).cpuMs);
    if (this.#elite.length >= ELITE && least && again <= least.cpuMs) return;
    this.#elite.push({ recipe, cpuMs: again });
    this.#elite.sort((a, b) => b.cpuMs - a.cpuMs).splice(ELITE);
  }
}

const shuffled = <T>(random: Random, list: readonly T[]): T[] => random.sample(list, list.length);

/** @returns how the slowest recipes grow, the worst first, and how many inputs were tried */
export async function climb(
  parser: Parser,
  subject: Subject,
  { ms, random }: ClimbOptions,
): Promise<{ findings: Finding[]; tried: number; expressions: number }> {
  const started = process.cpuUsage();
  const spent = (): number => process.cpuUsage(started).user / 1_000 / ms;
  const search = new Search(parser, subject);
  const frames = parser.frames.length;
  const going = (): boolean => spent() < 1 && search.hangs < MAX_HANGS;
  for (const input of parser.examples) if (going()) await search.watch(input);
  for (let i = 0; i < 3 * frames && going(); i++) {
    const recipe = { ...randomRecipe(random, frames, parser.tokens), frame: i % frames };
    await search.watch(render(recipe, parser.frames, 300) ?? "");
  }
  // Every expression once before any again.
  while (going() && spent() < SHARE_FOR_EXPRESSIONS) {
    const attacks = search.expressions.flatMap((expression) => attacksOn(expression, random));
    if (attacks.length === 0) break;
    for (const segments of shuffled(random, attacks)) {
      if (!going() || spent() > SHARE_FOR_EXPRESSIONS) break;
      await search.try({ frame: random.below(frames), segments });
    }
  }
  while (going()) {
    const { elite } = search;
    const fresh = elite.length < 2 || random.below(3) === 0;
    await search.try(
      fresh
        ? randomRecipe(random, frames, parser.tokens)
        : mutate(random, random.pick(elite).recipe, frames, parser.tokens),
    );
  }
  const findings: Finding[] = [];
  for (const { recipe } of search.elite.slice(0, FINALISTS))
    findings.push(await grow(subject, parser, recipe));
  findings.sort(
    (a, b) => Number(b.ended !== undefined) - Number(a.ended !== undefined) || b.worst.cpuMs - a.worst.cpuMs,
  );
  return { findings, tried: search.tried, expressions: search.expressions.length };
}

/** Growth matters where it costs something. */
const SLOPE_MATTERS_MS = 25;

/** What is wrong with a finding, or undefined. @param tolerance by which more than is allowed is let pass */
export function faultOf({ parser, worst, slope, ended }: Finding, tolerance = 1): string | undefined {
  if (ended) return `${ended === "deadline" ? "did not end" : "crashed"} at ${worst.chars} characters`;
  if (worst.cpuMs > tolerance * parser.budgetMs)
    return `took ${worst.cpuMs.toFixed(0)} ms at ${worst.chars} characters; ${parser.budgetMs} ms are allowed`;
  if (slope !== undefined && slope > MAX_SLOPE && worst.cpuMs > tolerance * SLOPE_MATTERS_MS)
    return `grows by the power ${slope.toFixed(2)}, ${worst.cpuMs.toFixed(0)} ms at ${worst.chars} characters`;
  return undefined;
}
