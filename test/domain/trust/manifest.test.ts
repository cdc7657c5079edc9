import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { ManifestPayload } from "../../../schemas/manifest.ts";
import { generateKey, type KeyPair } from "../../../src/domain/trust/ed25519.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import { signJws } from "../../../src/domain/trust/jws.ts";
import {
  buildManifest,
  documentSha256,
  type ManifestOptions,
  signDocument,
  signManifest,
  type VerifyContext,
  verifyDocument,
} from "../../../src/domain/trust/manifest.ts";
import { DAY_MS, HOUR_MS, iso } from "../../../src/ports/time.ts";

const NOW_MS = Date.UTC(2026, 5, 15, 12);
const key = generateKey();

const trustProfile = { capabilities: ["read", "book"], constraints: ["no bulk orders"], ttl_seconds: 3_600 };
const options: ManifestOptions = {
  endpoint: "https://shop.example",
  issuedAt: iso(NOW_MS - HOUR_MS),
  expiresAt: iso(NOW_MS + 30 * DAY_MS),
  serial: 7,
  trustProfile,
};

const site = (domain = "shop.example"): DiscoveryDocument => ({
  bridge_version: "1.2.0",
  generated_at: iso(NOW_MS - HOUR_MS),
  provider: { name: "Käserei Grün 🧀", domain, category: "food", description: "Cheese from the valley" },
  capabilities: {
    commands: ["navigate"],
    permissions: { readContent: true },
    tier: "free",
    transport: ["https"],
    features: [],
  },
  agent_access: { bridge_script: "", api_base: "", websocket: "", noscript: "", discovery: "" },
  fairness: { is_independent: true, commission_rate: 0.5, direct_benefit: "", neutrality_score: 50 },
  security: { session_required: false, origin_validation: false, rate_limit: 60, sandbox: false },
  endpoints: {},
  invented_member: { kept: [1, 2, 3] },
});

const bytes = (document: unknown): Uint8Array => Buffer.from(JSON.stringify(document, null, 2));
const context = (more: Partial<VerifyContext> = {}): VerifyContext => ({
  domain: "shop.example",
  txt: { endpoint: new URL("https://shop.example"), keys: [key] },
  nowMs: NOW_MS,
  previousSerial: null,
  ...more,
});
const signed = (changes: Partial<ManifestOptions> = {}, by: KeyPair = key): DiscoveryDocument =>
  signDocument(site(), by, { ...options, ...changes });
/** A sound document whose manifest's payload was changed before it was signed. */
function withPayload(change: (payload: ManifestPayload) => unknown): DiscoveryDocument {
  const document = signed();
  const payload = canonicalize(change(buildManifest(document, options)));
  return { ...document, manifest: signJws(payload, key.privateKey, key.kid) };
}
function outcome(document: unknown, more: Partial<VerifyContext> = {}): string {
  const result = verifyDocument(bytes(document), context(more));
  return result.ok ? `ring ${result.ring} ${result.reason}` : result.reason;
}

