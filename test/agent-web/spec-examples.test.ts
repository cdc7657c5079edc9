/** What specifications themselves give as good and bad, and examples made from those. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/agent-web/formats/format.ts";
import { FORMATS } from "../../src/agent-web/formats/table.ts";
import { dataFile } from "../support/data.ts";

interface Example {
  file: string;
  format: string;
  verdict: string;
  why: string | null;
}

const FORMAT_OF: Readonly<Record<string, string>> = { a2a: "a2a-card" };
/** Where a document is that a rule is about: whose metadata it is (RFC 8414 and 9728, sections 3.3). */
const ADDRESSES: Readonly<Record<string, string>> = {
  "oauth/made-prm": "https://api.example.com/.well-known/oauth-protected-resource/mcp",
  "oauth/made-as": "https://auth.example.com/.well-known/oauth-authorization-server",
};

/** Shortened where they stand: digests of a few digits, members left out, or another document than the format's. */
const FRAGMENTS = new Set([
  "a2a/spec-l2039.json",
  "a2a/spec-l2064.json",
  "agent-skills/spec-l181.json",
  "agent-skills/spec-l365.json",
  "x402/spec-l323.json",
  "ucp/a2a-l29.json",
]);

const list = dataFile("agent-web-2/spec-examples/examples.jsonl");
const examples = list
  ? readFileSync(list, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Example)
  : [];

/** @returns undefined where no reader is for it; "unread" for what the reader takes for nothing of its format */
function read({ file, format }: Example): Reading | "unread" | undefined {
  const [, address] = Object.entries(ADDRESSES).find(([start]) => file.startsWith(start)) ?? [];
  const name = address ? `oauth-${/oauth-([a-z-]+)/.exec(address)![1]}` : (FORMAT_OF[format] ?? format);
  const reader = FORMATS.find((each) => each.name === name);
  if (!reader || FRAGMENTS.has(file) || !file.endsWith(".json")) return undefined;
  const url = new URL(address ?? `https://acme.example${reader.paths[0]?.path ?? "/"}`);
  const text = readFileSync(join(dirname(list!), file), "utf8").replaceAll("{{ ucp_version }}", "2026-08-25");
  return reader.read(Buffer.from(text), url, "") ?? "unread";
}

const JUDGED: Readonly<Record<string, (reading: Reading | "unread") => boolean>> = {
  valid: (reading) => reading !== "unread" && reading.conforms !== false,
  "valid_0.x": (reading) => reading !== "unread" && reading.conforms !== false,
  warn: (reading) => reading !== "unread" && reading.conforms !== false && reading.findings.length > 0,
  invalid: (reading) => reading === "unread" || reading.conforms === false || !reading.usable,
};

describe.skipIf(examples.length === 0)("an example of a specification", () => {
  it("is judged as its specification says", () => {
    const judged = examples.flatMap((example) => {
      const reading = read(example);
      const isRight = JUDGED[example.verdict];
      return reading === undefined || isRight === undefined
        ? []
        : [{ example, isRight: isRight(reading), reading }];
    });
    const wrong = judged
      .filter(({ isRight }) => !isRight)
      .map(
        ({ example: { file, verdict, why }, reading }) =>
          `${file}: ${verdict} (${why}), told ${reading === "unread" ? reading : JSON.stringify([reading.conforms, reading.usable, ...reading.findings.map(({ rule, place }) => `${rule} ${place}`)])}`,
      );
    expect(judged.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});
