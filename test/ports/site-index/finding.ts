/** Which sites terms, domains and names find, whatever stands in them. */
import { describe, expect, it } from "vitest";
import { analyzeQuery, exactForm } from "../../../src/domain/search/text-analysis.ts";
import { documentOf, put, remove } from "../index-document.ts";
import { asked, indexOf, type Open, search } from "./support.ts";

export function finding(open: Open): void {
  describe("finding", () => {
    const index = indexOf(open, [
      { domain: "cpp.example", text: "libraries in C++ and C#" },
      { domain: "node.example", text: "hosting for Node.js" },
      { domain: "tower.example", name: "東京タワー", text: "展望台" },
      { domain: "cafe.example", name: "Café Müller", text: "Größe Ναός" },
      { domain: "who.example", name: "The Who", text: "concert" },
      { domain: "who-two.example", name: "the  WHO", text: "health" },
      { domain: "both.example", text: "green tea" },
      { domain: "one.example", text: "green green green green" },
      { domain: "odd.example", text: "AND OR NOT NEAR text name col rowid" },
      { domain: "turn.example", text: "carousel" },
      { domain: "my.turn.example", name: "Carousel" },
    ]);

    it("finds by sign, by either spelling, by CJK and without diacritics", async () => {
      expect(await search(index(), "c++")).toEqual(["cpp.example"]);
      expect(await search(index(), "nodejs")).toEqual(["node.example"]);
      expect(await search(index(), "京タワ")).toEqual(["tower.example"]);
      expect(await search(index(), "展望")).toEqual(["tower.example"]);
      expect(await search(index(), "cafe MULLER")).toEqual(["cafe.example"]);
      expect(await search(index(), "GRÖSSE")).toEqual(["cafe.example"]);
      expect(await search(index(), "ναοσ")).toEqual(["cafe.example"]);
    });

    it("always holds the site whose domain or whole name was asked for, stop words or not", async () => {
      expect(await search(index(), "", { exactName: "the who" })).toEqual(["who-two.example", "who.example"]);
      expect(await search(index(), "green tea", { exactDomain: "cpp.example", limit: 1 })).toEqual([
        "cpp.example",
      ]);
      const found = await index().candidates(asked("", { exactDomain: "cpp.example" }));
      expect([found.total, found.totalIsExact]).toEqual([1, true]);
    });

    it("finds by words also where a crowd has taken the whole name", async () => {
      const crowd = Array.from({ length: 60 }, (_, i) => `crowd${i}.example`);
      await index().apply(crowd.map((domain) => put({ domain, name: "Samovar Hire" })));
      await index().apply([put({ domain: "zarya.example", name: "Zarya", text: "samovar hire ".repeat(6) })]);
      expect(await search(index(), "samovar hire", { exactName: "samovar hire", limit: 40 })).toContain(
        "zarya.example",
      );
      await index().apply([...crowd, "zarya.example"].map((domain) => remove(domain, 2)));
    });

    it("puts sites with every term before sites with some", async () => {
      expect(await search(index(), "tea green")).toEqual(["both.example", "one.example"]);
      expect(await search(index(), "tea green", { limit: 1 })).toEqual(["both.example"]);
      expect(await search(index(), "tea unheardof")).toEqual(["both.example"]);
    });

    it("says whose each site is", async () => {
      const { candidates } = await index().candidates(asked("carousel"));
      expect(candidates.map(({ siteId, owner }) => [siteId, owner]).sort()).toEqual([
        ["my.turn.example", "turn.example"],
        ["turn.example", "turn.example"],
      ]);
    });

    it("keeps the names of candidates apart, whatever stands in them", async () => {
      const names = ["Vase \0 one", "Vase\r\ntwo\n", "\u2028Vase\u0085 three", "Vase \ud800 four", "Väse 🏺"];
      await index().apply(names.map((name, i) => put({ domain: `vase${i}.example`, name, text: "vase" })));
      const { candidates } = await index().candidates(asked("vase"));
      expect(candidates.map(({ siteId, owner, exactName }) => [siteId, owner, exactName]).sort()).toEqual(
        names.map((name, i) => [`vase${i}.example`, `vase${i}.example`, exactForm(name)]),
      );
      await index().apply(names.map((_, i) => remove(`vase${i}.example`, 2)));
    });

    it("counts all that match, not only those it gives", async () => {
      const found = await index().candidates(asked("green", { limit: 1 }));
      expect([found.candidates.length, found.total, found.totalIsExact]).toEqual([1, 2, true]);
    });

    const hostile = [
      "AND",
      'NEAR("a" "b", 5)',
      '"',
      '""" OR "',
      "name:green",
      "{name text}: green",
      "^green*",
      "/gr.*n/ (a|b)+$ [a-z]{3,}",
      "_exists_:text AND text:[* TO *] green~2^5 \\: gre?n && !tea",
      "the ".repeat(2_500),
      "🎉".repeat(5_000),
      "green -tea + -",
      "'; DROP TABLE sites; --",
      "\0green\0",
      "\ud800 \udfff",
      "\ufeff\u202e",
      "🎉👩‍👩‍👧‍👦",
      "the of and to",
      "",
      " \n\t",
      "_ __ __c __cother",
      "a".repeat(10_000),
      "green ".repeat(1_666),
      "東".repeat(10_000),
      Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(" "),
    ];
    for (const text of hostile) {
      const shown = text.length > 40 ? `${text.slice(0, 20)}… of ${text.length} characters` : text;
      it(`answers the query ${JSON.stringify(shown)}`, async () => {
        const found = await index().candidates(asked(text, { exactDomain: text, exactName: text }));
        expect(found.documentFrequencies).toHaveLength(analyzeQuery(text).length);
      });
    }

    it("takes terms as they are, whatever stands in them", async () => {
      const terms = ['"', "a b", "OR", "__cother", "x\0y", "*", "", "\ud800", "_", "é".repeat(5_000)];
      const document = documentOf({ domain: "raw.example" });
      await index().apply([
        { kind: "put", document: { ...document, terms: { ...document.terms, text: terms } } },
      ]);
      for (const term of terms) {
        const found = await index().candidates({ terms: [term], filter: {}, limit: 10 });
        expect(found.candidates.map((candidate) => candidate.siteId)).toEqual(
          term === "" ? [] : ["raw.example"],
        );
      }
      await index().apply([remove("raw.example", 2)]);
    });
  });
}
