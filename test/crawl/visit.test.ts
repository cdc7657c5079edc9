import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SiteContent } from "../../schemas/site.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { Previous } from "../../src/crawl/stages/context.ts";
import type { VisitResult } from "../../src/crawl/visit.ts";
import { addressGateKey } from "../../src/egress/gate.ts";
import { gateOn, joinBroker } from "../support/gate.ts";
import {
  type Answers,
  html,
  type OneSite,
  oneSite,
  status,
  stored,
  text,
} from "../workers/crawler/one-site.ts";

const DOCUMENT = "/.well-known/bridge.json";
const BEACON = "/.bridge";

let broker: NatsBroker;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker.close());

function seen(result: VisitResult) {
  if (result.kind !== "seen") throw new Error("the visit was put off");
  return result;
}
const pagesAsked = (site: OneSite): string[] =>
  site.asked.filter((path) => !path.startsWith("/.well-known/") && ![BEACON, "/robots.txt"].includes(path));

describe("the pages of a visit", () => {
  it("are read by the home page's links, as many as are allowed, each once", async () => {
    const site = await oneSite(broker);
    const links = Array.from({ length: 40 }, (_, i) => `<a href="/page-${i}#part">p</a>`).join("");
    site.answers["/"] = html(`<p>Welcome</p><a href="/">Home</a>${links}`, "<title>Home</title>");
    for (let i = 0; i < 40; i++) site.answers[`/page-${i}`] = html(`<p>Part ${i}</p>`);
    const { content } = seen(await site.visit({ pages: 4 }));
    expect(pagesAsked(site)).toEqual(["/", "/page-0", "/page-1", "/page-2"]);
    expect(content).toMatchObject({ title: "Home", language: "en" });
    expect(content?.text).toMatch(/Welcome.*Part 0\s+Part 1\s+Part 2/s);
  });

  it("are none when none are wanted", async () => {
    const site = await oneSite(broker);
    expect(seen(await site.visit({ pages: 0 })).seen.ring).toBe(3);
    expect(pagesAsked(site)).toEqual([]);
  });

  it("need no title: what is stored can be read again", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html("<p>No title here</p>");
    const { content } = seen(await site.visit());
    expect(SiteContent.parse(content)).toMatchObject({ title: "", text: "No title here" });
  });

  it("do not lead into a calendar without end, to other hosts or to other ports", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html(
      `<a href="/2025/1/1/2025">trap</a><a href="/a/b/c/d/e/f">deep</a><a href="https://other.test/x">other</a><a href="https://${site.host}:1/x">port</a><a href="mailto:a@b.test">mail</a>`,
    );
    await site.visit({ pages: 10 });
    expect(pagesAsked(site)).toEqual(["/"]);
  });

  it("are HTML alone", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = text("secret plans", "application/pdf");
    expect(seen(await site.visit()).content?.text).toBe("");
  });

  it.each([
    ["a meta element", html("<p>Private</p>", '<title>Hush</title><meta name="robots" content="noindex">')],
    [
      "a field for all",
      html("<p>Private</p>", "<title>Hush</title>", { "x-robots-tag": "noindex, nofollow" }),
    ],
    ["a field for us", html("<p>Private</p>", "<title>Hush</title>", { "x-robots-tag": "BridgeBot: none" })],
  ])("are not kept where %s says noindex", async (_, answer) => {
    const site = await oneSite(broker);
    site.answers["/"] = answer;
    expect(seen(await site.visit()).content).toMatchObject({ title: "", text: "" });
  });

  it("are kept where noindex is said to another robot", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html("<p>Open</p>", "", { "x-robots-tag": "otherbot: noindex" });
    expect(seen(await site.visit()).content?.text).toBe("Open");
  });

  it("are not followed from a page that says nofollow", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html('<a href="/next">n</a>', '<meta name="robots" content="nofollow">');
    await site.visit();
    expect(pagesAsked(site)).toEqual(["/"]);
  });
});

