import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/ports/time.ts";
import { listedFilter, locationFilter, readCursor, writeCursor } from "../../../workers/search/rules.ts";
import { anyCharacter } from "../../support/any-character.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("what is listed", () => {
  it("is enabled and not past its manifest's end", () => {
    expect(listedFilter(NOW)).toEqual({ status: "enabled", notExpiredAt: NOW });
  });
  it.each([undefined, "all", " ALL ", ""])("is of every category for %j", (category) => {
    expect(listedFilter(NOW, category)).not.toHaveProperty("category");
  });
  it("is of one category, however it is written", () => {
    expect(listedFilter(NOW, " Food ")).toMatchObject({ category: "food" });
  });
});

describe("a place", () => {
  it.each([
    ["Vienna", { place: "vienna" }],
    ["Vienna, AT", { place: "vienna, at" }],
    ["48.2,16.4,25", { near: { latitude: 48.2, longitude: 16.4, radiusKm: 25 } }],
    [" -33.9 , 151.2 , 0.5 ", { near: { latitude: -33.9, longitude: 151.2, radiusKm: 0.5 } }],
    ["91,0,1", undefined],
    ["0,181,1", undefined],
    ["0,0,0", undefined],
    ["0,0,20001", undefined],
  ])("%j is %j", (text, filter) => {
    expect(locationFilter(text)).toEqual(filter);
  });
});

describe("a cursor", () => {
  const cursor = writeCursor("secret", "shop.test", "all", NOW);
  it("goes on where it was made, for a day", () => {
    expect(readCursor("secret", cursor, "all", NOW + DAY_MS - 1)).toBe("shop.test");
    expect(readCursor("secret", cursor, "all", NOW + DAY_MS)).toBeUndefined();
  });
  it("belongs to one listing of one registry", () => {
    expect(readCursor("secret", cursor, "food", NOW)).toBeUndefined();
    expect(readCursor("other", cursor, "all", NOW)).toBeUndefined();
  });
  it("of anybody's making is none, and harms nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        for (const made of [text, `${text}.${text}`, `${cursor}${text || "x"}`, `${text || "x"}${cursor}`])
          expect(readCursor("secret", made, "all", NOW)).toBeUndefined();
      }),
    );
  });
});