describe("verifyDocument", () => {
  it("gives ring 3 to a document signed by the key in DNS", () => {
    const result = verifyDocument(bytes(signed()), context());
    expect(result).toMatchObject({
      ok: true,
      ring: 3,
      reason: "verified",
      kid: key.kid,
      manifest: { domain: "shop.example", serial: 7, handshake: "bridge-trust-handshake/1.1" },
      document: { invented_member: { kept: [1, 2, 3] } },
    });
  });

  it("does not mind how the outer document is laid out", () => {
    const document = signed();
    const reordered = Object.fromEntries(Object.entries(document).reverse());
    expect(verifyDocument(Buffer.from(JSON.stringify(reordered)), context())).toMatchObject({ ring: 3 });
  });

  it("gives ring 2 to an unsigned document with a TXT record", () => {
    expect(outcome(site())).toBe("ring 2 unsigned");
  });

  it("gives ring 1 without a TXT record, whatever the manifest says", () => {
    expect(outcome(site(), { txt: null })).toBe("ring 1 no_txt");
    expect(outcome(signed(), { txt: null })).toBe("ring 1 no_txt");
  });

  it("accepts either key while one is rotated", () => {
    const next = generateKey();
    const txt = { endpoint: new URL("https://shop.example"), keys: [key, next] };
    expect(outcome(signed(), { txt })).toBe("ring 3 verified");
    expect(outcome(signed({}, next), { txt })).toBe("ring 3 verified");
  });

  it("names the keys that were tried when DNS holds an old one", () => {
    const next = generateKey();
    const result = verifyDocument(bytes(signed({}, next)), context());
    expect(result).toMatchObject({ ok: false, reason: "signature_invalid" });
    if (!result.ok) expect(result.detail).toContain(key.kid);
  });

  it("takes a domain written in capitals, with a final dot or in Unicode for the same", () => {
    const written = { ...site("KÄSE.Example."), manifest: undefined };
    expect(outcome(written, { domain: "xn--kse-qla.example" })).toBe("ring 2 unsigned");
  });

  it("refuses a document of another domain", () => {
    expect(outcome(site("other.example"))).toBe("domain_mismatch");
    expect(outcome(site("shop.example/x"))).toBe("domain_mismatch");
    expect(outcome(withPayload((payload) => ({ ...payload, domain: "other.example" })))).toBe(
      "domain_mismatch",
    );
  });

  it("refuses a manifest for another endpoint than DNS names", () => {
    expect(outcome(signed({ endpoint: "https://shop.example:8443" }))).toBe("domain_mismatch");
    expect(outcome(signed({ endpoint: "https://shop.example/any/path" }))).toBe("ring 3 verified");
  });

  it("refuses any change outside the signature", () => {
    const document = signed();
    const changes: Partial<DiscoveryDocument>[] = [
      { provider: { ...document.provider, description: "Cheap pills" } },
      { invented_member: { kept: [1, 2] } },
      { added: true },
      { trust_profile: { ...trustProfile, ttl_seconds: 86_400 } },
      { expires_at: iso(NOW_MS + 60 * DAY_MS) },
      { actions: [] },
    ];
    for (const change of changes) expect(outcome({ ...document, ...change })).toBe("document_mismatch");
    const { expires_at: _, ...without } = document;
    expect(outcome(without)).toBe("document_mismatch");
  });

  it("refuses repeats that say otherwise than the manifest, even under the right hash", () => {
    const changes: Partial<DiscoveryDocument>[] = [
      { trust_profile: { ...trustProfile, constraints: [] } },
      { expires_at: iso(NOW_MS + 60 * DAY_MS) },
    ];
    for (const change of changes) {
      const document = { ...signed(), ...change };
      const manifest = { ...buildManifest(site(), options), document_sha256: documentSha256(document) };
      expect(outcome({ ...document, manifest: signManifest(manifest, key) })).toBe("document_mismatch");
    }
    const { trust_profile: _, expires_at: __, ...bare } = signed();
    const manifest = { ...buildManifest(site(), options), document_sha256: documentSha256(bare) };
    expect(outcome({ ...bare, manifest: signManifest(manifest, key) })).toBe("ring 3 verified");
  });

  it("refuses any changed byte of the manifest", () => {
    const document = signed();
    const payload = `${document.manifest!.payload.slice(0, 40)}A${document.manifest!.payload.slice(41)}`;
    expect(outcome({ ...document, manifest: { ...document.manifest, payload } })).toBe("signature_invalid");
  });

  it("never throws on damaged bytes, and gives ring 3 only to what was signed", () => {
    const document = signed();
    const whole = bytes(document);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(), (changes, cut) => {
        const damaged = Uint8Array.from(whole);
        for (const [at, byte] of changes) damaged[at] = byte;
        const result = verifyDocument(damaged, context());
        if (result.ok && result.ring === 3) {
          expect(JSON.parse(Buffer.from(damaged).toString())).toEqual(JSON.parse(JSON.stringify(document)));
        }
        expect(verifyDocument(damaged.subarray(0, cut % whole.length), context()).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses an expired manifest, but not within the skew", () => {
    const expiresAt = iso(NOW_MS - 59_000);
    expect(outcome(signed({ expiresAt }))).toBe("ring 3 verified");
    expect(outcome(signed({ expiresAt }), { nowMs: NOW_MS + 1_000 })).toBe("manifest_expired");
  });

  it("refuses a manifest from the future, but not within the skew", () => {
    expect(outcome(signed({ issuedAt: iso(NOW_MS + 60_000) }))).toBe("ring 3 verified");
    expect(outcome(signed({ issuedAt: iso(NOW_MS + 60_001) }))).toBe("manifest_not_yet_valid");
  });

  it("takes a life of 398 days, and refuses a longer one, or none", () => {
    const issuedAt = iso(NOW_MS - HOUR_MS);
    const longest = iso(NOW_MS - HOUR_MS + 398 * DAY_MS);
    const beyond = iso(NOW_MS - HOUR_MS + 398 * DAY_MS + 1);
    expect(outcome(signed({ issuedAt, expiresAt: longest }))).toBe("ring 3 verified");
    expect(outcome(signed({ issuedAt, expiresAt: beyond }))).toBe("manifest_invalid");
    expect(outcome(signed({ issuedAt, expiresAt: issuedAt }))).toBe("manifest_invalid");
  });

  it("refuses a lower serial than the last, and takes the same again", () => {
    expect(outcome(signed(), { previousSerial: 7 })).toBe("ring 3 verified");
    expect(outcome(signed(), { previousSerial: 8 })).toBe("serial_lowered");
  });

  it("refuses a signed payload that is not a manifest in RFC 8785 form", () => {
    const document = signed();
    const loose = JSON.stringify(buildManifest(document, options), null, 1);
    const doubled = canonicalize(buildManifest(document, options)).replace("{", '{"serial":1,');
    for (const payload of [loose, doubled, "", "[]", "{}", "null"]) {
      const manifest = signJws(payload, key.privateKey, key.kid);
      expect(outcome({ ...document, manifest })).toBe("manifest_invalid");
    }
    const changed = (change: object): string =>
      outcome(withPayload((payload) => ({ ...payload, ...change })));
    expect(changed({ handshake: "bridge-trust-handshake/0.9" })).toBe("manifest_invalid");
    expect(changed({ trust_profile: { ...trustProfile, ttl_seconds: 299 } })).toBe("manifest_invalid");
    expect(changed({ serial: -1 })).toBe("manifest_invalid");
    expect(changed({ serial: 1.5 })).toBe("manifest_invalid");
    expect(changed({ expires_at: "tomorrow" })).toBe("manifest_invalid");
    expect(changed({ later_member: "is kept" })).toBe("ring 3 verified");
  });

  it("refuses a manifest that is not a flattened JWS", () => {
    const document = signed();
    const withHeader = { ...document.manifest, header: { jku: "https://evil.example/keys" } };
    expect(outcome({ ...document, manifest: withHeader })).toBe("manifest_invalid");
    expect(outcome({ ...document, manifest: "eyJ.eyJ.sig" })).toBe("manifest_invalid");
    expect(outcome({ ...document, manifest: null })).toBe("manifest_invalid");
  });

  it("refuses bytes that are not strict JSON, and documents that miss members", () => {
    for (const text of ["", "nonsense", "null", "[]", "{}", '{"provider":{},"provider":{}}']) {
      expect(verifyDocument(Buffer.from(text), context())).toMatchObject({ reason: "document_invalid" });
    }
    expect(outcome({ ...site(), padding: "x".repeat(65_536) })).toBe("document_invalid");
    const { endpoints: _, ...without } = site();
    expect(verifyDocument(bytes(without), context())).toMatchObject({
      reason: "document_invalid",
      detail: expect.stringContaining("/endpoints"),
    });
  });

  it("bounds its detail, and keeps it well formed", () => {
    const long = signDocument(site(), key, options);
    long.provider.domain = "😀".repeat(120);
    const result = verifyDocument(bytes(long), context());
    expect(result).toMatchObject({ ok: false, reason: "domain_mismatch" });
    if (!result.ok) {
      expect(result.detail.length).toBeLessThanOrEqual(500);
      expect(result.detail.isWellFormed()).toBe(true);
    }
  });
});

describe("signDocument", () => {
  it("replaces an earlier manifest", () => {
    const again = signDocument(signed(), key, { ...options, serial: 8 });
    expect(outcome(again, { previousSerial: 8 })).toBe("ring 3 verified");
  });

  it("signs name, texts and actions through the document's hash", () => {
    const document = signed();
    const manifest = buildManifest(site(), options);
    expect(manifest.document_sha256).toBe(documentSha256(document));
    expect(signManifest(manifest, key)).toEqual(document.manifest);
  });

  it("carries the invariants' hash when told", () => {
    const invariantsSha256 = "ab".repeat(32);
    const result = verifyDocument(bytes(signed({ invariantsSha256 })), context());
    expect(result).toMatchObject({ manifest: { invariants_sha256: invariantsSha256 } });
  });

  it("throws on options that nobody would accept", () => {
    expect(() => signed({ serial: -1 })).toThrow();
    expect(() => signed({ expiresAt: "tomorrow" })).toThrow();
  });
});