describe("robots.txt", () => {
  it("is asked before any page, and obeyed", async () => {
    const site = await oneSite(broker);
    site.answers["/robots.txt"] = text(
      "User-agent: bridgebot\nDisallow: /private\n\nUser-agent: *\nDisallow: /",
    );
    site.answers["/"] = html('<a href="/private/a">a</a><a href="/open">b</a>');
    await site.visit();
    expect(site.asked.indexOf("/robots.txt")).toBeLessThan(site.asked.indexOf("/"));
    expect(pagesAsked(site)).toEqual(["/", "/open"]);
  });

  it("holds for where a page redirects to", async () => {
    const site = await oneSite(broker);
    site.answers["/robots.txt"] = text("User-agent: *\nDisallow: /private");
    site.answers["/"] = html('<a href="/door">in</a>');
    site.answers["/door"] = status(302, { location: "/private/room" });
    await site.visit();
    expect(pagesAsked(site)).toEqual(["/", "/door"]);
  });

  it("that answers with an error closes the pages, and not the document that was announced", async () => {
    const site = await oneSite(broker);
    site.answers["/robots.txt"] = status(503);
    const { seen: found } = seen(await site.visit());
    expect(found).toMatchObject({ ring: 3, reason: "verified" });
    expect(pagesAsked(site)).toEqual([]);
  });

  it("is asked before the document of a host that has no TXT record", async () => {
    const site = await oneSite(broker);
    site.published = false;
    expect(seen(await site.visit({ pages: 0 })).seen).toMatchObject({ ring: 1, reason: "no_txt" });
    expect(site.asked.slice(0, 2)).toEqual(["/robots.txt", DOCUMENT]);
  });

  it("keeps such a host's document from being asked for", async () => {
    const site = await oneSite(broker);
    site.published = false;
    site.answers["/robots.txt"] = text("User-agent: *\nDisallow: /");
    const { seen: found } = seen(await site.visit());
    expect(found).toMatchObject({ ring: 0, conclusion: "mismatch", reason: "no_txt" });
    expect(found.detail).toContain("robots.txt");
    expect(site.asked).toEqual(["/robots.txt"]);
  });

  it("that our own gate held back is asked for again, and says nothing of the site meanwhile", async () => {
    const site = await oneSite(broker);
    site.published = false;
    const other = await gateOn(broker, "other").enter(addressGateKey(site.address), 100);
    expect(other.ok).toBe(true);
    const early = await site.visit({ maxWaitMs: 100 });
    expect(early).toMatchObject({ kind: "not_now", retryAt: expect.any(Number) });
    if (other.ok) await other.lease.release({ nextAt: 0 });
    expect(seen(await site.visit({ pages: 0 })).seen.ring).toBe(1);
  });
});

