import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { services } from "../app/services.ts";
import { streamConfigs } from "../src/adapters/nats/topology.ts";
import { BUCKETS } from "../src/ports/storage.ts";
import { SETTINGS } from "../src/runtime/config.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, "..", path), "utf8");

describe("what is written about the service", () => {
  it("has every operation in the README's table, under each of its paths", () => {
    const readme = read("README.md");
    const missing = services
      .flatMap(({ operations }) => Object.values(operations))
      .flatMap(({ method, paths }) => paths.map((path) => `\`${method} ${path}\``))
      .filter((line) => !readme.includes(line));
    expect(missing).toEqual([]);
  });

  it("has every bucket and stream in the operator's table", () => {
    const guide = read("docs/operators.md");
    const streams = Object.values(streamConfigs("bridge")).map(({ name }) => name.replace("bridge_", ""));
    const missing = [...Object.keys(BUCKETS), ...streams].filter((name) => !guide.includes(`| \`${name}\``));
    expect(missing).toEqual([]);
  });

  it("names no setting that does not exist", () => {
    const guides = readdirSync(join(import.meta.dirname, "../docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`);
    const named = ["README.md", ...guides]
      .map(read)
      .flatMap((text) => text.match(/\bBRIDGE_[A-Z_]+\b/g) ?? [])
      .filter((name) => !(name in SETTINGS));
    expect([...new Set(named)]).toEqual([]);
  });

  it("numbers its decisions without a gap", () => {
    const numbers = readdirSync(join(import.meta.dirname, "../docs/decisions"))
      .sort()
      .map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  });
});
