/**
 * `npm run check -- weigh`: how much of everything there is, beside the most that there is to be. Fails where something grew past
 * that; `--files` also counts the files that a ping and a search run, which takes a minute.
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

/** Files of a ping's and a search's way, as the bench counts them. */
const filesRun = (): { ping: number; search: number } => {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "test/bench/main.ts"), "way"], {
    encoding: "utf8",
  });
  const values = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; value: number });
  const of = (wanted: string): number => values.find(({ name }) => name === wanted)!.value;
  return { ping: of("way of a ping"), search: of("way") };
};

interface Row {
  name: string;
  value: number;
  /** More fails; undefined: told, and not bounded. */
  most?: number;
}

const rows = (): Row[] => {
  const packages = JSON.parse(read("package.json")) as {
    scripts: Record<string, string>;
    dependencies: Record<string, string>;
  };
  const rooms = ["app", "src", "workers", "schemas"] as const;
  const lines = rooms.map((room) => ({ name: `lines: ${room}`, value: linesOf(room) }));
  const operations = services.flatMap((service) => Object.values(service.operations));
  return [
    ...lines,
    {
      name: "lines: app, src, workers, schemas",
      value: sum(...lines.map(({ value }) => value)),
      most: 107_054,
    },
    { name: "lines: world", value: linesOf("world") },
    { name: "lines: test", value: linesOf("test"), most: 87_190 },
    { name: "endpoints of the public listener", value: operations.length, most: 172 },
    { name: "buckets and streams", value: Object.keys(BUCKETS).length + STREAMS.length, most: 49 },
    { name: "settings", value: Object.keys(SETTINGS).length, most: 61 },
    { name: "limits", value: Object.keys(LIMITS).length, most: 61 },
    { name: "error codes", value: ERROR_CODES.length },
    { name: "commands", value: createProgram().commands.length, most: 57 },
    { name: "terms of the glossary", value: termsOf(read("docs/glossary.md")), most: 70 },
    { name: "runtime dependencies", value: Object.keys(packages.dependencies).length, most: 48 },
    { name: "npm scripts", value: Object.keys(packages.scripts).length },
    { name: "words: docs", value: wordsOf("docs") },
    { name: "words: docs/decisions", value: wordsOf("docs/decisions") },
  ];
};

const all = rows();
if (process.argv.includes("--files")) {
  const { ping, search } = filesRun();
  all.push(
    { name: "files of a ping", value: ping, most: 30 },
    { name: "files of a search", value: search, most: 58 },
  );
}
for (const { name, value, most } of all) {
  const mark = most === undefined ? "" : value > most ? `  more than ${most}` : `  of ${most}`;
  process.stdout.write(`${name.padEnd(36)}${String(value).padStart(8)}${mark}\n`);
}
process.exit(all.some(({ value, most }) => most !== undefined && value > most) ? 1 : 0);
