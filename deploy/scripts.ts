/** `npm run <script> -- <name> …`: one of the programs that a script of package.json stands for; without a name, its first. */
import { spawn } from "node:child_process";
import { join } from "node:path";

/** Script → name → the files that it runs one after the other, with their options. */
const SCRIPTS: Readonly<Record<string, Readonly<Record<string, readonly (readonly string[])[]>>>> = {
  check: { all: [["deploy/check.ts"]], weigh: [["deploy/weigh.ts"]] },
  generate: {
    openapi: [["app/generate.ts"]],
    examples: [["test/record-examples.ts"]],
    expressions: [["deploy/expressions.ts", "--write"]],
    images: [["deploy/images.ts"]],
    journeys: [["test/journeys/main.ts"]],
    lock: [["deploy/complete-lock.ts"]],
    version: [["deploy/version.ts", "--write"], ["test/record-examples.ts"], ["app/generate.ts"]],
    wasm: [["deploy/assemble.ts"]],
  },
  faults: {
    all: [["test/faults/main.ts"]],
    fuzz: [["test/fuzz/main.ts"]],
    simulate: [["test/simulation/main.ts"]],
  },
  image: {
    image: [["test/image/main.ts"]],
    kubernetes: [["test/kubernetes/main.ts"]],
    elasticsearch: [["deploy/elasticsearch/start.ts"]],
  },
};

const ROOT = join(import.meta.dirname, "..");

/** A program of its own, on this Node with its options. @returns its exit code */
const run = (file: string, options: readonly string[]): Promise<number> =>
  new Promise((resolve) => {
    const args = [...process.execArgv, join(ROOT, file), ...options];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
    // The launcher's end is this one's, however it came.
    process.once("disconnect", () => child.kill());
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    child.once("exit", (code) => resolve(code ?? 1));
  });

/** Scripts whose first program takes words of its own. */
const OPEN: ReadonlySet<string> = new Set(["faults", "image"]);

const [script = "", ...words] = process.argv.slice(2);
const names = SCRIPTS[script]!;
const [first = ""] = words;
if (!OPEN.has(script) && first !== "" && !first.startsWith("-") && !Object.hasOwn(names, first)) {
  process.stderr.write(
    `npm run ${script} has no ${JSON.stringify(first)}: ${Object.keys(names).join(", ")}.\n`,
  );
  process.exit(2);
}
const isNamed = Object.hasOwn(names, first);
for (const [file = "", ...options] of names[isNamed ? first : Object.keys(names)[0]!]!) {
  const code = await run(file, [...options, ...words.slice(isNamed ? 1 : 0)]);
  if (code !== 0) process.exit(code);
}
process.exit(0);
