import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { fitText, MAX_TEXT_BYTES, openContents } from "../../src/stores/contents.ts";
import { anyCharacter } from "../support/any-character.ts";
import { joinBroker } from "../support/gate.ts";

const noise = (bytes: number): string => randomBytes(bytes).toString("base64");

describe("a text that is kept", () => {
  it("is whole when it compresses to 8 KiB", () => {
    const text = "The quick brown fox jumps over the lazy dog. ".repeat(400);
    expect(fitText(text)).toBe(text);
  });

  it("is cut to what does, and not to much less", () => {
    const fitted = fitText(noise(30_000));
    const bytes = deflateRawSync(fitted).length;
    expect(bytes).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    expect(bytes).toBeGreaterThan(MAX_TEXT_BYTES * 0.8);
  });

  it("is a beginning of what was given, and well formed, whatever that is", () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20_000, size: "max" }),
      fc.nat(9_000).map((count) => `${"x".repeat(count % 2)}${"😀".repeat(count)}${noise(count)}`),
      fc.nat(20_000).map((count) => noise(count) + "\ud83d".repeat(count % 3)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const fitted = fitText(text);
        expect(fitted.isWellFormed()).toBe(true);
        expect(deflateRawSync(fitted).length).toBeLessThanOrEqual(MAX_TEXT_BYTES);
        // Only the last character may have been cut in two.
        expect(text.toWellFormed().startsWith(fitted.slice(0, -1))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("contents", () => {
  let broker: NatsBroker;
  beforeAll(async () => {
    broker = await joinBroker();
  });
  afterAll(() => broker.close());

  it("come back as they were put, until they are removed", async () => {
    const contents = openContents(broker.buckets.contents);
    const content = { v: 1 as const, document: '{"a":1}', title: "Tea", language: "en", text: "Tea – 茶" };
    expect(await contents.get("shop.test")).toBeUndefined();
    await contents.put("shop.test", content);
    expect(await contents.get("shop.test")).toEqual(content);
    await contents.remove("shop.test");
    expect(await contents.get("shop.test")).toBeUndefined();
  });

  it("that this process has just put are at hand, but not once the record tells of others", async () => {
    const [ours, theirs] = [openContents(broker.buckets.contents), openContents(broker.buckets.contents)];
    const content = { v: 1 as const, document: "{}", title: "Tea", language: "en", text: "first" };
    const first = { content_sha256: "1", document_sha256: "d" };
    await ours.put("read.test", content, first);
    await theirs.put("read.test", { ...content, text: "second" });
    expect((await ours.get("read.test", first))?.text).toBe("first");
    expect((await ours.get("read.test", { ...first, content_sha256: "2" }))?.text).toBe("second");
    expect((await ours.get("read.test"))?.text).toBe("second");
  });

  it("of the largest kind fit: a document of 64 KiB that does not compress, and all the text", async () => {
    const contents = openContents(broker.buckets.contents);
    const document = JSON.stringify({ pad: randomBytes(65_000).toString("latin1") }).slice(0, 65_536);
    await contents.put("large.test", {
      v: 1,
      document,
      title: noise(400),
      language: null,
      text: noise(20_000),
    });
    expect((await contents.get("large.test"))?.document).toBe(document);
  });
});
