import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Certificate } from "../../../../schemas/certificate.ts";
import { checkCertificate } from "../../../../src/domain/trust/certificate.ts";
import { generateKey } from "../../../../src/domain/trust/ed25519.ts";
import { noteKeyOf, parseNoteKey } from "../../../../src/domain/trust/tlog/note.ts";
import { askModule, warmScans } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["gateway", "trust"] });
  key = await givenKey(registry, "BUSINESS");
  await warmScans(registry, key);
});
afterAll(() => registry?.stop());

const ask = (path: string, body?: unknown, credential = key) =>
  askModule(registry, "notary", credential, path, body);
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
      type: "bridge-notary/claimed-price/2",
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
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 12) })).toBe("claimed_discrimination");
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 12, {}) })).toBe("claimed_difference");
    expect(await verdict({ trait: "signed_in", pairs: pairs(2, 12) })).toBe("claimed_difference");
    expect(await verdict({ trait: "signed_in", pairs: pairs(6, 10) })).toBe("claimed_no_difference");
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

describe("a certificate of what a caller told", () => {
  it("says that it is a claim in its type, its statement, its verdicts, the log and when it is checked", async () => {
    const comparison = { trait: "signed_in", pairs: pairs(6, 12) };
    const { body } = await ask("price", { ...price, comparison });
    const { statement, leaf, cert_id } = body.certificate as Certificate;
    expect(body).toMatchObject({ observed_by: "caller", verdict: "claimed_discrimination" });
    expect(statement).toMatchObject({
      type: "bridge-notary/claimed-price/2",
      observed_by: "caller",
      comparison: { observed_by: "caller", verdict: "claimed_discrimination" },
      attests: expect.stringMatching(/^A claim of the caller/),
    });
    expect(JSON.parse(leaf)).toMatchObject({ observed_by: "caller" });
    // No verdict of a certificate reads as if it were the notary's.
    expect(JSON.stringify(statement)).not.toMatch(/"(discrimination|difference_observed|charged_more)"/);
    const checked = (await ask(`verify/${cert_id}`)).body;
    expect(checked).toMatchObject({ valid: true, observed_by: "caller" });
    expect(checked.meaning).toMatch(/^Somebody claimed/);
    const paid = { url: "https://shop.example/", product: "Tea", currency: "EUR", agreed: 7.9, paid: 8.4 };
    expect((await ask("transaction", paid)).body).toMatchObject({
      observed_by: "caller",
      certificate: { statement: { type: "bridge-notary/claimed-transaction/2", observed_by: "caller" } },
    });
  });

  it("fails when somebody makes an observation of it", async () => {
    const { certificate } = (await ask("price", price)).body as { certificate: Certificate };
    const turned = {
      ...certificate.statement,
      observed_by: "registry",
    } as unknown as Certificate["statement"];
    const checks = checkCertificate({ ...certificate, statement: turned }, await logKey());
    expect(checks).toMatchObject({ statement: false, signature: false, leaf: false });
  });
});