describe("a visit to a site that is known", () => {
  it("asks whether the document changed, and takes 304 for the one it has", async () => {
    const site = await oneSite(broker);
    const fields: unknown[] = [];
    const plain = site.answers[DOCUMENT]!;
    site.answers[DOCUMENT] = (request, response) => {
      fields.push(request.headers["if-none-match"]);
      response.setHeader("etag", '"one"');
      if (request.headers["if-none-match"] === '"one"') status(304)(request, response);
      else plain(request, response);
    };
    const first = await site.visit();
    const previous = stored(site, first);
    const second = await site.visit({ previous });
    expect(fields).toEqual([undefined, '"one"']);
    const { checks, measured, ...rest } = seen(second).seen;
    expect(seen(first).seen).toMatchObject(rest);
    expect(checks.every(({ outcome }) => outcome !== "fail")).toBe(true);
    expect(seen(second).content).toEqual(seen(first).content);
  });

  it("does not take an unasked 304 for anything", async () => {
    const site = await oneSite(broker);
    const previous = stored(site, await site.visit());
    site.answers[DOCUMENT] = status(304);
    expect(seen(await site.visit({ previous })).seen).toMatchObject({ conclusion: "failure" });
  });

  it("does not ask conditionally where the contents are lost", async () => {
    const site = await oneSite(broker);
    const plain = site.answers[DOCUMENT]!;
    const fields: unknown[] = [];
    site.answers[DOCUMENT] = (request, response) => {
      fields.push(request.headers["if-none-match"]);
      response.setHeader("etag", '"one"');
      plain(request, response);
    };
    const { record } = stored(site, await site.visit());
    await site.visit({ previous: { record, content: undefined } });
    expect(fields).toEqual([undefined, undefined]);
  });

  it.each([
    ["its pages answer 503", "/", status(503)],
    [
      "one of its pages is cut off",
      "/more",
      ((_, response) => void response.destroy()) satisfies Answers[string],
    ],
  ])("keeps the text it has while %s", async (_, path, answer) => {
    const site = await oneSite(broker);
    site.answers["/"] = html('<p>Kettles since 1900</p><a href="/more">m</a>', "<title>Shop</title>");
    site.answers["/more"] = html("<p>More kettles</p>");
    const previous = stored(site, await site.visit());
    site.answers[path] = answer;
    site.publish(2, "Now with pots.");
    const { seen: found, content } = seen(await site.visit({ previous }));
    expect(found).toMatchObject({ ring: 3, facts: { serial: 2 } });
    expect(found.facts).not.toHaveProperty("content_sha256");
    expect(content).toMatchObject({ title: "Shop", text: previous.content?.text });
    expect(content?.document).toContain("Now with pots.");
  });

  it("lets go of a text whose pages are gone", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html("<p>Kettles</p>");
    const previous = stored(site, await site.visit());
    delete site.answers["/"];
    expect(seen(await site.visit({ previous })).content?.text).toBe("");
  });

  it("reads other pages than the last one, as many, and gathers their texts and what they show", async () => {
    const site = await oneSite(broker);
    const links = Array.from({ length: 8 }, (_, i) => `<a href="/p${i}">p</a>`).join("");
    site.answers["/"] = html(`<p>Kettles</p>${links}`);
    for (let i = 0; i < 8; i++) site.answers[`/p${i}`] = html(`<p>Part ${i}</p>`);
    let previous: Previous | undefined;
    const asked: string[][] = [];
    for (let visit = 0; visit < 5; visit++) {
      const before = pagesAsked(site).length;
      previous = stored(site, await site.visit(previous && { previous }), previous);
      asked.push(pagesAsked(site).slice(before));
    }
    expect(asked.map(([home, ...others]) => [home, others.length])).toEqual(Array(5).fill(["/", 2]));
    expect(new Set(asked.slice(0, 4).flat()).size).toBe(9);
    expect(previous?.record.evidence?.pages).toBe(9);
    for (let i = 0; i < 8; i++) expect(previous?.content?.text).toContain(`Part ${i}`);
    expect(previous?.content?.text.match(/Kettles/g)).toHaveLength(1);
  });

  it("keeps its interval growing while it reads pages for the first time, and not where a page changed", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html('<p>Kettles</p><a href="/a">a</a><a href="/b">b</a>');
    site.answers["/a"] = html("<p>Part a</p>");
    site.answers["/b"] = html("<p>Part b</p>");
    const first = stored(site, await site.visit({ pages: 2 }));
    const second = stored(site, await site.visit({ previous: first, pages: 2 }), first);
    expect(second.content?.text).toContain("Part b");
    expect(second.record.interval_seconds).toBeGreaterThan(first.record.interval_seconds);
    site.answers["/"] = html('<p>Pots</p><a href="/a">a</a>');
    const third = stored(site, await site.visit({ previous: second, pages: 2 }), second);
    expect(third.record.interval_seconds).toBeLessThan(second.record.interval_seconds);
    expect(third.content?.text).not.toContain("Kettles");
  });

  it("gathers what pages show also while one of them does not answer, and does not ask for that one alone", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html('<a href="/broken">x</a><a href="/a">a</a><a href="/b">b</a>');
    site.answers["/broken"] = (_, response) => void response.destroy();
    site.answers["/a"] = html("<p>Part a</p>");
    site.answers["/b"] = html("<p>Part b</p>");
    const first = stored(site, await site.visit({ pages: 2 }));
    expect(first.record.evidence?.pages).toBe(1);
    const second = stored(site, await site.visit({ previous: first, pages: 3 }), first);
    expect(second.record.evidence?.pages).toBe(3);
  });

  it("forgets a page that is gone", async () => {
    const site = await oneSite(broker);
    site.answers["/"] = html('<p>Kettles</p><a href="/a">a</a>');
    site.answers["/a"] = html("<p>Part a</p>");
    const first = stored(site, await site.visit());
    expect(first.content?.text).toContain("Part a");
    delete site.answers["/a"];
    const second = stored(site, await site.visit({ previous: first }), first);
    expect(second.content?.text).toBe("Kettles a");
    expect(second.record.evidence?.pages).toBe(1);
  });

  it("refuses a serial that was lowered", async () => {
    const site = await oneSite(broker);
    site.publish(5);
    const previous = stored(site, await site.visit());
    site.publish(4);
    const { seen: found } = seen(await site.visit({ previous }));
    expect(found).toMatchObject({ ring: 0, conclusion: "mismatch", reason: "serial_lowered" });
  });

  it("takes the end of its TXT record for a fact, whatever its server answers", async () => {
    const site = await oneSite(broker);
    const previous = stored(site, await site.visit());
    site.published = false;
    for (const code of [200, 404, 503]) {
      if (code !== 200) site.answers[DOCUMENT] = status(code);
      const result = await site.visit({ previous });
      expect(seen(result).seen.reason).toBe("no_txt");
      expect(stored(site, result, previous).record).toMatchObject({ status: "stale" });
    }
  });
});

