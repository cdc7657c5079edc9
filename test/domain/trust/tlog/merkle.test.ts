import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  consistencyRanges,
  EMPTY_ROOT,
  inclusionRanges,
  leafHash,
  type NodeReader,
  nodeHash,
  proofOf,
  rangeHash,
  verifyConsistency,
  verifyInclusion,
  verifySubtreeConsistency,
  verifySubtreeInclusion,
} from "../../../../src/domain/trust/tlog/merkle.ts";
import { dataFile } from "../../../support/data.ts";

const bytes = (base64: string): Uint8Array => Buffer.from(base64, "base64");

interface Case {
  leafIdx: number;
  treeSize: number;
  start: number;
  end: number;
  size: number;
  size1: number;
  size2: number;
  root: string;
  root1: string;
  root2: string;
  leafHash: string;
  proof: string[] | null;
  wantErr: boolean;
}

/** What each collection of vectors asks. */
const VERIFIERS: Record<string, (one: Case, proof: Uint8Array[]) => boolean> = {
  inclusion: (one, proof) =>
    verifyInclusion(one.leafIdx, one.treeSize, bytes(one.leafHash), proof, bytes(one.root)),
  consistency: (one, proof) =>
    verifyConsistency(one.size1, one.size2, proof, bytes(one.root1), bytes(one.root2)),
  subtreeinclusion: (one, proof) =>
    verifySubtreeInclusion(one.leafIdx, one, bytes(one.leafHash), proof, bytes(one.root)),
  subtreeconsistency: (one, proof) =>
    verifySubtreeConsistency(one, one.size, proof, bytes(one.root1), bytes(one.root2)),
};

const vectors = dataFile("vectors/merkle-proofs.jsonl");

describe("published proofs", () => {
  it.skipIf(!vectors)("right ones pass and corrupted ones fail (transparency-dev/merkle)", () => {
    const cases: { name: string; case: Case }[] = readFileSync(vectors!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(cases.length).toBe(518);
    const wrong = cases.filter(({ name, case: one }) => {
      const verify = VERIFIERS[name.split("/")[0]!]!;
      return verify(one, (one.proof ?? []).map(bytes)) === one.wantErr;
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

/** RFC 6962's definition, word for word, on leaf hashes. */
function naiveRoot(hashes: Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return EMPTY_ROOT;
  if (hashes.length === 1) return hashes[0]!;
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return nodeHash(naiveRoot(hashes.slice(0, k)), naiveRoot(hashes.slice(k)));
}

const leaves = Array.from({ length: 300 }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));
const read: NodeReader = async (level, index) =>
  naiveRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));

const sizes = fc.integer({ min: 1, max: 300 });

describe("proofs that we make", () => {
  it("have the root that RFC 6962 defines", async () => {
    for (const size of [0, 1, 2, 3, 7, 8, 255, 256, 257, 300])
      expect(await rangeHash({ start: 0, end: size }, read)).toEqual(naiveRoot(leaves.slice(0, size)));
  });

  it("of inclusion hold for their leaf, and for no other leaf, index, size or root", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(299), fc.nat(299), async (size, a, b) => {
        const [index, other] = [a % size, b % size];
        const root = naiveRoot(leaves.slice(0, size));
        const proof = await proofOf(inclusionRanges(index, size), read);
        expect(verifyInclusion(index, size, leaves[index]!, proof, root)).toBe(true);
        if (other === index) return;
        expect(verifyInclusion(index, size, leaves[other]!, proof, root)).toBe(false);
        expect(verifyInclusion(other, size, leaves[index]!, proof, root)).toBe(false);
        expect(verifyInclusion(index, size, leaves[index]!, proof, leaves[other]!)).toBe(false);
        expect(verifyInclusion(index, size, leaves[index]!, [...proof, root], root)).toBe(false);
      }),
    );
  });

  it("of consistency hold for their two trees, and for no others", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, sizes, async (a, b) => {
        const [old, size] = [Math.min(a, b), Math.max(a, b)];
        const [oldRoot, root] = [naiveRoot(leaves.slice(0, old)), naiveRoot(leaves.slice(0, size))];
        const proof = await proofOf(consistencyRanges(old, size), read);
        expect(verifyConsistency(old, size, proof, oldRoot, root)).toBe(true);
        if (old === size) return;
        expect(verifyConsistency(old, size, proof, root, root)).toBe(false);
        expect(verifyConsistency(old, size, proof, oldRoot, oldRoot)).toBe(false);
        expect(verifyConsistency(old, size, [...proof, root], oldRoot, root)).toBe(false);
        expect(verifyConsistency(old, size, proof.slice(0, -1), oldRoot, root)).toBe(false);
      }),
    );
  });

  it("say nothing of a tree that is not there", async () => {
    await expect(rangeHash({ start: 0, end: 3 }, async () => undefined)).rejects.toThrow(RangeError);
    expect(verifyConsistency(0, 3, [], EMPTY_ROOT, naiveRoot(leaves.slice(0, 3)))).toBe(false);
    expect(verifyInclusion(0, 0, leaves[0]!, [], EMPTY_ROOT)).toBe(false);
    for (const size of [-1, 1.5, Number.NaN, 2 ** 60])
      expect(verifyInclusion(0, size, leaves[0]!, [], leaves[0]!)).toBe(false);
  });
});
