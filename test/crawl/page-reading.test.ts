import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import type { PageAnswer } from "../../src/crawl/pages/seen-page.ts";

const HANGING = new URL("../workers/crawler/hanging-page-thread.ts", import.meta.url).href;

const answer = (words: string, bytes = 0): PageAnswer => ({
  body: Buffer.from(`<!doctype html><title>${words}</title><p>${words}</p>${" ".repeat(bytes)}`),
  contentType: "text/html; charset=utf-8",
  robotsTag: "",
  url: "https://shop.example/",
  home: "https://shop.example/",
});

/** Bounds are of processor time: a machine that is busy besides takes longer by the clock. */
describe("reading pages in threads", { timeout: 120_000 }, () => {
  const reading = openPageReading(64, HANGING);
  afterAll(() => reading.close());

  it("reads small and large pages, each as it is by itself", async () => {
    const words = Array.from({ length: 40 }, (_, i) => `page ${i}`);
    const pages = await Promise.all(
      words.map((each, i) => reading.read(answer(each, i % 10 === 0 ? 90_000 : 10))),
    );
    expect(pages).toMatchObject(words.map((each) => ({ title: each, text: each })));
  });

  it("ends a page that hangs, reads those that came in the same message, and leaves the main thread alone", async () => {
    let turns = 0;
    const ticker = setInterval(() => turns++, 10);
    onTestFinished(() => clearInterval(ticker));
    const [first, hung, second] = await Promise.all([
      reading.read(answer("before")),
      reading.read(answer("hang the thread")),
      reading.read(answer("after")),
    ]);
    expect(first).toMatchObject({ text: "before" });
    expect(second).toMatchObject({ text: "after" });
    expect(hung).toMatchObject({ hung: expect.stringMatching(/Longer than .* ms/) });
    expect(turns).toBeGreaterThan(20);
  });

  it("ends a page that takes all memory, and reads those that came in the same message", async () => {
    const [first, greedy] = await Promise.all([
      reading.read(answer("before")),
      reading.read(answer("exhaust the thread")),
    ]);
    expect(first).toMatchObject({ text: "before" });
    expect(greedy).toMatchObject({ hung: expect.stringContaining("memory") });
  });

  it("throws a bug of ours for the page that found it, and for no other", async () => {
    const [first, broken] = await Promise.allSettled([
      reading.read(answer("before")),
      reading.read(answer("break the task")),
    ]);
    expect(first).toMatchObject({ value: { text: "before" } });
    expect(broken).toMatchObject({
      reason: expect.objectContaining({ message: expect.stringContaining("a bug") }),
    });
  });

  it("reads a page that came while front pages for drafts had every thread", {
    timeout: 20_000,
  }, async () => {
    const body = Buffer.from(`<a href="/a">a</a>`.repeat(20_000));
    const front = Array.from({ length: 16 }, () => reading.facts({ ...answer(""), body }));
    const page = reading.read(answer("behind them"));
    expect(await page).toMatchObject({ text: "behind them" });
    await Promise.all(front);
  });

  it("keeps of a page's links those that a visit can follow", async () => {
    const html = `<a href="/a#x">a</a><a href="/a#y">b</a><a href="https://other.example/">c</a><a href="/b">d</a>`;
    const page = await reading.read({ ...answer(""), body: Buffer.from(html) });
    expect(page).toMatchObject({ links: ["https://shop.example/a", "https://shop.example/b"] });
  });

  it("reads nothing more than may wait, and nothing once it is closed", async () => {
    const small = openPageReading(2, HANGING);
    const pages = await Promise.all(["a", "b", "c"].map((each) => small.read(answer(each))));
    expect(pages.filter((page) => page === undefined)).toHaveLength(1);
    await small.close();
    expect(await small.read(answer("late"))).toBeUndefined();
  });
});
