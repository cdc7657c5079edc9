/** Cosigned checkpoints as every SDK must judge them: vectors that another implementation signed (sdk/vectors/cosigned). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  followCheckpoint,
  TwoViewsError,
  VerificationError,
  verifyCheckpoint,
  verifyConsistency,
} from "../../sdk/typescript/src/index.ts";

interface Case {
  name: string;
  note: string;
  policy: string;
  now: number;
  witnesses: string[] | null;
  step?: string;
}
interface Followed extends Omit<Case, "witnesses"> {
  seen?: string;
  proof: string[];
  two_views: boolean;
}
const { cases, followed } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../sdk/vectors/cosigned.json"), "utf8"),
) as { cases: Case[]; followed: Followed[] };

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

describe("a checkpoint after the last one that was seen", () => {
  const origin = cases[0]!.note.split("\n")[0]!;
  it.each(followed.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const { note, policy, now, seen, proof, step, two_views } = each;
    const store = new Map(seen === undefined ? [] : [[origin, seen]]);
    const result = await followCheckpoint(note, policy, { store, proof, now: () => now * 1_000 }).catch(
      (error) => error,
    );
    if (!step) {
      expect([note, seen]).toContain(store.get(origin));
      expect(store.get(origin)!.split("\n")[1]).toBe(String(result.size));
      return;
    }
    expect(result).toBeInstanceOf(VerificationError);
    expect([result.step, store.get(origin)]).toEqual([step, seen]);
    expect(result instanceof TwoViewsError).toBe(two_views);
    if (!two_views) return;
    expect(result).toMatchObject({ earlier: seen, later: note });
    for (const each of [seen!, note]) expect(result.message).toContain(each.split("\n")[2]);
  });
});
