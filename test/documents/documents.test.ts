import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../app/program.ts";
import { streamConfigs } from "../../src/adapters/nats/topology.ts";
import { BUCKETS } from "../../src/ports/storage.ts";
import { SETTINGS } from "../../src/runtime/config.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Folders of the project itself: dependencies, caches and a registry's data hold other people's documents. */
const FOLDERS = ["app", "deploy", "docs", "models", "schemas", "sdk", "src", "test", "train", "workers"];
const isMarkdown = (name: string): boolean => name.endsWith(".md");
const documents = [
  ...readdirSync(root).filter(isMarkdown),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(isMarkdown)
      .map((name) => join(folder, name)),
  ),
];
/** Decisions speak of the program as it was when they were taken. */
const isDecision = (name: string): boolean => name.startsWith("docs/decisions/");
const current = documents.filter((name) => !isDecision(name));

const unfenced = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "");

/** Anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (path: string): string[] =>
  [...unfenced(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

/** What is wrong with a link from one page to another, or undefined. */
function faultOf(from: string, link: string): string | undefined {
  const [path, anchor] = link.split("#") as [string, string?];
  const target = path === "" ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(root, target))) return `${from}: ${link} is not there`;
  if (anchor !== undefined && !anchorsOf(target).includes(anchor)) return `${from}: ${link} is no heading`;
}

describe("what is written about the service", () => {
  it("has every setting in the table of settings", () => {
    const table = read("docs/configuration.md");
    expect(Object.keys(SETTINGS).filter((name) => !table.includes(`| \`${name}\``))).toEqual([]);
  });

  it("has every command in the table of commands, and no other", () => {
    const commands = createProgram().commands.map((command) => command.name());
    const listed = [...read("docs/command-line.md").matchAll(/^\| `([a-z-]+)/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(20);
    expect([...new Set(listed)].toSorted()).toEqual(commands.toSorted());
  });

  it("has every bucket and stream in the table of storage", () => {
    const guide = read("docs/storage.md");
    const streams = Object.values(streamConfigs("bridge")).map(({ name }) => name.replace("bridge_", ""));
    const missing = [...Object.keys(BUCKETS), ...streams].filter((name) => !guide.includes(`| \`${name}\``));
    expect(missing).toEqual([]);
  });

  it("names no setting that does not exist", () => {
    const compose = read("deploy/compose.yaml") + read("deploy/compose.world.yaml");
    const named = current
      .map(read)
      .flatMap((text) => text.match(/\bBRIDGE_[A-Z_]+\b/g) ?? [])
      .filter((name) => !(name in SETTINGS) && !compose.includes(`\${${name}`));
    expect([...new Set(named)]).toEqual([]);
  });

  it("names no file that does not exist", () => {
    const madeByReaders = ["deploy/.env", "deploy/tls"];
    const path = /(?<![\w./-])(?:app|deploy|docs|models|schemas|sdk|src|test|train|workers)\/[\w./-]*\w\/?/g;
    const missing = [...current, "NOTICE"].flatMap((name) =>
      (
        read(name)
          .replace(/https?:\S+/g, "")
          .match(path) ?? []
      )
        .filter((file) => !madeByReaders.includes(file))
        .filter((file) => !existsSync(join(root, file)) && !existsSync(join(root, dirname(name), file)))
        .map((file) => `${name}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it("links to nothing that does not exist", () => {
    const faults = documents.flatMap((name) =>
      [...unfenced(read(name)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^[a-z]+:/.test(link))
        .flatMap((link) => faultOf(name, link) ?? []),
    );
    expect(faults).toEqual([]);
  });

  it("lists every page of the documentation in its index", () => {
    const index = read("docs/README.md");
    const pages = readdirSync(join(root, "docs")).filter((name) => isMarkdown(name) && name !== "README.md");
    expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  it("keeps the README to what people look for first", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(110);
  });

  it("numbers its decisions once each: one that no longer holds leaves a gap", () => {
    const numbers = readdirSync(join(root, "docs/decisions"))
      .sort()
      .map((name) => Number(name.slice(0, 4)));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.every((number) => number > 0)).toBe(true);
  });
});
