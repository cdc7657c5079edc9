import { describe, expect, it } from "vitest";
import { recentlyUsed } from "../../src/stores/recently-used.ts";

describe("entries that were used recently", () => {
  it("are as many as may be: the one that was used last longest ago goes first", () => {
    const cache = recentlyUsed<number>(2);
    cache.set("a", 1).set("b", 2);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
    for (let i = 0; i < 1_000; i++) cache.set(`${i}`, i);
    expect(cache.size).toBe(2);
  });

  it("go after their time", async () => {
    const cache = recentlyUsed<true>(10, 20);
    cache.set("a", true);
    expect(cache.has("a")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(cache.has("a")).toBe(false);
  });

  it("take no memory before they are there", () => {
    const used = () => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const before = used();
    const caches = Array.from({ length: 10 }, () => recentlyUsed<true>(1_000_000, 1_000));
    // Ten bound by number took 440 MB.
    expect(used() - before).toBeLessThan(10_000_000);
    expect(caches).toHaveLength(10);
  });
});
