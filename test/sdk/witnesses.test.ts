/** Cosigned checkpoints as every SDK must judge them: vectors that another implementation signed (sdk/vectors/cosigned). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VerificationError, verifyCheckpoint, verifyConsistency } from "../../sdk/typescript/src/index.ts";

interface Case {
  name: string;
  note: string;
  policy: string;
  now: number;
  witnesses: string[] | null;
  step?: string;
}
const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../sdk/vectors/cosigned.json"), "utf8"),
) as { cases: Case[] };

const judged = ({ note, policy, now }: Case) => verifyCheckpoint(note, policy, () => now * 1_000);

describe("a checkpoint by a policy", () => {
  it.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const result = await judged(each).catch((error) => error);
    if (each.step) {
      expect(result).toBeInstanceOf(VerificationError);
      expect(result.step).toBe(each.step);
    } else expect(Object.keys(result.witnesses).toSorted()).toEqual(each.witnesses);
  });
});

describe("two views of one log", () => {
  const named = (start: string) => judged(cases.find(({ name }) => name.startsWith(start))!);

  it("of one size are told by their roots, though witnesses cosigned both", async () => {
    const [one, other] = [await named("a quorum of two"), await named("the other tree")];
    await expect(verifyConsistency(one, one, [])).resolves.toBeUndefined();
    await expect(verifyConsistency(one, other, [])).rejects.toMatchObject({ step: "log" });
  });

  it("of two sizes are told by a proof that does not hold, and by none", async () => {
    const one = await named("a quorum of two");
    const larger = { ...one, size: one.size + 1, root: Buffer.alloc(32, 7).toString("base64") };
    for (const proof of [[], Array(4).fill(one.root)])
      await expect(verifyConsistency(one, larger, proof)).rejects.toMatchObject({ step: "log" });
    await expect(verifyConsistency(larger, one, [])).rejects.toMatchObject({ step: "log" });
    const elsewhere = { ...one, origin: "other.example/log" };
    await expect(verifyConsistency(one, elsewhere, [])).rejects.toMatchObject({ step: "log" });
  });
});
