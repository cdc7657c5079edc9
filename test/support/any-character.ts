import fc from "fast-check";

const SURROGATES = { from: 0xd800, count: 0x800 } as const;

/**
 * Any Unicode scalar value: fast-check's unit "binary", which takes a second of each test file to list all of them for the
 * sake of the few strings that it mixes in; this one knows by reckoning which of those it can make.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  (character) => {
    if (typeof character !== "string" || [...character].length !== 1) throw new Error("not one character");
    const point = character.codePointAt(0)!;
    if (!character.isWellFormed()) throw new Error("half a character");
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);

/** Any string, those that are no Unicode text among them: lone surrogates. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
);
