import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { parseTxtRecord } from "../../../src/domain/trust/txt-record.ts";
import { endpointFor, recordTemplate } from "../../../workers/provider/record-template.ts";
import {
  deliveryOutcome,
  newDelivery,
  resumed,
  waitBefore,
  webhookHeaders,
} from "../../../workers/provider/webhook-rules.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("a pasted domain", () => {
  it.each([
    ["Shop.Example", "shop.example"],
    [" shop.example. ", "shop.example"],
    ["https://shop.example/path?query#part", "shop.example"],
    ["HTTP://SHOP.EXAMPLE:8080", "shop.example"],
    ["//shop.example/x", "shop.example"],
    ["shop.example/x", "shop.example"],
    ["shop.example:443", "shop.example"],
    ["_bridge.shop.example", "shop.example"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["https://MÜNCHEN。example", "xn--mnchen-3ya.example"],
  ])("%j is %s", (text, host) => {
    expect(parsePastedDomain(text)).toEqual({ ok: true, host });
  });
  it.each([
    ["", "empty"],
    ["  ", "empty"],
    ["me@shop.example", "credentials"],
    ["https://u:p@shop.example", "credentials"],
    ["*.shop.example", "wildcard"],
    ["ftp://shop.example", "not_http"],
    ["10.0.0.1", "ip_address"],
    ["http://[::1]/", "ip_address"],
    ["localhost", "single_label"],
    ["co.uk", "public_suffix"],
    ["shop example", "invalid"],
    ["x".repeat(5_000), "too_long"],
  ])("%j is refused: %s", (text, reason) => {
    expect(parsePastedDomain(text)).toMatchObject({ ok: false, reason });
  });
  it("never throws, and gives back what it would give itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.domain(), fc.webUrl()), (text) => {
        const parsed = parsePastedDomain(text);
        if (parsed.ok) expect(parsePastedDomain(parsed.host)).toEqual(parsed);
      }),
    );
  });
});

describe("a record template", () => {
  const { publicKey } = generateKey();
  const template = recordTemplate(
    "www.shop.co.uk",
    "https://www.shop.co.uk",
    publicKey,
    "https://registry.example",
  );
  it("names the record within its zone and without it", () => {
    expect(template.record).toMatchObject({
      zone: "shop.co.uk",
      host: "_bridge.www",
      host_fqdn: "_bridge.www.shop.co.uk",
    });
  });
  it("holds a value that the crawl reads, also from its quoted strings", () => {
    expect(parseTxtRecord(template.record.value!)).toMatchObject({ ok: true, record: { publicKey } });
    expect(template.chunks.map((chunk) => JSON.parse(chunk)).join("")).toBe(template.record.value);
    expect(template.zone_file).toBe(`_bridge.www.shop.co.uk. 300 IN TXT ${template.chunks.join(" ")}`);
  });
  it("without a key holds nothing that somebody could publish", () => {
    const { record, ready, zone_file, chunks } = recordTemplate(
      "shop.example",
      "https://shop.example",
      undefined,
      "https://r.example",
    );
    expect({ ready, value: record.value, zone_file, chunks }).toEqual({
      ready: false,
      value: null,
      zone_file: null,
      chunks: [],
    });
  });
  it("takes endpoints of the domain alone", () => {
    expect(endpointFor("shop.example", "https://api.shop.example/x")).toEqual({
      ok: true,
      endpoint: "https://api.shop.example",
    });
    expect(endpointFor("shop.example", "https://shop.example.evil.example").ok).toBe(false);
    expect(endpointFor("shop.example", "http://shop.example").ok).toBe(false);
  });
});

describe("a webhook's rules", () => {
  it("sign as the reference implementation of Standard Webhooks does (its own test's vector)", () => {
    const hook = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      body: '{"test": 2432232314}',
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    };
    expect(webhookHeaders(hook, 1_614_265_330)["webhook-signature"]).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });
  it("wait as the schedule says and up to a tenth longer, and end with it", () => {
    const schedule = [0, 5_000, 300_000];
    expect([0, 1, 2, 3].map((made) => waitBefore(schedule, made, () => 0))).toEqual([
      0,
      5_000,
      300_000,
      undefined,
    ]);
    expect(waitBefore(schedule, 1, () => 1)).toBe(5_500);
  });
  it("go on from what the batch's record knows, and from the queue where there is no record", () => {
    const hook = { v: 1, id: "b", url: "https://shop.test/", secret: null, body: "{}", made: 1 } as const;
    const summary = { total: 1, enabled: 1, partial: 0, disabled: 0, pending: 0, timeout: 0, invalid: 0 };
    const batch = { v: 1, request_id: "b", created_at: "2026-01-01T00:00:00Z", summary } as const;
    const attempt = { at: "2026-01-01T00:00:00Z", status: 500, failure: "status", took_ms: 1 };
    const pending = newDelivery(hook.url, false, 10, 5_000);
    const knowing = (delivery: typeof pending | null) => resumed(hook, { ...batch, delivery });
    expect(resumed(hook, undefined)).toEqual({ hook, notBefore: 0 });
    expect(knowing(pending)).toEqual({ hook, notBefore: 5_000 });
    expect(knowing({ ...pending, attempts: [attempt, attempt, attempt] }).hook?.made).toBe(3);
    for (const done of [
      { ...pending, state: "delivered" } as const,
      { ...pending, state: "failed" } as const,
      null,
    ])
      expect(knowing(done).hook).toBeUndefined();
  });
  it.each([
    [{ status: 200 }, "delivered"],
    [{ status: 204 }, "delivered"],
    [{ status: 301 }, "again"],
    [{ status: 404 }, "again"],
    [{ status: 410 }, "ended"],
    [{ status: 500 }, "again"],
    [{ failure: "timeout" }, "again"],
    [{ failure: "refused_address" }, "ended"],
  ])("take %j as %s", (answer, kind) => {
    expect(deliveryOutcome(answer).kind).toBe(kind);
  });
});
