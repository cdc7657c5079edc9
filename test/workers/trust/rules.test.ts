import { describe, expect, it } from "vitest";
import type { Registration } from "../../../schemas/ring4.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import { siteVerdict } from "../../../src/crawl/verdict.ts";
import { encodeBase64Url } from "../../../src/domain/protocols/base64url.ts";
import { generateKey, sign } from "../../../src/domain/trust/ed25519.ts";
import { iso } from "../../../src/ports/time.ts";
import {
  isOfTheFuture,
  isReplay,
  MAX_SPENT,
  type OwnerStatement,
  registered,
  registrationStatus,
  registrationView,
  signedTtlOf,
  signingKey,
  statementText,
} from "../../../workers/trust/rules.ts";
import { siteRecord } from "../../support/site-record.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const statement: OwnerStatement = { domain: "shop.example", capabilities: ["read"] };
const proof = { kid: "k1", leafIndex: 3, at: iso(NOW), digest: "d" };
const registration = (more: Partial<OwnerStatement> = {}): Registration =>
  registered(undefined, { ...statement, ...more }, proof);

const site = (more: Partial<SiteRecord> = {}) =>
  ({
    siteId: "shop.example",
    ring: 3,
    status: "enabled",
    reason: "verified",
    dnssec: "insecure",
    verified_at: iso(NOW - 1_000),
    verified_since: iso(NOW - 1_000),
    visits: 1,
    visits_ok: 1,
    expires_at: iso(NOW + 86_400_000),
    registration: { kid: "k1", registered_at: iso(NOW) },
    ...more,
  }) as SiteRecord;

describe("what is signed of a registration", () => {
  it("are the members that are sent, in RFC 8785 form", () => {
    expect(statementText({ domain: "shop.example", issued_at: undefined, capabilities: ["b", "a"] })).toBe(
      '{"capabilities":["b","a"],"domain":"shop.example"}',
    );
  });

  it("is signed by one of the domain's keys, or by nobody", () => {
    const [one, two] = [generateKey(), generateKey()];
    const signature = encodeBase64Url(sign(two.privateKey, Buffer.from("text")));
    expect(signingKey("text", signature, [one, two])).toBe(two);
    expect(signingKey("texts", signature, [one, two])).toBeUndefined();
    expect(signingKey("text", signature, [one])).toBeUndefined();
    expect(signingKey("text", `${signature}=`, [two])).toBeUndefined();
  });
});

describe("a proof", () => {
  const other = { kid: "k1", digest: "another" };
  const same = { kid: "k1", digest: "d" };

  it("is outdated once a later one is known", () => {
    const known = registration({ issued_at: iso(NOW) });
    expect(isReplay({ ...other, issuedAt: iso(NOW - 1) }, known)).toBe(true);
    expect(isReplay({ ...other, issuedAt: undefined }, known)).toBe(true);
    expect(isReplay({ ...other, issuedAt: iso(NOW) }, known)).toBe(true);
    expect(isReplay({ ...other, issuedAt: iso(NOW + 1) }, known)).toBe(false);
    expect(isReplay({ ...same, issuedAt: iso(NOW) }, known)).toBe(false);
    expect(isReplay({ ...other, issuedAt: undefined }, registration())).toBe(false);
    expect(isReplay({ ...other, issuedAt: undefined }, undefined)).toBe(false);
  });

  it("may be a minute ahead of our clock, and no more", () => {
    expect(isOfTheFuture(iso(NOW + 60_000), NOW)).toBe(false);
    expect(isOfTheFuture(iso(NOW + 60_001), NOW)).toBe(true);
    expect(isOfTheFuture("9999-12-31T23:59:59Z", NOW)).toBe(true);
  });

  it("without a time is good until another takes its place, and never again", () => {
    const first = { ...proof, digest: "first" };
    const renew = (known: Registration | undefined, next: typeof proof, issued_at?: string) =>
      registered(known, { ...statement, issued_at }, next);
    const once = renew(undefined, first);
    expect(isReplay({ ...first, issuedAt: undefined }, once)).toBe(false);
    expect(renew(once, first).spent).toEqual([]);
    const twice = renew(once, proof);
    expect(isReplay({ ...first, issuedAt: undefined }, twice)).toBe(true);
    // The same statement by another key is another proof, and the first key's cannot come back.
    expect(isReplay({ ...first, kid: "k2", issuedAt: undefined }, twice)).toBe(false);
    const rotated = renew(twice, { ...proof, kid: "k2" });
    expect(isReplay({ ...proof, issuedAt: undefined }, rotated)).toBe(true);
    expect(isReplay({ ...first, issuedAt: iso(NOW) }, rotated)).toBe(false);
    expect(renew(rotated, first, iso(NOW)).spent).toEqual([]);
  });

  it("without a time is no longer taken from a domain that changed too often", () => {
    let current = registration();
    for (let i = 0; i < MAX_SPENT; i++)
      current = registered(current, statement, { ...proof, digest: `d${i}` });
    expect(current.spent).toHaveLength(MAX_SPENT);
    expect(isReplay({ kid: "k1", digest: "new", issuedAt: undefined }, current)).toBe(true);
    expect(isReplay({ kid: "k1", digest: "new", issuedAt: iso(NOW) }, current)).toBe(false);
    expect(isReplay({ kid: "k1", digest: `d${MAX_SPENT - 1}`, issuedAt: undefined }, current)).toBe(false);
  });

  it("renews a registration and keeps its first day and a bounded history", () => {
    let current = registration();
    for (let i = 0; i < 30; i++)
      current = registered(
        current,
        { domain: "shop.example" },
        { ...proof, kid: `k${i}`, at: iso(NOW + i + 1) },
      );
    expect(current).toMatchObject({ kid: "k29", registered_at: iso(NOW), capabilities: [] });
    expect(current.history).toHaveLength(20);
    expect(current.history.at(-1)).toMatchObject({ event: "renewed", kid: "k29" });
  });
});

