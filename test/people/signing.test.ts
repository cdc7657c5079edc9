import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as page from "../../app/pages/assets/owner.js";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { generateKey, keyFromPem } from "../../src/domain/trust/ed25519.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { signDocument, verifyDocument } from "../../src/domain/trust/manifest.ts";
import { formatTxtRecord, selectRecords } from "../../src/domain/trust/txt-record.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { anyCharacter } from "../support/any-character.ts";
import { dataFile } from "../support/data.ts";
import { documentOf } from "../workers/crawler/observations.ts";

const vectors = dataFile("vectors/jcs.jsonl");
const NOW = Date.parse("2026-01-31T12:00:00Z");
const ENDPOINT = "https://shop.example";

/** As `bridge sign` does it. */
const signedHere = (document: DiscoveryDocument, pem: string): unknown =>
  signDocument(document, keyFromPem(pem)!, {
    endpoint: ENDPOINT,
    issuedAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + 30 * DAY_MS).toISOString(),
    serial: NOW,
    invariantsSha256: INVARIANTS_NOW.sha256,
    trustProfile: { capabilities: document.capabilities.commands, constraints: [], ttl_seconds: 3_600 },
  });
const options = { endpoint: ENDPOINT, now: NOW, days: 30, invariants: INVARIANTS_NOW.sha256 };

describe("the script of the owner's pages", () => {
  it.skipIf(!vectors)(`gives RFC 8785's published outputs${vectors ? "" : " (vectors missing)"}`, () => {
    for (const line of readFileSync(vectors!, "utf8").trim().split("\n")) {
      const { name, input, output } = JSON.parse(line);
      expect([name, page.canonicalize(JSON.parse(input))]).toEqual([name, output]);
    }
  });

  it("canonicalizes every JSON value as the server does", () => {
    const key = fc.string({ unit: anyCharacter, maxLength: 4 });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 }), key, (value, name) => {
        expect(page.canonicalize({ [name]: value })).toBe(canonicalize({ [name]: value }));
      }),
      { numRuns: 200 },
    );
  });

  it("signs byte for byte what `bridge sign` signs, with a key of either", async () => {
    const awkward = documentOf({
      provider: {
        ...documentOf().provider,
        name: "Tea & „Spices“ \u{1f375}",
        description: 'a "quoted"\n\u2028 line < 3',
      },
    });
    for (const pem of [generateKey().privateKey, (await page.makeKey()).pem])
      for (const document of [documentOf(), awkward]) {
        const there = await page.signDocument(document, await page.keyFromPem(pem), options);
        expect(there).toEqual(signedHere(document, pem));
      }
  });

  it("signs what a registry verifies, again too, with the record that it names", async () => {
    const key = await page.makeKey();
    expect(keyFromPem(key.pem)).toMatchObject({ publicKey: key.publicKey, kid: key.kid });
    const record = page.recordOf(key.publicKey, ENDPOINT);
    expect(record).toBe(formatTxtRecord({ publicKey: key.publicKey, endpoint: ENDPOINT }));
    const txt = selectRecords([record], "shop.example");
    if (!txt.ok) throw new Error(txt.detail);
    const context = { domain: "shop.example", txt, nowMs: NOW, previousSerial: null };
    const first = await page.signDocument(documentOf(), key, options);
    expect(verifyDocument(Buffer.from(JSON.stringify(first)), context)).toMatchObject({ ring: 3 });
    const later = NOW + 20 * DAY_MS;
    const again = await page.signDocument(first, key, { ...options, now: later });
    expect(
      verifyDocument(Buffer.from(JSON.stringify(again)), { ...context, nowMs: later, previousSerial: NOW }),
    ).toMatchObject({ ring: 3, reason: "verified" });
  });

  it.each(["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])(
    "takes no other file for a key: %j",
    async (text) => {
      await expect(page.keyFromPem(text)).rejects.toThrow();
    },
  );
});
