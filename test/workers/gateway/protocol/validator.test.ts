import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch } from "../../../../workers/gateway/protocol/patch.ts";
import { PROTOCOL_RULES } from "../../../../workers/gateway/protocol/rule-list.ts";
import { judgeDocument } from "../../../../workers/gateway/protocol/rules.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import { processorWatch } from "../../../support/processor-watch.ts";
import { drawBase, NOW, signed } from "./documents.ts";
import { falseAlarms, tryMutants } from "./try-mutants.ts";

const base = drawBase(4, 0);
const judge = (text: string, more: { domain?: string; txt?: string[] } = {}) =>
  judgeDocument(text, { now: NOW, domain: more.domain, txt: more.txt, hasPlaces: true });
const codes = (text: string, more = {}) => judge(text, more).diagnostics.map(({ code }) => code);

describe("a document with one fault", () => {
  it("has it found at its exact place, and mended by the patch, for 600 mutants", () => {
    const outcomes = tryMutants(20, 6, 99);
    expect(outcomes.length).toBeGreaterThanOrEqual(500);
    expect(new Set(outcomes.map(({ mutant }) => mutant.name)).size).toBeGreaterThanOrEqual(50);
    const bad = outcomes.filter(({ exact, placed, mended }) => !exact || !placed || !mended);
    expect(bad.map(({ mutant, judgement }) => [mutant.name, mutant.pointer, judgement.diagnostics])).toEqual(
      [],
    );
    expect(falseAlarms(20, 6)).toEqual([]);
  });
});

describe("a sound document", () => {
  it("is of ring 3 when its TXT record is told, and without a word said against it", () => {
    const { diagnostics, valid, ring, grade, score } = judge(JSON.stringify(signed(base)), base);
    expect({ diagnostics, valid, ring, grade, score }).toEqual({
      diagnostics: [],
      valid: true,
      ring: 3,
      grade: "A",
      score: 100,
    });
  });

  it("is told what was not looked at when there is no TXT record to go by", () => {
    const { ring, notObserved } = judge(JSON.stringify(signed(base)));
    expect(ring).toBe(1);
    expect(notObserved.map(({ what }) => what)).toEqual(["txt", "signature"]);
  });

  it("is not of ring 3 when the record holds another's key", () => {
    const { ring, diagnostics } = judge(JSON.stringify(signed(base)), {
      domain: base.domain,
      txt: drawBase(4, 0).txt.map((text) => text.replace(base.key.publicKey, drawBase(4, 1).key.publicKey)),
    });
    expect([ring, diagnostics.map(({ code, pointer }) => [code, pointer])]).toEqual([
      0,
      [["trust.signature_invalid", "/manifest/signature"]],
    ]);
  });
});

describe("a text that is not JSON of one meaning", () => {
  it.each([
    ['{\n  "a": 1,\n  oops\n}', "json.syntax", 3, 3],
    ['{"a": 1,}', "json.syntax", 1, 9],
    ["{ // comment\n}", "json.syntax", 1, 3],
    ["\uFEFF{}", "json.byte_order_mark", 1, 1],
    ['{"a": 1,\n "a": 2}', "json.doubled_key", 2, 2],
    ['{"a":\n 9007199254740993}', "json.unsafe_number", 2, 2],
    [`{"a":${"[".repeat(5_000)}`, "json.too_deep", 1, 69],
  ])("%j is told where", (text, code, line, column) => {
    expect(judge(text).diagnostics.map((one) => [one.code, one.line, one.column])).toEqual([
      [code, line, column],
    ]);
  });

  it("gets an answer whatever it is, at once", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: anyCharacter })), (text) => {
        const { valid, layers } = judge(text);
        expect(valid).toBe(false);
        expect(Object.values(layers)).toContain("failed");
      }),
    );
    const tookMs = processorWatch();
    for (const text of [
      "[".repeat(200_000),
      `{"a":"${"\\u0000".repeat(10_000)}"}`,
      `{${'"a":{'.repeat(20_000)}`,
    ])
      judge(text);
    expect(tookMs()).toBeLessThan(1_000);
  });
});

describe("patches", () => {
  it("never widen what is permitted", () => {
    const document = structuredClone(base.document);
    document.capabilities.commands.push("login");
    const { diagnostics } = judge(JSON.stringify(document));
    const patch = diagnostics.find(({ code }) => code === "lint.command_not_permitted")!.fix_patch!;
    expect(applyPatch(document, patch)).toMatchObject({
      capabilities: { permissions: document.capabilities.permissions },
    });
  });

  it("fit the document they are for, also where much is wrong", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.constantFrom(...Object.keys(base.document)),
        (json, member) => {
          const document = { ...base.document, [member]: JSON.parse(json) as unknown };
          for (const { fix_patch } of judge(JSON.stringify(document)).diagnostics)
            if (fix_patch) applyPatch(document, fix_patch);
        },
      ),
    );
  });
});

describe("the published list of rules", () => {
  it("has every code that mutants and odd texts bring out", () => {
    const known = new Set(PROTOCOL_RULES.map(({ code }) => code));
    const said = new Set(
      tryMutants(3, 3, 200).flatMap(({ judgement }) => judgement.diagnostics.map(({ code }) => code)),
    );
    expect([...said].filter((code) => !code.startsWith("schema.") && !known.has(code))).toEqual([]);
    expect(codes("{}").every((code) => code.startsWith("schema."))).toBe(true);
  });
});
