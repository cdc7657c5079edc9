import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEndpoint } from "../../../src/domain/names/endpoint.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import {
  chunkTxt,
  formatTxtRecord,
  parseTxtRecord,
  selectRecords,
} from "../../../src/domain/trust/txt-record.ts";

const key = generateKey();
const endpoint = "https://shop.example";
const pk = `pk=${key.publicKey}`;
const sound = `v=BRIDGE1; k=ed25519; ${pk}; endpoint=${endpoint}`;
function refused(text: string): string {
  const parsed = parseTxtRecord(text);
  return parsed.ok ? "accepted" : parsed.reason;
}
function selected(...texts: string[]): string {
  const selection = selectRecords(texts, "shop.example");
  return selection.ok ? selection.keys.map((found) => found.kid).join() : selection.reason;
}
const another = (at = endpoint): string =>
  formatTxtRecord({ publicKey: generateKey().publicKey, endpoint: at });

describe("formatTxtRecord", () => {
  it("writes what the record template promises, and reads it back", () => {
    const text = formatTxtRecord({ publicKey: key.publicKey, endpoint: "https://Shop.example:443/x" });
    expect(text).toBe(sound);
    expect(parseTxtRecord(text)).toEqual({
      ok: true,
      record: { publicKey: key.publicKey, endpoint },
    });
  });

  it("writes a revoked record with an empty pk", () => {
    const text = formatTxtRecord({ publicKey: null, endpoint });
    expect(text).toBe("v=BRIDGE1; k=ed25519; pk=; endpoint=https://shop.example");
    expect(parseTxtRecord(text)).toEqual({ ok: true, record: { publicKey: null, endpoint } });
  });

  it("throws on a key or an address that nobody would accept", () => {
    expect(() => formatTxtRecord({ publicKey: "short", endpoint })).toThrow(TypeError);
    expect(() => formatTxtRecord({ publicKey: key.publicKey, endpoint: "http://shop.example" })).toThrow();
    expect(() => formatTxtRecord({ publicKey: key.publicKey, endpoint: "https://a.example/;v=2" })).toThrow();
  });
});

