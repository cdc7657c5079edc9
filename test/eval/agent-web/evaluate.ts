/**
 * `npm run eval -- agent-web --data DIR`: how well the agent-ready web is read. DIR has `well-known/`, `mcp-endpoints/` and
 * `mcp-registry/`; what it lacks is not measured. Gates: answers .98, hosts that answer any name told as present .01, platforms .95.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type AnswerFigures, evaluateAnswers } from "./answers.ts";

type Figures = Record<string, unknown>;

/** Parts that have a module of their own here: what it measures of DIR, and by which function. */
const PARTS = [
  {
    module: "endpoints.ts",
    measures: "evaluateEndpoints",
    data: "mcp-endpoints",
    figures: ["endpoints", "class_accuracy", "class_by_kind", "false_dead", "false_alive"],
  },
  { module: "imports.ts", measures: "importEntries", data: "mcp-registry", figures: ["entries_imported"] },
];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { data: { type: "string" } } });
  if (values.data === undefined) {
    say("Usage: npm run eval -- agent-web --data DIR");
    return 2;
  }
  const { crashed, ...answers } = await evaluateAnswers(values.data, say);
  const all: Figures = { ...answers };
  let failed = crashed;
  for (const part of PARTS) {
    const figures = await figuresOf(part, values.data).catch((error: unknown): Figures => {
      failed++;
      say(`${part.measures}: ${String(error)}`);
      return {};
    });
    for (const name of part.figures) all[name] = figures[name] ?? null;
  }
  process.stdout.write(`${JSON.stringify({ ...all, crashed: failed })}\n`);
  return failed === 0 && isGood(answers) ? 0 : 1;
}

async function figuresOf({ module, measures, data }: (typeof PARTS)[number], dir: string): Promise<Figures> {
  const file = join(import.meta.dirname, module);
  const missing = [file, join(dir, data)].find((path) => !existsSync(path));
  if (missing !== undefined) {
    say(`${measures}: not measured, for ${missing} is not there`);
    return {};
  }
  const { [measures]: measure } = (await import(file)) as Record<string, (dir: string) => unknown>;
  if (measure === undefined) throw new Error(`${module} has no ${measures}`);
  return (await measure(dir)) as Figures;
}

function isGood({
  answer_accuracy,
  answer_by_class,
  platform_accuracy,
}: Omit<AnswerFigures, "crashed">): boolean {
  const soft = answer_by_class.soft_404;
  const toldPresent = soft === undefined ? 0 : (soft.told_as.present ?? 0) / soft.n;
  return (answer_accuracy ?? 1) >= 0.98 && toldPresent <= 0.01 && (platform_accuracy ?? 1) >= 0.95;
}
