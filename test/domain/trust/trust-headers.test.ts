import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateKey, keyFromSeed } from "../../../src/domain/trust/ed25519.ts";
import {
  isSignedBy,
  readTrustHeaders,
  type TrustClaim,
  trustHeaders,
} from "../../../src/domain/trust/trust-headers.ts";
import { anyCharacter } from "../../support/any-character.ts";

const key = keyFromSeed(new Uint8Array(32).fill(3));
const NOW = Date.UTC(2026, 0, 31, 12);
const request = {
  method: "POST",
  authority: "registry.example",
  target: "/api/ring4/log?x=1",
  body: Buffer.from('{"a":1}'),
};
const signer = { domain: "shop.example", privateKey: key.privateKey };
function claimOf(headers: Record<string, string | string[]>): TrustClaim {
  const claim = readTrustHeaders(headers);
  if (claim === undefined || claim === "malformed") throw new Error(String(claim));
  return claim;
}
const good = trustHeaders(request, signer, NOW);

describe("trust headers", () => {
  it("are a domain, a nonce of the time and 16 random bytes, and a signature", () => {
    expect(good).toEqual({
      "x-bridge-trust-domain": "shop.example",
      "x-bridge-trust-nonce": expect.stringMatching(/^1769860800\.[A-Za-z0-9_-]{22}$/),
      "x-bridge-signature": expect.stringMatching(/^[A-Za-z0-9_-]{86}$/),
    });
    expect(trustHeaders(request, signer, NOW)).not.toEqual(good);
    expect(claimOf(good)).toMatchObject({ domain: "shop.example", madeAtMs: NOW });
  });

  it("hold for the request they were made for, by any of the domain's keys", () => {
    expect(isSignedBy(claimOf(good), request, [key])).toBe(true);
    expect(isSignedBy(claimOf(good), { ...request, method: "post" }, [generateKey(), key])).toBe(true);
    expect(isSignedBy(claimOf(good), request, [generateKey()])).toBe(false);
    expect(isSignedBy(claimOf(good), request, [])).toBe(false);
  });

  it("hold for no other request, service, domain or nonce", () => {
    const others = [
      { ...request, method: "GET" },
      { ...request, authority: "other.example" },
      { ...request, target: "/api/ring4/log?x=2" },
      { ...request, body: Buffer.from('{"a":2}') },
      { ...request, body: new Uint8Array() },
    ];
    for (const other of others) expect(isSignedBy(claimOf(good), other, [key])).toBe(false);
    const changed = [
      { ...good, "x-bridge-trust-domain": "other.example" },
      { ...good, "x-bridge-trust-nonce": trustHeaders(request, signer, NOW)["x-bridge-trust-nonce"]! },
    ];
    for (const headers of changed) expect(isSignedBy(claimOf(headers), request, [key])).toBe(false);
  });

  it("are nothing when absent, and malformed when one is missing or written otherwise", () => {
    expect(readTrustHeaders({ host: "x" })).toBeUndefined();
    for (const name of Object.keys(good)) {
      const { [name]: value, ...rest } = good;
      expect(readTrustHeaders(rest), name).toBe("malformed");
      for (const wrong of ["", `${value} `, `${value}=`, `${value!.slice(1)}\u00e9`, [value!, value!]])
        expect(readTrustHeaders({ ...good, [name]: wrong }), `${name}: ${wrong}`).toBe("malformed");
    }
    for (const domain of ["127.0.0.1", "SHOP.example", "shop.example.", "localhost", "münchen.example"])
      expect(readTrustHeaders({ ...good, "x-bridge-trust-domain": domain }), domain).toBe("malformed");
  });

  it("never make their reader throw", () => {
    const anything = fc.record(
      Object.fromEntries(
        Object.keys(good).map((name) => [name, fc.string({ unit: anyCharacter, maxLength: 120 })]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (headers) => {
        const claim = readTrustHeaders(headers);
        if (typeof claim === "object") expect(isSignedBy(claim, request, [key])).toBe(false);
      }),
    );
  });
});
