import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import * as noble from "@noble/ed25519";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodePublicKey,
  generateKey,
  isValidPublicKey,
  keyFromPem,
  keyFromSeed,
  passesPreCheck,
  sign,
  thumbprint,
  verifyStrict,
} from "../../../src/domain/trust/ed25519.ts";
import { dataFile } from "../../support/data.ts";

noble.hashes.sha512 = (message) => new Uint8Array(createHash("sha512").update(message).digest());

const hex = (text: string): Uint8Array => Buffer.from(text, "hex");
const cctv = dataFile("vectors/ed25519-cctv.json");
const wycheproof = dataFile("vectors/ed25519-wycheproof.json");
const missing = (name: string, file: string | undefined): string =>
  file ? name : `${name} (vectors missing)`;

interface CctvVector {
  number: number;
  key: string;
  sig: string;
  msg: string;
  flags: string[] | null;
}
interface WycheproofGroup {
  publicKey: { pk: string };
  tests: { tcId: number; msg: string; sig: string; result: "valid" | "invalid" }[];
}

describe("keys", () => {
  it("come out as RFC 8032's test 1 from its seed", () => {
    const key = keyFromSeed(hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
    expect(key.publicKey).toBe("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    expect(Buffer.from(sign(key.privateKey, new Uint8Array())).toString("hex")).toBe(
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    );
  });

  it("are named by RFC 8037's thumbprint", () => {
    expect(thumbprint("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")).toBe(
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    );
  });

  it("sign what they verify, and differ each time", () => {
    const [one, other] = [generateKey(), generateKey()];
    const message = Buffer.from("message");
    const signature = sign(one.privateKey, message);
    expect(verifyStrict(decodePublicKey(one.publicKey)!, message, signature)).toBe(true);
    expect(verifyStrict(decodePublicKey(other.publicKey)!, message, signature)).toBe(false);
  });

  it("are read back from their PEM, other keys and texts are not", () => {
    const key = generateKey();
    expect(keyFromPem(key.privateKey)).toEqual(key);
    const { privateKey } = generateKeyPairSync("x25519");
    expect(keyFromPem(privateKey.export({ format: "pem", type: "pkcs8" }) as string)).toBeUndefined();
    expect(keyFromPem("no key")).toBeUndefined();
  });

  it("are refused as a seed of another length", () => {
    expect(() => keyFromSeed(new Uint8Array(31))).toThrow(TypeError);
  });

  it("are valid on the curve, and about half of all texts are not on it", () => {
    for (let i = 0; i < 20; i++)
      expect(isValidPublicKey(decodePublicKey(generateKey().publicKey)!)).toBe(true);
    const random = Array.from({ length: 400 }, (_, i) => createHash("sha256").update(`${i}`).digest());
    const valid = random.filter((bytes) => isValidPublicKey(bytes)).length;
    expect(valid).toBeGreaterThan(150);
    expect(valid).toBeLessThan(250);
  });

  it("are refused on all eight points of small order, in every encoding", () => {
    const p = 2n ** 255n - 19n;
    const eighth = noble.Point.fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");
    const ys = new Set<bigint>();
    for (let i = 0, point = noble.Point.ZERO; i < 8; i++, point = point.add(eighth)) ys.add(point.y);
    expect(ys.size).toBe(5);
    for (const y of [...ys, p, p + 1n, 2n ** 255n - 1n]) {
      for (const signBit of [0n, 2n ** 255n]) {
        const encoding = hex((y + signBit).toString(16).padStart(64, "0")).reverse();
        expect(isValidPublicKey(encoding)).toBe(false);
      }
    }
  });

  it("are refused when shorter or longer than 32 bytes", () => {
    const raw = decodePublicKey(generateKey().publicKey)!;
    expect(isValidPublicKey(raw.subarray(1))).toBe(false);
    expect(isValidPublicKey(Buffer.concat([raw, Buffer.of(0)]))).toBe(false);
    expect(verifyStrict(raw.subarray(1), new Uint8Array(), new Uint8Array(64))).toBe(false);
  });
});

describe("verifyStrict", () => {
  it.skipIf(!cctv)(missing("accepts of CCTV's 914 exactly what the pinned rule accepts", cctv), () => {
    // A low-order component alone is within the rule (cofactorless); a residue of it is what only a cofactored
    // verifier accepts; the others are refused before the library is asked.
    const refused = ["low_order_A", "low_order_R", "non_canonical_A", "non_canonical_R", "low_order_residue"];
    const vectors = JSON.parse(readFileSync(cctv!, "utf8")) as CctvVector[];
    expect(vectors).toHaveLength(914);
    const wrong = vectors.filter((vector) => {
      const expected = !(vector.flags ?? []).some((flag) => refused.includes(flag));
      return verifyStrict(hex(vector.key), Buffer.from(vector.msg), hex(vector.sig)) !== expected;
    });
    expect(wrong.map((vector) => [vector.number, vector.flags])).toEqual([]);
    const accepted = vectors.filter((vector) => !(vector.flags ?? []).some((flag) => refused.includes(flag)));
    expect(accepted.length).toBe(43);
  });

  it.skipIf(!cctv)(missing("leaves none of CCTV's forbidden points to the library", cctv), () => {
    const forbidden = ["low_order_A", "low_order_R", "non_canonical_A", "non_canonical_R"];
    const vectors = JSON.parse(readFileSync(cctv!, "utf8")) as CctvVector[];
    const wrong = vectors.filter((vector) => {
      const expected = !(vector.flags ?? []).some((flag) => forbidden.includes(flag));
      return passesPreCheck(hex(vector.key), hex(vector.sig)) !== expected;
    });
    expect(wrong.map((vector) => [vector.number, vector.flags])).toEqual([]);
  });

  it.skipIf(!wycheproof)(missing("agrees with all 151 of Wycheproof", wycheproof), () => {
    const { testGroups } = JSON.parse(readFileSync(wycheproof!, "utf8")) as { testGroups: WycheproofGroup[] };
    const cases = testGroups.flatMap((group) =>
      group.tests.map((test) => ({ ...test, pk: group.publicKey.pk })),
    );
    expect(cases).toHaveLength(151);
    const wrong = cases.filter(
      (test) => verifyStrict(hex(test.pk), hex(test.msg), hex(test.sig)) !== (test.result === "valid"),
    );
    expect(wrong.map((test) => test.tcId)).toEqual([]);
  });

  it("agrees with a second implementation on damaged keys, messages and signatures", () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const flips = fc.array(fc.tuple(fc.nat(127), fc.nat(7)), { maxLength: 2 });
    fc.assert(
      fc.property(seeds, fc.uint8Array({ minLength: 32, maxLength: 32 }), flips, (seed, message, changes) => {
        const key = keyFromSeed(seed);
        const whole = Buffer.concat([
          decodePublicKey(key.publicKey)!,
          message,
          sign(key.privateKey, message),
        ]);
        for (const [byte, bit] of changes) whole[byte]! ^= 1 << bit;
        const [pk, text, signature] = [whole.subarray(0, 32), whole.subarray(32, 64), whole.subarray(64)];
        let second = false;
        try {
          second = noble.verify(signature, text, pk, { zip215: false });
        } catch {
          // noble throws on keys off the curve.
        }
        expect(verifyStrict(pk, text, signature)).toBe(second);
      }),
      { numRuns: 60 },
    );
  });

  it("refuses S + L, though it satisfies the equation", () => {
    const key = generateKey();
    const message = Buffer.from("malleable");
    const signature = Buffer.from(sign(key.privateKey, message));
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`);
    const raised = s + 2n ** 252n + 27742317777372353535851937790883648493n;
    hex(raised.toString(16).padStart(64, "0"))
      .reverse()
      .forEach((byte, i) => {
        signature[32 + i] = byte;
      });
    const publicKey = decodePublicKey(key.publicKey)!;
    expect(passesPreCheck(publicKey, signature)).toBe(false);
    expect(verifyStrict(publicKey, message, signature)).toBe(false);
  });
});