describe("a beacon", () => {
  const withBeacon = async (body: string | Buffer, code = 200): Promise<string[]> => {
    const site = await oneSite(broker);
    site.answers[BEACON] = (_, response) =>
      void response.writeHead(code, { "content-type": "application/json" }).end(body);
    const { discoveredHosts, seen: found } = seen(await site.visit({ pages: 0 }));
    expect(found).toMatchObject({ ring: 3, reason: "verified" });
    return discoveredHosts;
  };
  const next = (...domains: unknown[]): string =>
    JSON.stringify({ next: domains.map((domain) => ({ domain })) });

  it("names at most ten hosts, each once, in canonical form", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Site${i}.example`);
    expect(await withBeacon(next("SITE0.example.", ...names))).toEqual(
      Array.from({ length: 10 }, (_, i) => `site${i}.example`),
    );
  });

  it("names no addresses, ports, single labels or suffixes", async () => {
    const bad = ["127.0.0.1", "[::1]", "a.example:8443", "localhost", "co.uk", "a b.example", "", "0x7f.1"];
    expect(await withBeacon(next(...bad, "good.example"))).toEqual(["good.example"]);
  });

  it.each([
    ["garbage", "{{{"],
    ["a doubled member", '{"next":[{"domain":"a.example"}],"next":[{"domain":"b.example"}]}'],
    ["a list", '["a.example"]'],
    ["names that are no text", next(7, null, {})],
    ["more names than a beacon has", next(...Array.from({ length: 1_001 }, (_, i) => `s${i}.example`))],
    ["a body without measure", Buffer.alloc(200_000, 0x20)],
    ["deep nesting", `{"next":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
  ])("of %s names nobody and harms nothing", async (_, body) => {
    expect(await withBeacon(body)).toEqual([]);
  });

  it("that is not there names nobody", async () => {
    expect(await withBeacon(next("a.example"), 404)).toEqual([]);
  });
});
