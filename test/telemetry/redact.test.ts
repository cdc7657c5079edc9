import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../src/stores/api-keys.ts";
import { REDACTED, redact } from "../../src/telemetry/redact.ts";

const KEY = makeKey("bk_");
const JWT = `eyJhbGciOiJFZERTQSJ9.${Buffer.from(JSON.stringify({ sub: "Ada", n: 1 })).toString("base64url")}.AbC123_${"x".repeat(30)}`;

describe("a log line or an attribute keeps", () => {
  it.each([
    ["a key in a query", `GET /api/v1/price?api_key=planted-1&q=tea`, "planted-1", "q=tea"],
    [
      "a key in an encoded body",
      `{"callback_secret":"planted-2","domain":"shop.example"}`,
      "planted-2",
      "shop.example",
    ],
    [
      "a quoted body in a JSON line",
      String.raw`{"msg":"sent {\"password\":\"planted-3\",\"n\":1}"}`,
      "planted-3",
      String.raw`\"n\":1`,
    ],
    ["a bearer", "authorization: Bearer planted-4 x", "planted-4", "authorization"],
    ["a bearer elsewhere", "the header Bearer planted-5, refused", "planted-5", "refused"],
    ["cookies", `{"cookie":"sid=planted-6; cart=planted-7","status":200}`, "planted", `"status":200`],
    [
      "a broker's password",
      "nats://crawler:planted-8@broker-1:4222,nats://crawler:planted-9@broker-2:4222",
      "planted",
      "@broker-2:4222",
    ],
    ["a password with an at sign", "nats://u:planted-10@planted-11@broker:4222", "planted", ":4222"],
    [
      "a mail address",
      "no account of ada.lovelace+x@shop.example, nor planted@b.example",
      "ada",
      "no account of",
    ],
    ["an encoded mail address", "/confirm?to=ada%40shop.example&x=1", "ada", "x=1"],
    ["a gateway key anywhere", `/api/v1/x/${KEY}/y`, KEY, "/y"],
    ["a signed token anywhere", `session ${JWT} ended`, JWT.slice(21, 60), "ended"],
    ["a license", `license_key=planted-12 for shop.example`, "planted-12", "shop.example"],
    ["a confirm link", `https://shop.example/mail?confirm=planted-13#x`, "planted-13", "shop.example"],
  ])("no %s", (_, text, secret, kept) => {
    const shown = redact(text);
    expect(shown).not.toContain(secret);
    expect(shown).toContain(REDACTED);
    expect(shown).toContain(kept);
    expect(redact(shown)).toBe(shown);
  });

  it.each([
    "019c2f5e-7a1b-7c3d-8e4f-0123456789ab",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    `{"level":50,"time":1790000000000,"pid":7,"hostname":"worker-1","msg":"visit failed"}`,
    "at processTicksAndRejections (node:internal/process/task_queues:103:5)",
    "https://shop.example/.well-known/bridge.json",
    "tokens: 12 of 30",
  ])("what is no secret: %s", (text) => expect(redact(text)).toBe(text));

  it("never a secret that follows its name, whatever stands around both", () => {
    const name = fc.constantFrom(
      "api_key=",
      "token: ",
      '"password":"',
      "license_key=",
      "Authorization: Bearer ",
      "%22secret%22=",
    );
    const around = fc.string({
      unit: fc.constantFrom(..."ab01 =:&?;,.@/%\"'\\{}[]\n\u00e4".split("")),
      maxLength: 40,
    });
    const property = fc.property(around, name, around, (before, given, after) => {
      const shown = redact(`${before} ${given}planted7secret ${after}`);
      expect(shown).not.toContain("planted7secret");
      expect(redact(shown)).toBe(shown);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("in time linear in what a stranger sends", () => {
    for (const bad of ["@", "a@", "%40", "://", "://@", "token=", "bearer ", "Aa1", 'cookie:\\"', "a:b@c"]) {
      const startedMs = performance.now();
      redact(bad.repeat(Math.floor(400_000 / bad.length)));
      expect(performance.now() - startedMs, bad).toBeLessThan(1_000);
    }
  });
});
