import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emailIdentity } from "../../../src/domain/names/email.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("an e-mail address", () => {
  it.each([
    ["Ada@Shop.Example", "ada@shop.example"],
    ["ada+bridge@shop.example", "ada+bridge@shop.example"],
    ["a.d.a@shop.example", "a.d.a@shop.example"],
    ["ａｄａ@shop.example", "ada@shop.example"],
    ["ada＠shop.example", "ada@shop.example"],
    ["ada@b\u00fccher.example", "ada@xn--bcher-kva.example"],
    ["ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["J\u00dcRGEN@shop.example", "j\u00fcrgen@shop.example"],
    ["Ju\u0308rgen@shop.example", "j\u00fcrgen@shop.example"],
    ["ada@shop。example", "ada@shop.example"],
    ["o'hara@shop.example", "o'hara@shop.example"],
  ])("%s is %s", (address, identity) => expect(emailIdentity(address)).toBe(identity));

  it.each([
    "",
    "ada",
    "@shop.example",
    "ada@",
    "ada@shop",
    "ada@shop..example",
    "ada@.example",
    ".ada@shop.example",
    "ada.@shop.example",
    "a..da@shop.example",
    "ada@shop@example.com",
    "ada@@shop.example",
    '"a da"@shop.example',
    "ada @shop.example",
    "ada@shop.example\r\nBcc: all@shop.example",
    "ada@shop.example\u0000",
    "a\u200bda@shop.example",
    "a\u202eda@shop.example",
    "ada\ud800@shop.example",
    "ada@127.0.0.1",
    "ada@[127.0.0.1]",
    "ada@-shop.example",
    "ada@sh_op.example",
    "ada,bob@shop.example",
    "<ada@shop.example>",
    `${"a".repeat(65)}@shop.example`,
    `a@${"b".repeat(250)}.example`,
    `${"\u00e9".repeat(33)}@shop.example`,
  ])("%j is none", (address) => expect(emailIdentity(address)).toBeUndefined());

  it("is the same as its identity, and never throws", () =>
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: anyCharacter, maxLength: 40 })), (text) => {
        const identity = emailIdentity(text);
        return identity === undefined || emailIdentity(identity) === identity;
      }),
      { numRuns: 500 },
    ));

  it("is found for every address that mail uses", () =>
    fc.assert(fc.property(fc.emailAddress(), (address) => emailIdentity(address) !== undefined)));
});