describe("a registration is worth", () => {
  it.each([
    ["ring 4 while all holds", site(), ["k1"], "registered"],
    ["ring 4 also where DNS does not answer now", site(), undefined, "registered"],
    ["nothing before a visit", undefined, ["k1"], "pending"],
    ["nothing before ring 3", site({ ring: 2, verified_at: null, registration: null }), ["k1"], "pending"],
    ["nothing until the next visit has seen it", site({ registration: null }), ["k1"], "pending"],
    ["nothing once the key is another", site(), ["k2"], "key_replaced"],
    ["nothing once the key is revoked", site(), "revoked", "revoked"],
    [
      "nothing where the last visit saw it revoked",
      site({ ring: 0, reason: "key_revoked" }),
      undefined,
      "revoked",
    ],
    ["nothing once the manifest has expired", site({ expires_at: iso(NOW) }), ["k1"], "expired"],
    ["nothing below ring 3", site({ ring: 2, registration: null }), ["k1"], "lapsed"],
  ] as const)("%s", (_, record, keys, standing) => {
    expect(registrationStatus(registration(), record, keys, NOW)).toBe(standing);
  });
});

describe("a registration as it is shown", () => {
  it("has the ring and score of the verdict, also where DNS is ahead of the crawl", () => {
    const record = siteRecord("shop.example", NOW, { registration: { kid: "k1", registered_at: iso(NOW) } });
    const known = { host: record.siteId, record, isBlocked: false };
    const { trust } = siteVerdict(known, NOW);
    const standing = registrationView(registration(), known, ["k2"], NOW);
    expect(standing).toMatchObject({
      status: "key_replaced",
      trust_ring: trust.ring,
      trust_score: trust.score,
    });
  });

  it("has no ring and no score before the first visit", () => {
    const known = { host: site().siteId, record: undefined, isBlocked: false };
    expect(registrationView(registration(), known, ["k1"], NOW)).toMatchObject({
      status: "pending",
      trust_ring: 0,
      trust_score: 0,
    });
  });
});

describe("the life of a trust profile", () => {
  it("is the signed manifest's, whether or not the document repeats it", () => {
    const payload = encodeBase64Url(Buffer.from(JSON.stringify({ trust_profile: { ttl_seconds: 3_600 } })));
    const manifest = { protected: "e30", payload, signature: "x" };
    expect(signedTtlOf(JSON.stringify({ manifest }))).toBe(3_600);
    expect(signedTtlOf(JSON.stringify({ manifest, trust_profile: { ttl_seconds: 9 } }))).toBe(3_600);
    expect(signedTtlOf("{}")).toBeUndefined();
  });
});
