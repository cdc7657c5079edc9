import { describe, expect, it } from "vitest";
import { Failure } from "../../../../src/rpc/errors.ts";
import {
  createFetchPage,
  type FetchPage,
  observe,
  PageInput,
} from "../../../../workers/gateway/common/page-input.ts";

const page =
  (body: string, headers: Record<string, string>, status = 200): FetchPage =>
  async (url) => ({
    ok: true,
    url,
    status,
    headers,
    body: Buffer.from(body),
    truncated: false,
  });
const nothing: FetchPage = async () => ({ ok: false, reason: "timeout" });
const parts = (seen: Awaited<ReturnType<typeof observe>>) =>
  seen instanceof Failure ? [] : seen.notObserved.map(({ what }) => what);

describe("what a module looks at", () => {
  it("is what was sent, and nothing is fetched then", async () => {
    const seen = await observe(PageInput.parse({ url: "https://a.example/", html: "<p>x" }), nothing, 1_000);
    expect(seen).toMatchObject({ html: "<p>x", text: undefined, status: undefined });
    expect(parts(seen)).toEqual(["headers", "cookies", "dns"]);
  });

  it("is fetched when only an address was sent, with its header fields and cookies", async () => {
    const headers = {
      "content-type": "text/html",
      "set-cookie": "a=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/, b=2; Secure",
    };
    const seen = await observe({ url: "https://a.example/" }, page("<p>y", headers), 1_000);
    expect(seen).toMatchObject({
      html: "<p>y",
      status: 200,
      cookies: ["a=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/", "b=2; Secure"],
    });
    expect(parts(seen)).toEqual(["dns"]);
  });

  it("says why a page was not seen", async () => {
    const seen = await observe({ url: "https://a.example/" }, nothing, 1_000);
    expect(seen).toMatchObject({
      html: undefined,
      notObserved: [{ what: "html", reason: "the page could not be fetched: timeout" }, {}, {}, {}],
    });
    const error = await observe(
      { url: "https://a.example/" },
      page("no", { "content-type": "text/html" }, 500),
      1_000,
    );
    expect(parts(error)).toContain("page");
  });

  it("must be something, at a web address", async () => {
    expect(await observe({}, nothing, 1_000)).toMatchObject({ code: "invalid_request" });
    expect(await observe({ url: "file:///etc/passwd" }, nothing, 1_000)).toMatchObject({
      code: "invalid_url",
    });
    expect(await observe({ url: "shop.example" }, nothing, 1_000)).toMatchObject({ code: "invalid_url" });
  });

  it("waits its turn at the gate, and says so when that does not come", async () => {
    const fetchPage = createFetchPage({ open: async () => ({ ok: false, retryAt: 1 }) });
    expect(await fetchPage(new URL("https://a.example/"), 100)).toEqual({ ok: false, reason: "busy" });
  });
});