describe("a certificate of what the notary saw itself", () => {
  const offer = async (robots: "allow_all" | "disallow_all" = "allow_all") => {
    const { host } = await registry.world.add("shop");
    await registry.world.set(host, { robots });
    const sku = createHash("sha256").update(`${host} Kettle`).digest("hex").slice(0, 8);
    return { host, sku, url: `https://${host}:${registry.world.port}/product/${sku}?price=1.00` };
  };
  const observed = { observed_by: "registry", currency: "EUR" };

  it("names the price, the product and the seller that the page names, and the hash of its bytes", async () => {
    const { host, sku, url } = await offer();
    const { status, body } = await ask("price", { ...observed, url, product: sku });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ observed_by: "registry", verdict: "not_compared" });
    const { statement, leaf } = body.certificate as Certificate;
    expect(statement).toMatchObject({
      type: "bridge-notary/observed-price/2",
      observed_by: "registry",
      observed_url: `https://${host}:${registry.world.port}/product/${sku}`,
      subject: { host, path: `/product/${sku}`, product: expect.stringMatching(/ Kettle$/) },
      observer: { country: null, device: "agent", signed_in: false },
      comparison: null,
    });
    const asked = (await registry.world.requests(host)).map(({ path }) => path);
    expect(asked).toEqual(["/robots.txt", `/product/${sku}`]);
    expect(JSON.parse(leaf)).toMatchObject({ observed_by: "registry" });
    expect(Object.values(checkCertificate(body.certificate, await logKey()))).toEqual(Array(5).fill(true));
    const checked = (await ask(`verify/${body.certificate.cert_id}`)).body;
    expect(checked).toMatchObject({ valid: true, observed_by: "registry" });
  });

  it("stands beside a claim of the same, of which it says whether it agrees, with its page and time", async () => {
    const { host, sku, url } = await offer();
    const page = url.split("?")[0];
    const claim = { url, product: sku, currency: "EUR" };
    expect((await ask("price", { ...claim, price: 1 })).body).toMatchObject({
      evidence: { kind: "reported", url: null },
      fetched: null,
    });
    const tracked = { platform: host, productId: sku, price: 1, currency: "EUR", url };
    expect((await askModule(registry, "price", key, "track", tracked)).body.look).toBe("begun");
    const claimed = async (price: number) => (await ask("price", { ...claim, price })).body;
    await expect.poll(async () => (await claimed(1)).fetched, { timeout: 10_000 }).not.toBeNull();
    const lie = await claimed(1);
    expect(lie.fetched).toMatchObject({ agrees: false, evidence: { kind: "fetched", url: page } });
    const checked = (await ask(`verify/${lie.certificate.cert_id}`)).body;
    expect(checked).toMatchObject({
      valid: true,
      evidence: { kind: "reported" },
      fetched: { agrees: false },
    });
    expect(checked.meaning).toContain("fetched another price");
    const truth = await claimed(lie.fetched.price_minor / 100);
    expect(truth.fetched).toMatchObject({ agrees: true, price_minor: lie.fetched.price_minor });
    const own = (await ask("price", { ...claim, observed_by: "registry" })).body;
    expect(own).toMatchObject({ evidence: { kind: "fetched", url: page }, fetched: null });
  });

  it.each([
    ["a product that the page does not name", { product: "Gold bar" }, /nothing of this name/],
    ["a currency that it does not name", { currency: "USD" }, /no price in USD/],
  ])("is not given for %s", async (_, more, reason) => {
    const { sku, url } = await offer();
    const reply = await ask("price", { ...observed, url, product: sku, ...more });
    expect([reply.status, reply.body.code]).toEqual([422, "not_observed"]);
    expect(reply.body.detail).toMatch(reason);
  });

  it("is not given where robots.txt forbids the look", async () => {
    const { sku, url } = await offer("disallow_all");
    const reply = await ask("price", { ...observed, url, product: sku });
    expect(reply.body).toMatchObject({ code: "not_observed", detail: expect.stringMatching(/robots\.txt/) });
  });

  it("takes no claim of the caller's beside it", async () => {
    const comparison = { trait: "signed_in", pairs: pairs(6, 12) };
    const wrong = { ...observed, url: "https://shop.example/tea", product: "Tea", price: 1, comparison };
    const { status, body } = await ask("price", wrong);
    expect([status, body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      400,
      ["/body/price", "/body/comparison"],
    ]);
    const neither = await ask("price", { url: wrong.url, product: "Tea", currency: "EUR" });
    expect(neither.body.errors[0].pointer).toBe("/body/price");
  });
});

describe("a transaction certificate", () => {
  it("says whether what was charged is what was agreed", async () => {
    const base = { url: "https://shop.example/", product: "Tea", currency: "EUR", agreed: 7.9, paid: 8.4 };
    const more = await ask("transaction", base);
    expect(more.body).toMatchObject({
      verdict: "claimed_charged_more",
      certificate: { statement: { difference_minor: 50, agreed_minor: 790, paid_minor: 840, quantity: 1 } },
    });
    expect((await ask("transaction", { ...base, paid: 7.9 })).body.verdict).toBe("claimed_as_agreed");
    expect((await ask("transaction", { ...base, paid_currency: "USD" })).body).toMatchObject({
      verdict: "claimed_other_currency",
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
