/** Histories of observations as every SDK must judge them: vectors that another program signed (sdk/vectors/observations.py). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type EarlierEntry,
  type LogState,
  VerificationError,
  verifyObservations,
} from "../../sdk/typescript/src/index.ts";

interface Case {
  name: string;
  domain: string;
  service: { protocol: string; endpoint: string } | null;
  answer: unknown;
  log_key: string;
  follows?: EarlierEntry;
  seen?: LogState;
  expected: { step: string } | { leaves: number[]; next: EarlierEntry | null; erased: number | null };
}
const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../sdk/vectors/observations.json"), "utf8"),
) as { cases: Case[] };

describe("a history", () => {
  it.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const { domain, service, answer, log_key: logKey, follows, seen, expected } = each;
    const options = {
      logKey,
      ...(service && { service }),
      ...(follows && { follows }),
      ...(seen && { seen }),
    };
    const result = await verifyObservations(answer, domain, options).catch((error) => error);
    if ("step" in expected) {
      expect(result).toBeInstanceOf(VerificationError);
      expect(result.step).toBe(expected.step);
    } else {
      const { leaves, ...rest } = expected;
      expect(result).toMatchObject(rest);
      expect(result.entries.map(({ leafIndex }: { leafIndex: number }) => leafIndex)).toEqual(leaves);
    }
  });
});
