import { describe, expect, it } from "vitest";
import { answerOf, canaryPath } from "../../src/agent-web/answer.ts";
import { formatOf } from "../../src/agent-web/formats/table.ts";
import type { FetchResult } from "../../src/ports/http.ts";
import { A2A_03, bytesOf, HOST, LLMS } from "./documents.ts";

const CARD = "/.well-known/agent-card.json";
const CANARY = "/.well-known/qwertyuiop.json";
const JSON_TYPE = { "content-type": "application/json" };
const HTML_TYPE = { "content-type": "text/html; charset=utf-8" };
const page = (title: string): string =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head></html>`;

function reply(path: string, body: unknown, headers: Record<string, string> = {}, status = 200): FetchResult {
  const url = new URL(`https://${HOST}${path}`);
  const rest = { setCookies: [], truncated: false, address: "192.0.2.1", tookMs: 1 };
  return { ok: true, status, headers, body: bytesOf(body), url, ...rest };
}

const failed = (failure: "timeout" | "body_too_large"): FetchResult => ({
  ok: false,
  failure,
  detail: "",
  url: `https://${HOST}${CARD}`,
  tookMs: 1,
});
const told = (one: FetchResult, canary?: FetchResult, path = CARD) => answerOf(one, formatOf(path), canary);
const missing = reply(CANARY, "Not found", {}, 404);

describe("a document", () => {
  it("is present where a random name beside it is not", () => {
    expect(told(reply(CARD, A2A_03, JSON_TYPE), missing)).toBe("present");
    expect(told(reply(CARD, A2A_03, JSON_TYPE))).toBe("present");
    expect(told(reply("/llms.txt", LLMS), missing, "/llms.txt")).toBe("present");
  });

  it("is present on a host that answers every other name with a page, an error, or a document of its own", () => {
    for (const canary of [
      reply(CANARY, page("Shop"), HTML_TYPE),
      reply(CANARY, { error: "no such page" }, JSON_TYPE),
      reply(
        CANARY,
        { ...A2A_03, name: "Any", description: "An agent of the platform. ".repeat(40) },
        JSON_TYPE,
      ),
    ])
      expect(told(reply(CARD, A2A_03, JSON_TYPE), canary)).toBe("present");
  });

  it("of no format in the table is present unless it is a page or what any name gives", () => {
    const path = "/.well-known/security.txt";
    const text = "Contact: mailto:a@shop.example\n";
    expect(told(reply(path, text), missing, path)).toBe("present");
    expect(told(reply(path, text), reply("/.well-known/abcdef.txt", text), path)).toBe("soft_404");
    expect(told(reply(path, page("Shop"), HTML_TYPE), missing, path)).toBe("soft_404");
  });
});

describe("a host that answers any name", () => {
  it.each([
    ["with the shell of an application", page("Shop"), page("Shop"), HTML_TYPE],
    ["with a shell that has a nonce", page("a1b2c3"), page("d4e5f6"), HTML_TYPE],
    ["with a page under the type of JSON", page("Shop"), page("Shop"), JSON_TYPE],
    ["with no bytes", "", "", {}],
    ["with one sound card", A2A_03, A2A_03, JSON_TYPE],
    ["with a card that names the address", { ...A2A_03, id: CARD }, { ...A2A_03, id: CANARY }, JSON_TYPE],
    [
      "with a JSON error",
      { message: "no route", status: 404 },
      { message: "no route", status: 404 },
      JSON_TYPE,
    ],
    ["with an error that says so alone", { success: false }, { id: 7 }, JSON_TYPE],
    ["with one sentence", "This domain is for sale.", "This domain is for sale.", {}],
  ])("%s has no document", (_how, body, other, headers) => {
    expect(told(reply(CARD, body, headers), reply(CANARY, other, headers))).toBe("soft_404");
  });

  it("has no document, however little of a random name's answer was fetched", () => {
    const whole = reply(CANARY, { ...A2A_03, padding: "a".repeat(5_000) }, JSON_TYPE);
    const part = whole.ok ? { ...whole, body: whole.body.subarray(0, 4_096), truncated: true } : whole;
    expect(told({ ...whole, url: new URL(`https://${HOST}${CARD}`) } as FetchResult, part)).toBe("soft_404");
  });

  it("by leading it to its front page or a form to log in has no document", () => {
    for (const [place, other] of [
      ["/", "/"],
      ["/login?next=%2F.well-known%2Fagent-card.json", "/login?next=%2F.well-known%2Fqwertyuiop.json"],
    ] as const) {
      const canary = reply(CANARY, "", { location: other }, 302);
      expect(told(reply(CARD, "", { location: place }, 302), canary)).toBe("soft_404");
    }
    // Followed: the page is no card, wherever it is.
    expect(told(reply("/", page("Shop"), HTML_TYPE), missing)).toBe("soft_404");
  });
});

describe("a page where a document should be", () => {
  it("is none, whether or not other names are answered", () => {
    for (const body of [
      page("Docs"),
      `\n<!-- x -->\n${page("Docs")}`,
      "<html><title>for sale</title></html>",
    ])
      for (const canary of [undefined, missing]) expect(told(reply(CARD, body), canary)).toBe("soft_404");
  });
});

describe("an answer without a document", () => {
  it.each([
    [404, {}, "absent"],
    [410, {}, "absent"],
    [401, {}, "auth"],
    [403, {}, "auth"],
    [301, { location: "https://www.shop.example/.well-known/agent-card.json" }, "redirected"],
    [308, {}, "redirected"],
    [400, {}, "error"],
    [500, {}, "error"],
    [503, {}, "error"],
    [503, { "retry-after": "60" }, "unknown"],
    [429, {}, "unknown"],
  ])("%i is told by its status", (status, headers, answer) => {
    expect(told(reply(CARD, "", headers, status), missing)).toBe(answer);
  });

  it("is unknown where the host was not reached, and an error where it is larger than any document", () => {
    expect(told(failed("timeout"), missing)).toBe("unknown");
    expect(told(failed("body_too_large"), missing)).toBe("error");
    expect(told(reply(CARD, { tea: 1 }, JSON_TYPE), missing)).toBe("error");
    expect(told(reply(CARD, A2A_03, JSON_TYPE), failed("timeout"))).toBe("present");
  });

  it("leads elsewhere as itself where a random name leads to another place", () => {
    const canary = reply(CANARY, "", { location: `https://www.shop.example${CANARY}` }, 301);
    expect(told(reply(CARD, "", { location: `https://www.shop.example${CARD}` }, 301), canary)).toBe(
      "redirected",
    );
  });
});

describe("a random name", () => {
  it.each([
    ["/.well-known/agent-card.json", "/.well-known/q7x.json"],
    ["/.well-known/ucp", "/.well-known/q7x"],
    ["/.well-known/.hidden", "/.well-known/q7x"],
    ["/llms.txt", "/q7x.txt"],
    ["/.well-known/mcp/server-card.json", "/.well-known/mcp/q7x.json"],
    ["/", "/q7x"],
  ])("beside %s has its folder and its ending", (path, canary) => {
    expect(canaryPath(path, "q7x")).toBe(canary);
  });
});
