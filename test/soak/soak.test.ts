/** The short form of `npm run soak`: what is left out is only its length. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const ARGUMENTS = ["--minutes", "3", "--rate", "10", "--connections", "4"];

it("answers ten requests a second of all kinds for three minutes without a fault, in memory that levels out", async () => {
  const child = spawn(process.execPath, [join(ROOT, "test/soak/main.ts"), ...ARGUMENTS], { cwd: ROOT });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-10_000);
    });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/ 0 faults, in 3 min\s*$/) });
  const [, sent] = /(\d+) requests \(.* faults/.exec(output)!;
  expect(Number(sent)).toBeGreaterThan(500);
}, 300_000);
