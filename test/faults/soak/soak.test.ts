/** The short form of `npm run faults -- --only=soak`: what is left out is only its length. */
import { afterAll, expect, it } from "vitest";
import { cleanUp } from "../programs.ts";
import { soak } from "./soak.ts";

const MINUTES = 3;

afterAll(cleanUp);

it("answers ten requests a second of all kinds for three minutes without a fault, in memory that levels out", async () => {
  const lines: string[] = [];
  const options = { minutes: MINUTES, connections: 4, rate: 10, seed: 1 };
  const isGood = await soak(options, (line) => lines.push(line));
  expect(isGood, lines.join("\n")).toBe(true);
  const [, sent, faults] = /(\d+) requests \(.*\), (\d+) faults, in/.exec(lines.at(-1)!)!;
  expect(Number(faults)).toBe(0);
  expect(Number(sent)).toBeGreaterThan(500);
}, 300_000);
