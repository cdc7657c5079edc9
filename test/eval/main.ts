/** `npm run eval -- <name> [options]`: measures quality on labeled data. Each folder here that has an evaluate.ts is a name. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, "evaluate.ts")))
  .map(({ name }) => name)
  .sort();

/** Each evaluate.ts exports this: prints its findings, and resolves to the exit code (0 good, 1 a gate failed, 2 wrong usage). */
interface Evaluation {
  evaluate(args: string[]): Promise<number>;
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stderr.write(
    `Usage: npm run eval -- <name> [options]\nNames: ${names.join(", ")}\nExample: npm run eval -- ${names[0]}\n`,
  );
  process.exit(2);
}
const { evaluate } = (await import(`./${name}/evaluate.ts`)) as Evaluation;
process.exitCode = await evaluate(args);
