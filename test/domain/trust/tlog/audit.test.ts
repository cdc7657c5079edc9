import { describe, expect, it } from "vitest";
import { generateKey } from "../../../../src/domain/trust/ed25519.ts";
import { auditCopy } from "../../../../src/domain/trust/tlog/audit.ts";
import { noteKeyOf } from "../../../../src/domain/trust/tlog/note.ts";
import { copyOf, entriesOf, ORIGIN } from "./log-copy.ts";

const key = generateKey();
const pinned = noteKeyOf(ORIGIN, key.publicKey);
const SIZE = 700;
const entries = entriesOf(SIZE);
const good = copyOf(entries, key);

const audit = (files: Map<string, Uint8Array>, earlier?: Uint8Array) =>
  auditCopy(async (path) => files.get(path), { key: pinned, ...(earlier && { earlier }) });
function changed(change: (files: Map<string, Uint8Array>) => void) {
  const files = new Map(good);
  change(files);
  return audit(files);
}
const flipped = (bytes: Uint8Array, at = 0) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

describe("an audit of a copy", () => {
  it("finds nothing wrong where nothing is, at any size", async () => {
    for (const size of [0, 1, 255, 256, 257, 513, SIZE]) {
      const report = await audit(copyOf(entriesOf(size), key));
      expect(report).toMatchObject({ entries: size, faults: [], keyIsPinned: true });
    }
  });

  it("holds every earlier checkpoint of the same log to be its beginning", async () => {
    for (const size of [0, 1, 256, 300, SIZE])
      expect((await audit(good, copyOf(entriesOf(size), key).get("checkpoint"))).faults).toEqual([]);
    const rewritten = copyOf([Buffer.from("other"), ...entries.slice(1, 300)], key).get("checkpoint");
    expect((await audit(good, rewritten)).faults).toEqual([
      "The first 300 entries are not those of the earlier checkpoint: the log was rewritten.",
    ]);
    const longer = copyOf(entriesOf(SIZE + 1), key).get("checkpoint");
    expect((await audit(good, longer)).faults[0]).toContain("entries were removed");
  });

  it("names an entry that was changed by the tile that contradicts it", async () => {
    const { faults } = await changed((files) => {
      const bundle = files.get("tile/entries/001")!;
      files.set("tile/entries/001", flipped(bundle, bundle.length - 1));
    });
    expect(faults).toContain("tile/0/001: hash 255 is not that of entry 511 in this copy.");
    expect(faults).toContain("checkpoint: its root is not that of the entries in this copy.");
  });

  it.each([
    ["tile/0/000", "tile/0/000: hash 0 is not that of entry 0 in this copy."],
    ["tile/0/002.p/188", "tile/0/002.p/188: hash 0 is not that of entry 512 in this copy."],
    ["tile/1/000.p/2", "tile/1/000.p/2: hash 0 is not that of entries 0 to 255 in this copy."],
  ])("names a tile that was changed: %s", async (path, sentence) => {
    const { faults } = await changed((files) => files.set(path, flipped(files.get(path)!)));
    expect(faults).toEqual([sentence]);
  });

  it("names what is missing", async () => {
    for (const path of good.keys()) {
      if (path === "key") continue;
      const { faults } = await changed((files) => files.delete(path));
      expect(faults[0], path).toBe(`${path}: is missing.`);
    }
  });

  it("names a checkpoint that another key signed, or that is of another log", async () => {
    const other = copyOf(entries, generateKey()).get("checkpoint")!;
    expect((await changed((files) => files.set("checkpoint", other))).faults).toEqual([
      "checkpoint: is not signed by this log's key.",
    ]);
    const tampered = Buffer.from(
      Buffer.from(good.get("checkpoint")!).toString().replace("\n700\n", "\n699\n"),
    );
    expect((await changed((files) => files.set("checkpoint", tampered))).faults).toEqual([
      "checkpoint: its signature is wrong.",
    ]);
  });

  it("uses the copy's own key where none is given, and says so", async () => {
    const report = await auditCopy(async (path) => good.get(path));
    expect(report).toMatchObject({ keyIsPinned: false, faults: [] });
    expect((await auditCopy(async () => undefined)).faults.length).toBe(2);
  });
});