describe("parseTxtRecord", () => {
  it("needs only pk and endpoint, in any order", () => {
    expect(refused(`endpoint=${endpoint}; ${pk}`)).toBe("accepted");
    expect(refused(`k=ed25519;${pk};endpoint=${endpoint}`)).toBe("accepted");
  });

  it("ignores white space around tags, a final semicolon, and unknown tags", () => {
    expect(refused(` v =\tBRIDGE1 ;\r\n ${pk} ; endpoint = ${endpoint}\t;  `)).toBe("accepted");
    expect(refused(`${sound}; note=made by hand; x_1=`)).toBe("accepted");
  });

  it("discards a doubled tag, even an unknown or equal one", () => {
    expect(refused(`${sound}; ${pk}`)).toBe("the tag pk is duplicated");
    expect(refused(`${sound}; n=1; n=1`)).toBe("the tag n is duplicated");
  });

  it("discards what is not a tag list", () => {
    for (const text of [
      "",
      ";",
      "v=BRIDGE1;;",
      `${sound};;`,
      `=x; ${sound}`,
      `1a=x; ${sound}`,
      `${sound}; a`,
    ]) {
      expect(refused(text)).toBe("not a list of tag=value");
    }
    expect(refused(`${sound}; n=ü`)).toContain("character that is not allowed there");
    expect(refused(`${sound}; n=a\nb`)).toContain("character that is not allowed there");
  });

  it("takes 1,024 characters, and says what to leave out of more", () => {
    const filled = (length: number) => `${sound}; n=`.padEnd(length, "x");
    expect(parseTxtRecord(filled(1_024)).ok).toBe(true);
    expect(refused(filled(1_025))).toBe(
      "the record is longer than 1024 characters: publish v, k, pk and endpoint, and leave other tags out",
    );
    const within = (length: number) => `${pk}; endpoint=${`${endpoint}/`.padEnd(length, "x")}`;
    expect(parseTxtRecord(within(512)).ok).toBe(true);
    expect(refused(within(513))).toBe("endpoint is longer than 512 characters");
  });

  it("wants v first, and BRIDGE1; k ed25519; names in lower case", () => {
    expect(refused(`${pk}; v=BRIDGE1; endpoint=${endpoint}`)).toBe("v is not the first tag");
    expect(refused(`v=bridge1; ${pk}; endpoint=${endpoint}`)).toBe("v is not BRIDGE1");
    expect(refused(`k=rsa; ${pk}; endpoint=${endpoint}`)).toBe("k is not ed25519");
    expect(refused(`PK=${key.publicKey}; endpoint=${endpoint}`)).toBe(
      "pk is missing: names are in lower case, and PK is another one",
    );
    expect(refused(pk)).toBe("endpoint is missing");
  });

  it("wants the one spelling of a usable key", () => {
    const small = Buffer.alloc(32).toString("base64url");
    const unreduced = Buffer.from(`${"ff".repeat(31)}7f`, "hex").toString("base64url");
    const offCurve = Buffer.from(`02${"00".repeat(31)}`, "hex").toString("base64url");
    for (const value of [small, unreduced, offCurve]) {
      expect(refused(`pk=${value}; endpoint=${endpoint}`)).toBe("pk is not a usable Ed25519 key");
    }
    const loose = [
      `${key.publicKey}=`,
      key.publicKey.slice(1),
      `${key.publicKey}A`,
      `${small.slice(0, -1)}B`,
    ];
    for (const value of loose)
      expect(refused(`pk=${value}; endpoint=${endpoint}`)).toContain("43 characters");
  });

  it("takes an empty pk for revoked, with or without an endpoint", () => {
    expect(parseTxtRecord("v=BRIDGE1; pk=")).toEqual({
      ok: true,
      record: { publicKey: null, endpoint: null },
    });
    expect(refused("v=BRIDGE1; pk=; endpoint=http://shop.example")).toContain("https");
  });

  it("wants an https address and nothing that could hide another", () => {
    const wrong = [
      "http://shop.example",
      "shop.example",
      "//shop.example",
      "https://user@shop.example",
      "https://shop.example/?a",
      "https://shop.example?",
      "https://shop.example#",
      "https:\\\\shop.example",
      "https:shop.example",
      "https://sh\top.example",
      "https://",
      "javascript:alert(1)",
      `https://shop.example/${"x".repeat(512)}`,
    ];
    for (const text of wrong) expect([text, parseEndpoint(text).ok]).toEqual([text, false]);
    expect(parseEndpoint("https://shop.example:8443")).toMatchObject({ ok: true });
  });

  it("never throws, and what it accepts it writes and reads the same", () => {
    const words = [
      "v=BRIDGE1",
      "k=ed25519",
      pk,
      "pk=",
      `endpoint=${endpoint}`,
      "endpoint=https://[::1]:9",
      "x=1",
    ];
    const pieces = fc.constantFrom(...words, ";", "; ", " ", "=", "\t", "\r\n ", "é");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const parsed = parseTxtRecord(parts.join(""));
        if (!parsed.ok || parsed.record.endpoint === null) return;
        const { publicKey, endpoint: at } = parsed.record;
        expect(parseTxtRecord(formatTxtRecord({ publicKey, endpoint: at }))).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("selectRecords", () => {
  it("gives the endpoint and the fingerprints of up to four keys", () => {
    const selection = selectRecords([sound, another(), another(), another()], "shop.example");
    expect(selection).toMatchObject({ ok: true, endpoint: new URL(endpoint) });
    expect(selection.ok && selection.keys).toHaveLength(4);
    expect(selected(sound, another(), another(), another(), another())).toBe("too_many");
    expect(selected(...Array.from({ length: 17 }, () => "v=BRIDGE1"))).toBe("too_many");
  });

  it("takes the same key twice for one", () => {
    expect(selected(sound, sound.replaceAll("; ", ";"))).toBe(key.kid);
  });

  it("ignores texts that are not ours", () => {
    const others = [
      "v=spf1 -all",
      "google-site-verification=abc",
      "",
      "v=DKIM1; k=rsa; pk=x",
      "v=BRIDGE2; pk=x",
    ];
    expect(selected(...others)).toBe("none");
    expect(selected(...others, sound)).toBe(key.kid);
    expect(selected()).toBe("none");
  });

  it("says what went wrong in pasting a record", () => {
    const detail = (text: string) => {
      const selection = selectRecords([text], "shop.example");
      return selection.ok ? "" : `${selection.reason}: ${selection.detail}`;
    };
    expect(detail(`"${sound}"`)).toMatch(/^invalid: .*quotation marks/);
    expect(detail(sound.replace("v=", '"v=').replace("; endpoint", '" "; endpoint'))).toMatch(/quotation/);
    const escaped = detail(sound.replaceAll(";", "\\;"));
    expect(escaped).toMatch(/^invalid: the value has backslashes in it: publish it without them/);
    expect(detail(`"${sound.replaceAll(";", "\\;")}"`)).toMatch(/quotation marks and backslashes/);
    expect(detail(sound.replace("v=BRIDGE1", "V=bridge1"))).toMatch(/^invalid: .*begins with v=BRIDGE1/);
    expect(detail('"v=spf1 -all"')).toMatch(/^none: /);
  });

  it("discards a malformed record of ours, and says why when nothing is left", () => {
    expect(selected(`${sound}; ${pk}`, sound)).toBe(key.kid);
    expect(selectRecords([`${sound}; ${pk}`, "v=BRIDGE1"], "shop.example")).toMatchObject({
      reason: "invalid",
      detail: "the tag pk is duplicated; pk is missing",
    });
  });

  it("finds endpoints that disagree ambiguous", () => {
    expect(selected(sound, another("https://www.shop.example"))).toBe("ambiguous");
    expect(selected(sound, another("https://shop.example:8443"))).toBe("ambiguous");
    expect(selected(sound, another("https://SHOP.example/path"))).toContain(key.kid);
  });

  it("wants the endpoint at the domain or below it", () => {
    const at = (host: string): string => selected(`${pk}; endpoint=https://${host}`);
    for (const host of ["shop.example", "api.eu.shop.example:8443"]) expect(at(host)).toBe(key.kid);
    const elsewhere = [
      "example",
      "evilshop.example",
      "shop.example.evil.example",
      "127.0.0.1",
      "shop.example.",
    ];
    for (const host of elsewhere) expect(at(host)).toBe("invalid");
  });

  it("is revoked only when no valid key is left", () => {
    expect(selected("v=BRIDGE1; pk=")).toBe("revoked");
    expect(selected("v=BRIDGE1; pk=; endpoint=https://old.shop.example", sound)).toBe(key.kid);
  });

  it("does not depend on the order in which DNS answers", () => {
    const texts = [sound, "v=BRIDGE1; pk=", "v=spf1", `${sound}; ${pk}`];
    fc.assert(
      fc.property(fc.shuffledSubarray(texts, { minLength: 4 }), (order) => {
        expect(selected(...order)).toBe(key.kid);
      }),
    );
  });
});

describe("chunkTxt", () => {
  it("leaves a short value whole", () => {
    expect(chunkTxt(sound)).toEqual([`"${sound}"`]);
    expect(chunkTxt("")).toEqual(['""']);
  });

  it("cuts at 255 bytes, not characters, and loses none", () => {
    const chunks = chunkTxt("a".repeat(254) + "é".repeat(2));
    expect(chunks).toEqual([`"${"a".repeat(254)}\\195"`, '"\\169\\195\\169"']);
  });

  it("escapes what would end or change a string in a zone file", () => {
    expect(chunkTxt('a"b\\c\n;')).toEqual(['"a\\"b\\\\c\\010;"']);
  });
});
