import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Certificate } from "../../../../schemas/certificate.ts";
import { checkCertificate } from "../../../../src/domain/certificate.ts";
import { generateKey } from "../../../../src/domain/ed25519.ts";
import { noteKeyOf, parseNoteKey } from "../../../../src/domain/tlog/note.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["gateway", "trust"] });
  key = await givenKey(registry, "BUSINESS");
});
afterAll(() => registry?.stop());

const ask = async (path: string, body?: unknown, credential = key) => {
  const response = await fetch(`${registry.url}/api/v1/notary/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const reply: any = await response.json();
  return { status: response.status, body: reply };
};
const logKey = async () =>
  parseNoteKey((await (await fetch(`${registry.url}/.well-known/bridge-log/key`)).text()).trim())!;

const price = {
  url: "https://shop.example/tea?session=secret#me",
  product: "Green tea",
  price: 7.9,
  currency: "EUR",
  observer: { country: "AT", device: "desktop", signed_in: true },
};
const pairs = (count: number, treatment: number, more: object = { control_again: 10 }) =>
  Array.from({ length: count }, () => ({
    observed_at: new Date().toISOString(),
    control: 10,
    treatment,
    ...more,
  }));

describe("a price certificate", () => {
  it("says what was submitted, in minor units, coarsely, and stands in the log", async () => {
    const { status, body } = await ask("price", { ...price, evidence: "<html>7,90 €</html>" });
    expect(status).toBe(200);
    const certificate: Certificate = body.certificate;
    expect(certificate.statement).toMatchObject({
      type: "bridge-notary/price/1",
      price_minor: 790,
      currency: "EUR",
      minor_digits: 2,
      subject: { host: "shop.example", path: "/tea", product: "Green tea", seller: null },
      observer: { country: "AT", device: "desktop", signed_in: true },
      evidence_sha256: createHash("sha256").update("<html>7,90 €</html>").digest("hex"),
      comparison: null,
    });
    expect(body.verdict).toBe("not_compared");
    expect(body.meta).toMatchObject({ module: "notary", plan: "BUSINESS" });
    expect(JSON.stringify(certificate)).not.toContain("secret");
    const checks = checkCertificate(certificate, await logKey());
    expect(checks).toEqual({
      statement: true,
      signature: true,
      leaf: true,
      checkpoint: true,
      inclusion: true,
    });
  });

  it("fails the very check that a change of it concerns", async () => {
    const { certificate } = (await ask("price", price)).body as { certificate: Certificate };
    const noteKey = await logKey();
    const failing = (changed: Certificate, by = noteKey) =>
      Object.entries(checkCertificate(changed, by)).flatMap(([check, ok]) => (ok ? [] : [check]));
    const other = (await ask("price", { ...price, price: 8 })).body.certificate as Certificate;
    const cheaper = { ...certificate.statement, price_minor: 1 } as Certificate["statement"];
    expect(failing({ ...certificate, statement: cheaper })).toEqual(["statement", "signature"]);
    expect(failing({ ...certificate, signature: other.signature })).toEqual(["signature", "leaf"]);
    expect(failing({ ...certificate, leaf: other.leaf })).toEqual(["leaf", "inclusion"]);
    expect(failing({ ...certificate, leaf_index: certificate.leaf_index + 1 })).toEqual(["inclusion"]);
    expect(failing({ ...certificate, checkpoint: other.checkpoint })).toEqual(["inclusion"]);
    expect(failing({ ...certificate, checkpoint: "x" })).toEqual(["checkpoint", "inclusion"]);
    const stranger = noteKeyOf(noteKey.name, generateKey().publicKey);
    expect(failing(certificate, stranger)).toEqual(["signature", "checkpoint", "inclusion"]);
  });

  it("speaks of discrimination only with an A/A control", async () => {
    const verdict = async (comparison: object) => (await ask("price", { ...price, comparison })).body.verdict;
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 12) })).toBe("discrimination");
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 12, {}) })).toBe("difference_observed");
    expect(await verdict({ trait: "signed_in", pairs: pairs(2, 12) })).toBe("difference_observed");
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 10) })).toBe("no_difference");
  });

  it("is refused for what is no amount, or of no time that can be told now", async () => {
    const code = async (more: object) => (await ask("price", { ...price, ...more })).body.code;
    expect(await code({ price: 7.999 })).toBe("invalid_amount");
    expect(await code({ currency: "JPY" })).toBe("invalid_amount");
    expect(await code({ observed_at: "2031-01-01T00:00:00.000Z" })).toBe("invalid_time");
    expect(await code({ observed_at: "2001-01-01T00:00:00.000Z" })).toBe("invalid_time");
    expect(await code({ comparison: { trait: "x", pairs: pairs(1, 7.123) } })).toBe("invalid_amount");
    expect(await code({ observer: { country: "Vienna" } })).toBe("invalid_request");
  });
});

describe("a transaction certificate", () => {
  it("says whether what was charged is what was agreed", async () => {
    const base = { url: "https://shop.example/", product: "Tea", currency: "EUR", agreed: 7.9, paid: 8.4 };
    const more = await ask("transaction", base);
    expect(more.body).toMatchObject({
      verdict: "charged_more",
      certificate: { statement: { difference_minor: 50, agreed_minor: 790, paid_minor: 840, quantity: 1 } },
    });
    expect((await ask("transaction", { ...base, paid: 7.9 })).body.verdict).toBe("as_agreed");
    expect((await ask("transaction", { ...base, paid_currency: "USD" })).body).toMatchObject({
      verdict: "other_currency",
      certificate: { statement: { difference_minor: null } },
    });
  });
});

describe("verify", () => {
  it("checks a certificate against the log as it is now", async () => {
    const { certificate } = (await ask("price", price)).body as { certificate: Certificate };
    await ask("price", price);
    const { status, body } = await ask(`verify/${certificate.cert_id}`);
    expect([status, body.valid]).toEqual([200, true]);
    expect(body.checks.map(({ check }: { check: string }) => check)).toEqual([
      "statement",
      "signature",
      "leaf",
      "checkpoint",
      "inclusion",
      "consistency",
    ]);
    expect(body.certificate.checkpoint).not.toBe(certificate.checkpoint);
    expect(body.certificate.statement).toEqual(certificate.statement);
  });

  it("says which check fails when what is kept was changed", async () => {
    const { certificate } = (await ask("price", price)).body as { certificate: Certificate };
    const bucket = registry.runtime.broker.buckets.certificates;
    const stored = (await bucket.get(certificate.cert_id))!.json<{ statement: object; checkpoint: string }>();
    const failing = async (changed: object) => {
      await bucket.put(certificate.cert_id, JSON.stringify({ ...stored, ...changed }));
      const { body } = await ask(`verify/${certificate.cert_id}`);
      expect(body.valid).toBe(false);
      return body.checks.flatMap(({ check, ok }: { check: string; ok: boolean }) => (ok ? [] : [check]));
    };
    expect(await failing({ statement: { ...stored.statement, price_minor: 1 } })).toEqual([
      "signature",
      "leaf",
    ]);
    expect(await failing({ leaf_index: 0 })).toEqual(["inclusion"]);
    const forged = stored.checkpoint.replace(/\n\d+\n/, "\n1\n");
    expect(await failing({ checkpoint: forged })).toEqual(["consistency"]);
  });

  it("knows no certificate that was not issued, and asks for the plan", async () => {
    const unknown = "verify/0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e";
    expect(await ask(unknown)).toMatchObject({ status: 404, body: { code: "certificate_not_found" } });
    const pro = await givenKey(registry, "PRO");
    expect(await ask(unknown, undefined, pro)).toMatchObject({
      status: 403,
      body: { code: "insufficient_plan" },
    });
  });
});
