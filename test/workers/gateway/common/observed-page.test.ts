import { describe, expect, it } from "vitest";
import { Failure } from "../../../../src/rpc/errors.ts";
import { decoded } from "../../../../workers/gateway/common/decoded-text.ts";
import {
  createFetchPage,
  type FetchPage,
  observePage,
} from "../../../../workers/gateway/common/observed-page.ts";
import { PageInput } from "../../../../workers/gateway/common/page-input.ts";
import { memoryOf } from "../../../../workers/gateway/common/page-text.ts";

const page =
  (body: string, contentType: string, status = 200): FetchPage =>
  async (url) => ({
    ok: true,
    url,
    status,
    contentType,
    body: Buffer.from(body),
    truncated: false,
  });
const nothing: FetchPage = async () => ({ ok: false, reason: "timeout" });
const missing = (observed: Awaited<ReturnType<typeof observePage>>) =>
  observed instanceof Failure ? [] : observed.notObserved.map(({ what }) => what);

describe("the page that a module analyzes", () => {
  it("is what was sent, and nothing is fetched then", async () => {
    const observed = await observePage(
      PageInput.parse({ url: "https://a.example/", html: "<p>x" }),
      nothing,
      1_000,
    );
    expect(observed).toMatchObject({ html: "<p>x", text: undefined, status: undefined, seen: "whole" });
    expect(missing(observed)).toEqual([]);
  });

  it("is fetched when only an address was sent, and goes to a thread as it came", async () => {
    const observed = await observePage({ url: "https://a.example/" }, page("<p>y", "text/html"), 1_000);
    if (observed instanceof Failure) throw new Error(observed.detail);
    expect(observed).toMatchObject({ status: 200, text: undefined });
    expect(decoded(observed.html)).toBe("<p>y");
    const [memory] = memoryOf({ html: observed.html });
    structuredClone(observed.html, { transfer: [memory!] });
    expect(memory!.byteLength).toBe(0);
    expect(missing(observed)).toEqual([]);
  });

  it("is text where the server says so, and nothing where it is neither", async () => {
    const text = await observePage({ url: "https://a.example/" }, page("y", "text/plain"), 1_000);
    expect(text).toMatchObject({ html: undefined, notObserved: [] });
    const image = await observePage({ url: "https://a.example/" }, page("y", "image/png"), 1_000);
    expect(image).toMatchObject({
      html: undefined,
      text: undefined,
      notObserved: [{ what: "html", reason: "the page is image/png" }],
    });
  });

  it("says why a page was not seen", async () => {
    const observed = await observePage({ url: "https://a.example/" }, nothing, 1_000);
    expect(observed).toMatchObject({
      html: undefined,
      seen: "none",
      notObserved: [{ what: "html", reason: "the page could not be fetched: timeout" }],
    });
    const error = await observePage({ url: "https://a.example/" }, page("no", "text/html", 500), 1_000);
    expect(missing(error)).toContain("page");
    expect(error).toMatchObject({ seen: "none" });
    const long: FetchPage = async (url, timeoutMs) => ({
      ...(await page("<p>long", "text/html")(url, timeoutMs)),
      truncated: true,
    });
    expect(await observePage({ url: "https://a.example/" }, long, 1_000)).toMatchObject({ seen: "part" });
  });

  it("must be something, at a web address", async () => {
    expect(await observePage({}, nothing, 1_000)).toMatchObject({ code: "invalid_request" });
    expect(await observePage({ url: "file:///etc/passwd" }, nothing, 1_000)).toMatchObject({
      code: "invalid_url",
    });
    expect(await observePage({ url: "shop.example" }, nothing, 1_000)).toMatchObject({ code: "invalid_url" });
  });

  it("waits its turn at the gate, and says so when that does not come", async () => {
    const fetchPage = createFetchPage({ open: async () => ({ ok: false, retryAt: 1 }) });
    expect(await fetchPage(new URL("https://a.example/"), 100)).toEqual({ ok: false, reason: "busy" });
  });
});
