/**
 * What the threads that answer requests load: no parser of strangers' pages, style sheets or selectors, and none of the
 * rules that read them. A type costs nothing; whatever else is imported, `import("…")` too, could be called.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");

const PARSERS = ["parse5", "css-tree", "css-select", "htmlparser2", "jsdom"];
const RULES = [
  "src/detectors/affiliate/rules.ts",
  "src/pages/css-scanner.ts",
  "src/pages/page-model.ts",
  "src/pages/style-sheet.ts",
  "src/classifiers/linear-model.ts",
  "src/classifiers/window-model.ts",
  "src/detectors/dark-pattern/rules.ts",
  "src/detectors/firewall/decode.ts",
  "src/detectors/firewall/judge.ts",
  "src/detectors/firewall/rules.ts",
  "workers/gateway/gov/page-facts.ts",
  "workers/gateway/neural/tasks.ts",
  "workers/gateway/protocol/rules.ts",
  "src/browser/commands.ts",
  "src/browser/page.ts",
  "workers/session/pages/page-tasks.ts",
  "src/pages/visible-text.ts",
  "src/pages/parse-html.ts",
];

/** Where threads begin that answer requests or hold leases. */
const SERVING = [
  "app/front/front.ts",
  "app/main.ts",
  "app/processes/role-thread.ts",
  ...globSync("workers/*/role.ts", { cwd: root }),
];

/** Modules that a file loads when it runs. */
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[\w*{][^;'"]*?\bfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

const loadedBy = (file: string): string[] =>
  [...readFileSync(join(root, file), "utf8").matchAll(IMPORTS)].map(([, fixed, late]) => {
    const name = (fixed ?? late)!;
    return name.startsWith(".") ? relative(root, resolve(root, dirname(file), name)) : name;
  });

/** The ways from a file to what must not be loaded. */
function forbiddenWays(start: string): string[] {
  const from = new Map<string, string | undefined>([[start, undefined]]);
  const ways: string[] = [];
  for (const file of from.keys())
    for (const name of existsSync(join(root, file)) && /\.m?ts$/.test(file) ? loadedBy(file) : []) {
      if (from.has(name)) continue;
      from.set(name, file);
      const isParser = PARSERS.some((parser) => name === parser || name.startsWith(`${parser}/`));
      if (!isParser && !RULES.includes(name)) continue;
      const way = [name];
      for (let at: string | undefined = file; at !== undefined; at = from.get(at)) way.unshift(at);
      ways.push(way.join(" → "));
    }
  return ways;
}

/** Modules whose tasks a file names for threads to run (src/threads/task.ts). */
const TASKS = /tasksOf<[^>]*>\(\s*new URL\(\s*"([^"]+)"/g;
const taskModules = (file: string): string[] =>
  [...readFileSync(join(root, file), "utf8").matchAll(TASKS)].map(([, name]) =>
    relative(root, resolve(root, dirname(file), name!)),
  );

describe("a thread that answers requests loads nothing that reads strangers' pages", () => {
  it.each(SERVING)("%s", (file) => {
    expect(forbiddenWays(file)).toEqual([]);
  });

  it("and what it must not load is there to be loaded", () => {
    expect(RULES.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const inThreads = [
      ...globSync("workers/gateway/**/*.ts", { cwd: root }).flatMap(taskModules),
      "workers/session/pages/page-thread.ts",
      "src/crawl/pages/page-thread.ts",
    ].flatMap((module) => [module, ...forbiddenWays(module)]);
    for (const name of ["parse5", "css-select", ...RULES])
      expect(
        inThreads.some((way) => way === name || way.endsWith(` ${name}`)),
        name,
      ).toBe(true);
  });
});
