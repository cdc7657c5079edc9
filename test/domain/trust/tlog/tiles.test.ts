import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  proofOf,
  verifyConsistency,
  verifyInclusion,
} from "../../../../src/domain/trust/tlog/merkle.ts";
import {
  decodeBundle,
  decodeHashes,
  encodeBundle,
  encodeHashes,
  nodesOfTiles,
  parseTilePath,
  TreeEdge,
  tilePath,
  tilesOf,
  treeHash,
} from "../../../../src/domain/trust/tlog/tiles.ts";

describe("a tile's path", () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, "tile/0/000"],
    [{ level: 1, index: 1234067, width: 256 }, "tile/1/x001/x234/067"],
    [{ level: 3, index: 999, width: 1 }, "tile/3/999.p/1"],
    [{ level: "entries" as const, index: 1000, width: 255 }, "tile/entries/x001/000.p/255"],
  ])("is as C2SP writes it: %j", (name, path) => {
    expect(tilePath(name)).toBe(path);
    expect(parseTilePath(path)).toEqual(name);
  });

  it("has one spelling", () => {
    for (const path of [
      "tile/00/000",
      "tile/0/0",
      "tile/0/x000/001",
      "tile/0/001.p/256",
      "tile/0/001.p/0",
      "tile/0/001.p/01",
      "tile/64/000",
      "tile/0/x001/x234",
      "tile/0/x001/x234/x001/x001/x001/x001/001",
      "tile/-1/000",
      "/tile/0/000",
      "tile/entries/../000",
    ])
      expect(parseTilePath(path), path).toBeUndefined();
  });
});

describe("a bundle", () => {
  it("gives back its entries, and only with their count", () => {
    const small = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(small, (entries) => {
        const bundle = encodeBundle(entries);
        expect(decodeBundle(bundle, entries.length)?.map((entry) => [...entry])).toEqual(
          entries.map((entry) => [...entry]),
        );
        expect(decodeBundle(bundle, entries.length + 1)).toBeUndefined();
        expect(decodeBundle(bundle, entries.length - 1)).toBeUndefined();
        expect(decodeBundle(bundle.subarray(0, -1), entries.length)).toBeUndefined();
      }),
    );
    expect(() => encodeBundle([new Uint8Array(65_536)])).toThrow(RangeError);
  });
});

describe("a tree that grows", () => {
  const SIZE = 66_000;
  const leaves = Array.from({ length: SIZE }, (_, i) => leafHash(Buffer.from(`${i}`)));
  const full = new Map<string, Uint8Array[]>();
  const roots = new Map<number, Uint8Array>();
  const edge = new TreeEdge();
  for (const leaf of leaves) {
    for (const { level, index, hashes } of edge.append(leaf)) full.set(`${level}/${index}`, hashes);
    if (edge.size % 997 === 0 || edge.size % 256 === 0) roots.set(edge.size, edge.root());
  }
  roots.set(SIZE, edge.root());
  const nodes = nodesOfTiles(edge, async (level, index) => full.get(`${level}/${index}`));

  it("has the root that RFC 6962 gives its leaves, at every size", () => {
    for (const [size, root] of [...roots].slice(0, 40)) expect(root).toEqual(treeHash(leaves.slice(0, size)));
    expect(roots.get(SIZE)).toEqual(treeHash(leaves));
  });

  it("completes each tile once, in its place, and keeps no more than the edge", () => {
    const wanted = [...tilesOf(SIZE)].filter(({ width }) => width === 256);
    expect([...full.keys()].sort()).toEqual(wanted.map(({ level, index }) => `${level}/${index}`).sort());
    expect(edge.levels.map(({ length }) => length)).toEqual([SIZE % 256, 257 - 256, 1]);
  });

  it("proves any leaf and any earlier size from its tiles", async () => {
    for (const index of [0, 255, 256, 65_535, 65_536, SIZE - 1]) {
      const proof = await proofOf(inclusionRanges(index, SIZE), nodes);
      expect(verifyInclusion(index, SIZE, leaves[index]!, proof, roots.get(SIZE)!)).toBe(true);
    }
    for (const [size, root] of [...roots].filter((_, i) => i % 20 === 0)) {
      const proof = await proofOf(consistencyRanges(size, SIZE), nodes);
      expect(verifyConsistency(size, SIZE, proof, root, roots.get(SIZE)!)).toBe(true);
    }
  });

  it("goes on from a stored edge as if it had never stopped", () => {
    const half = new TreeEdge();
    for (const leaf of leaves.slice(0, 1_000)) half.append(leaf);
    const resumed = TreeEdge.of(half.size, half.levels.map(encodeHashes).map(decodeHashes));
    for (const leaf of leaves.slice(1_000, 3_000)) resumed.append(leaf);
    expect(resumed.root()).toEqual(treeHash(leaves.slice(0, 3_000)));
  });
});
