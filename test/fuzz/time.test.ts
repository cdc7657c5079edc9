/** Inputs that take long: those known, and a short search; all of it by `npm run faults -- fuzz time`. */
import { describe, expect, inject, it } from "vitest";
import { randomFrom } from "../../world/random.ts";
import { HOSTILE_PAGES } from "../support/hostile-pages.ts";
import { grow } from "./time/climb.ts";
import { attacksOn } from "./time/expressions.ts";
import { KNOWN } from "./time/known.ts";
import { PARSERS } from "./time/parsers.ts";
import { render } from "./time/recipe.ts";
import { reportedParsers } from "./time/report.ts";
import { runTime } from "./time/run.ts";
import { Subject } from "./time/subject.ts";

const SEARCH_MS = 8_000;

describe("the table of what strangers' bytes cost", () => {
  it("has a row for each parser, and for no other", () => {
    expect(reportedParsers()).toEqual(PARSERS.map(({ name }) => name));
  });

  it("names each parser once, and knows those whose slow inputs are kept", () => {
    const names = PARSERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { parser, before = "" } of KNOWN)
      expect(
        PARSERS.find(({ name }) => name === parser)?.frames.map((frame) => frame.before),
        parser,
      ).toContain(before);
  });
});

describe("the fuzzer of time", () => {
  it("makes inputs of a length, whole at both ends", () => {
    const frames = [
      { before: '<p a="', after: '">', encode: (text: string) => text.replaceAll('"', "&quot;") },
    ];
    const segments = [
      { text: 'x"', grows: false },
      { text: "ab", grows: true },
      { text: "!", grows: false },
    ];
    expect(render({ frame: 0, segments }, frames, 24)).toBe('<p a="x&quot;abababab!">');
    expect(render({ frame: 0, segments }, frames, 8)).toBeUndefined();
  });

  it("derives from an expression the texts that it is slow for", () => {
    const random = randomFrom(1);
    const slow = { source: "^(?:a+)+$", flags: "" };
    const texts = Array.from({ length: 20 }, () => attacksOn(slow, random)).flat();
    expect(
      texts.some(
        (segments) =>
          segments.some(({ text, grows }) => grows && /^a+$/.test(text)) && !/a$/.test(segments.at(-1)!.text),
      ),
    ).toBe(true);
  });

  it("ends what hangs, by the processor time of its thread, and goes on", async () => {
    const subject = new Subject("page for dark patterns", undefined, 1);
    const [, makeHostile] = HOSTILE_PAGES[0]!;
    const costs = [await subject.cost({ input: makeHostile() })];
    costs.push(await subject.cost({ input: "" }));
    await subject.close();
    expect(costs.map(({ ended }) => ended)).toEqual(["deadline", undefined]);
  });

  it("times a parser as fast as it is, after its expressions were watched as before", async () => {
    const subject = new Subject("security header fields", undefined, 2_000);
    const input = "a ;".repeat(5_000);
    const leastMs = async (): Promise<number> => {
      const costs = [];
      for (let run = 0; run < 5; run++) costs.push((await subject.cost({ input })).cpuMs);
      return Math.min(...costs);
    };
    const beforeMs = await leastMs();
    const { expressions } = await subject.cost({ input, watch: true });
    const afterMs = await leastMs();
    await subject.close();
    expect(expressions).not.toEqual([]);
    // Five to eight times as long in a thread that was watched.
    expect(afterMs).toBeLessThan(2.5 * beforeMs);
    expect(beforeMs).toBeGreaterThan(0);
  });

  it("holds lengths to each other of which each is twice the last, up to the bound", async () => {
    const parser = PARSERS.find(({ name }) => name === "security.txt")!;
    const subject = new Subject(parser.name, undefined, 2_000);
    const { points } = await grow(subject, parser, { frame: 0, segments: [{ text: "a", grows: true }] });
    await subject.close();
    expect(points.map(({ chars }) => chars)).toEqual([512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768]);
  });

  it("finds nothing that takes longer than is allowed, in what it tries here", async () => {
    const results = await runTime({
      seed: 1,
      msAParser: 250,
      deadlineMs: 2_000,
      natsUrl: inject("natsUrl"),
      withinMs: SEARCH_MS,
      // Other tests share the processors and their caches.
      tolerance: 2,
    });
    expect(
      results.flatMap(({ parser, faults }) =>
        faults.map(({ what, recipe }) => `${parser.name}: ${what}: ${recipe}`),
      ),
    ).toEqual([]);
    expect(results.length).toBeGreaterThan(0);
  }, 60_000);
});
