import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { FlattenedSign, flattenedVerify } from "jose";
import { describe, expect, it } from "vitest";
import { encodeBase64Url } from "../../../src/domain/protocols/base64url.ts";
import { generateKey, sign, thumbprint } from "../../../src/domain/trust/ed25519.ts";
import { signJws, verifyJws } from "../../../src/domain/trust/jws.ts";
import { dataFile } from "../../support/data.ts";

const key = generateKey();
const payload = '{"a":1}';
function outcome(jws: unknown, keys = [key]): string {
  const result = verifyJws(jws, keys);
  return result.ok ? Buffer.from(result.payload).toString() : result.reason;
}
/** Rightly signed, whatever its protected header says. */
function signedWith(header: unknown, by = key): unknown {
  const text = typeof header === "string" ? header : JSON.stringify(header);
  const parts = [encodeBase64Url(text), encodeBase64Url(payload)] as const;
  const signature = encodeBase64Url(sign(by.privateKey, Buffer.from(parts.join("."))));
  return { protected: parts[0], payload: parts[1], signature };
}
function flattened(compact: string): unknown {
  const [header, body, signature] = compact.split(".");
  return { protected: header, payload: body, signature };
}
const wycheproof = dataFile("vectors/jws-wycheproof.json");

describe("verifyJws", () => {
  it("gives the payload's bytes and the key that signed them", () => {
    const other = generateKey();
    const result = verifyJws(signJws("ü", key.privateKey, key.kid), [other, key]);
    expect(result).toEqual({ ok: true, payload: Buffer.from("ü"), kid: key.kid });
  });

  it("accepts RFC 8037's example, whose alg is EdDSA and which names no key", () => {
    const publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const jws = flattened(
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc." +
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    );
    expect(outcome(jws, [{ ...key, publicKey, kid: thumbprint(publicKey) }])).toBe(
      "Example of Ed25519 signing",
    );
  });

  it("understands and is understood by another implementation", async () => {
    const privateKey = createPrivateKey(key.privateKey);
    const ours = signJws(payload, key.privateKey, key.kid);
    const theirs = await flattenedVerify(ours, createPublicKey(privateKey));
    expect(Buffer.from(theirs.payload).toString()).toBe(payload);
    const header = { alg: "Ed25519", kid: key.kid, typ: "JOSE" };
    const jws = await new FlattenedSign(Buffer.from(payload)).setProtectedHeader(header).sign(privateKey);
    expect(outcome(jws)).toBe(payload);
  });

  it("tries each of up to four keys when none is named", () => {
    const others = Array.from({ length: 4 }, generateKey);
    const unnamed = signedWith({ alg: "Ed25519" });
    expect(outcome(unnamed, [...others.slice(0, 3), key])).toBe(payload);
    expect(verifyJws(unnamed, [...others, key])).toMatchObject({
      reason: "signature_wrong",
      triedKids: others.map((other) => other.kid),
    });
    expect(outcome(unnamed, [])).toBe("unknown_key");
  });

  it("tries only the key that is named", () => {
    const other = generateKey();
    expect(outcome(signedWith({ alg: "Ed25519", kid: other.kid }), [key, other])).toBe("signature_wrong");
    expect(verifyJws(signedWith({ alg: "Ed25519", kid: "invented" }), [key, other])).toMatchObject({
      reason: "unknown_key",
      triedKids: [key.kid, other.kid],
    });
  });

  it("refuses headers that bring a key of their own, or change what is signed", () => {
    const { kid } = key;
    for (const name of ["jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit", "b64"]) {
      for (const value of ["https://evil.example", {}, null, false]) {
        expect(outcome(signedWith({ alg: "Ed25519", kid, [name]: value }))).toBe("refused_header");
      }
    }
  });

  it("refuses every other algorithm", () => {
    for (const alg of [
      "none",
      "HS256",
      "ES256",
      "Ed448",
      "ed25519",
      "EDDSA",
      "",
      null,
      undefined,
      ["Ed25519"],
    ]) {
      expect(outcome(signedWith({ alg, kid: key.kid }))).toBe("unsupported_algorithm");
    }
  });

  it("refuses headers that two readers could read differently", () => {
    const { kid } = key;
    expect(outcome(signedWith(`{"alg":"Ed25519","kid":"${kid}","alg":"Ed25519"}`))).toBe("malformed");
    for (const header of [
      "",
      "[]",
      "null",
      '"Ed25519"',
      '\ufeff{"alg":"Ed25519"}',
      '{"alg":"Ed25519","kid":7}',
    ]) {
      expect(outcome(signedWith(header))).toBe("malformed");
    }
  });

  it("refuses an unprotected header, a missing part, and loose base64url", () => {
    const jws = signJws(payload, key.privateKey, key.kid);
    expect(outcome({ ...jws, header: {} })).toBe("malformed");
    for (const part of ["payload", "protected", "signature"] as const) {
      expect(outcome({ ...jws, [part]: undefined })).toBe("malformed");
      expect(outcome({ ...jws, [part]: `${jws[part]}=` })).toBe("malformed");
      expect(outcome({ ...jws, [part]: ` ${jws[part]}` })).toBe("malformed");
    }
    for (const value of [null, undefined, "a.b.c", 1, [], {}]) expect(outcome(value)).toBe("malformed");
  });

  it("refuses any single changed character", () => {
    const jws = signJws(payload, key.privateKey, key.kid);
    const part = fc.constantFrom("payload" as const, "protected" as const, "signature" as const);
    fc.assert(
      fc.property(part, fc.nat(), fc.constantFrom(..."Aa0_-"), (name, at, character) => {
        const index = at % jws[name].length;
        fc.pre(jws[name][index] !== character);
        const changed = jws[name].slice(0, index) + character + jws[name].slice(index + 1);
        expect(verifyJws({ ...jws, [name]: changed }, [key]).ok).toBe(false);
      }),
    );
  });

  it.skipIf(!wycheproof)(
    `refuses all of Wycheproof's, whose keys are of other kinds${wycheproof ? "" : " (vectors missing)"}`,
    () => {
      interface Group {
        public?: { kty: string };
        private?: { kty: string };
        tests: { tcId: number; jws: unknown }[];
      }
      const { testGroups } = JSON.parse(readFileSync(wycheproof!, "utf8")) as { testGroups: Group[] };
      expect(testGroups.some((group) => (group.public ?? group.private)?.kty === "OKP")).toBe(false);
      const all = testGroups.flatMap((group) => group.tests);
      expect(all).toHaveLength(401);
      for (const { jws } of all) {
        expect(verifyJws(jws, [key]).ok).toBe(false);
        if (typeof jws === "string") expect(verifyJws(flattened(jws), [key]).ok).toBe(false);
      }
    },
  );
});
