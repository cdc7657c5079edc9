/**
 * `npm run check -- weigh`: how much of everything there is, beside the most that there may be and what is wanted. Fails where
 * something grew; `--files` also counts the files that a ping, a search and a purchase run, which takes a minute.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../app/program.ts";
import { services } from "../app/services.ts";
import { BUCKETS, STREAMS } from "../src/ports/storage.ts";
import { ERROR_CODES } from "../src/rpc/errors.ts";
import { LIMITS } from "../src/rpc/limit-table.ts";
import { SETTINGS } from "../src/runtime/config.ts";

const ROOT = join(import.meta.dirname, "..");
const CODE = /\.(?:ts|mjs|js)$/;

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Lines of code below a folder, comments and blank ones included. */
const linesOf = (folder: string): number =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .reduce(
      (sum, { parentPath, name }) =>
        sum + readFileSync(join(parentPath, name), "utf8").split("\n").length - 1,
      0,
    );

const wordsOf = (folder: string): number =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .reduce(
      (sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name), "utf8").split(/\s+/).length,
      0,
    );

/** Rows of tables, without their heads. */
const termsOf = (text: string): number => (text.match(/^\| (?!Term |-)/gm) ?? []).length;

const sum = (...numbers: number[]): number => numbers.reduce((all, each) => all + each, 0);

/** The most that there may be, lowered whenever less is reached, and what is wanted. A row without bounds is only told. */
const BOUNDS: Record<string, { most: number; wanted?: number }> = {
  "lines: app, src, workers, schemas": { most: 120_650, wanted: 80_000 },
  "lines: test": { most: 93_250, wanted: 62_000 },
  "endpoints of the public listener": { most: 151, wanted: 135 },
  "buckets and streams": { most: 38, wanted: 36 },
  settings: { most: 45, wanted: 45 },
  limits: { most: 37, wanted: 40 },
  "error codes": { most: 81 },
  commands: { most: 29, wanted: 30 },
  "terms of the glossary": { most: 38, wanted: 50 },
  "runtime dependencies": { most: 40, wanted: 38 },
  "npm scripts": { most: 10, wanted: 10 },
  "words: docs": { most: 44_450, wanted: 44_000 },
  "words: docs/decisions": { most: 9_320, wanted: 9_000 },
  "files of a ping": { most: 17, wanted: 18 },
  "files of a search": { most: 65, wanted: 40 },
  "files of a purchase": { most: 189, wanted: 90 },
};

type Row = [name: string, value: number];

const all = rows();
if (process.argv.includes("--files")) {
  const { ping, search, purchase } = filesRun();
  all.push(["files of a ping", ping], ["files of a search", search], ["files of a purchase", purchase]);
}
const grew = ([name, value]: Row): boolean => value > (BOUNDS[name]?.most ?? Number.POSITIVE_INFINITY);
const cells = (name: string, ...others: (string | number)[]): string =>
  `${name.padEnd(36)}${others.map((other) => String(other).padStart(9)).join("")}`;
process.stdout.write(`${cells("", "is", "most", "wanted")}\n`);
for (const [name, value] of all) {
  const { most = "", wanted = "" } = BOUNDS[name] ?? {};
  process.stdout.write(`${cells(name, value, most, wanted)}${grew([name, value]) ? "  grew" : ""}\n`);
}
process.exit(all.some(grew) ? 1 : 0);

function rows(): Row[] {
  const packages = JSON.parse(read("package.json")) as {
    scripts: Record<string, string>;
    dependencies: Record<string, string>;
  };
  const rooms = ["app", "src", "workers", "schemas"] as const;
  const lines = rooms.map((room): Row => [`lines: ${room}`, linesOf(room)]);
  const operations = services.flatMap((service) => Object.values(service.operations));
  return [
    ...lines,
    ["lines: app, src, workers, schemas", sum(...lines.map(([, value]) => value))],
    ["lines: world", linesOf("world")],
    ["lines: test", linesOf("test")],
    ["endpoints of the public listener", operations.length],
    ["buckets and streams", Object.keys(BUCKETS).length + Object.keys(STREAMS).length],
    ["settings", Object.keys(SETTINGS).length],
    ["limits", Object.keys(LIMITS).length],
    ["error codes", ERROR_CODES.length],
    ["commands", createProgram().commands.length],
    ["terms of the glossary", termsOf(read("docs/glossary.md"))],
    ["runtime dependencies", Object.keys(packages.dependencies).length],
    ["npm scripts", Object.keys(packages.scripts).length],
    ["words: docs", wordsOf("docs")],
    ["words: docs/decisions", wordsOf("docs/decisions")],
  ];
}

/** Files of the ways of a ping, a search and a purchase, as the bench counts them. */
function filesRun(): { ping: number; search: number; purchase: number } {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "test/bench/main.ts"), "way"], {
    encoding: "utf8",
  });
  const values = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; value: number });
  const of = (wanted: string): number => values.find(({ name }) => name === wanted)!.value;
  return { ping: of("way of a ping"), search: of("way"), purchase: of("way of a purchase") };
}
