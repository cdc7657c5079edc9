import { encode } from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSignedSets, setOfText, textOfSet } from "../../../src/adapters/dns/signed-sets.ts";

const NAME = "_bridge.shop.example";
/** Where the answers begin: the header, the name, its type and class. */
const QUESTION_END = 12 + NAME.length + 2 + 4;
const wireOf = (data: Buffer) => ({ data, questionName: NAME, questionEnd: QUESTION_END });

const RRSIG = {
  typeCovered: "TXT",
  algorithm: 15,
  labels: 3,
  originalTTL: 300,
  expiration: 2_000_000_000,
  inception: 1_000_000_000,
  keyTag: 7,
  signersName: "Shop.Example",
  signature: Buffer.alloc(64, 1),
};
const answerOf = (answers: object[]): Buffer =>
  Buffer.from(
    encode({ type: "response", questions: [{ type: "TXT", name: NAME }], answers: answers as never[] }),
  );

describe("signed sets of an answer", () => {
  it("are its records by owner and type, with what signs them", () => {
    const sets = readSignedSets(
      wireOf(
        answerOf([
          { type: "TXT", name: "_Bridge.Shop.example", ttl: 60, data: "one" },
          { type: "TXT", name: NAME, ttl: 60, data: "two" },
          { type: "RRSIG", name: NAME, ttl: 60, data: RRSIG },
        ]),
      ),
    )!;
    expect(sets).toHaveLength(1);
    const [set] = sets;
    expect(set).toMatchObject({ owner: NAME, type: 16, ttlSeconds: 60 });
    expect(set!.data.map((data) => Buffer.from(data).toString())).toEqual(["\x03one", "\x03two"]);
    expect(set!.signatures).toHaveLength(1);
    expect(setOfText(textOfSet(set!))).toEqual({
      ...set,
      data: set!.data.map((each) => new Uint8Array(each)),
      signatures: set!.signatures.map((each) => new Uint8Array(each)),
    });
  });

  it("have names in full, though a message points to them", () => {
    const sets = readSignedSets(
      wireOf(answerOf([{ type: "CNAME", name: NAME, ttl: 60, data: "keys.shop.example" }])),
    );
    expect(Buffer.from(sets![0]!.data[0]!).toString("latin1")).toBe("\x04keys\x04shop\x07example\x00");
  });

  it("are none where there are more than a proof needs", () => {
    const many = Array.from({ length: 33 }, (_, i) => ({ type: "TXT", name: NAME, ttl: 60, data: `${i}` }));
    expect(readSignedSets(wireOf(answerOf(many)))).toBeUndefined();
    const owners = Array.from({ length: 17 }, (_, i) => ({
      type: "TXT",
      name: `${i}.test`,
      ttl: 60,
      data: "x",
    }));
    expect(readSignedSets(wireOf(answerOf(owners)))).toBeUndefined();
  });

  it("are read or refused, whatever a message says", () => {
    const good = answerOf([
      { type: "TXT", name: NAME, ttl: 60, data: "one" },
      { type: "RRSIG", name: NAME, ttl: 60, data: RRSIG },
      { type: "CNAME", name: "a.test", ttl: 60, data: "b.a.test" },
    ]);
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, end) => {
        const data = Buffer.from(good);
        for (const [at, byte] of changes) data[at] = byte;
        for (const bytes of [data, data.subarray(0, Math.max(12, end))]) {
          const sets = readSignedSets(wireOf(bytes));
          expect(sets === undefined || sets.every((set) => set.data.length > 0)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
