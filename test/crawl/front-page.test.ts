import { describe, expect, it, onTestFinished } from "vitest";
import { politeAlone } from "../../app/cli/check.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { readFrontPage } from "../../src/crawl/front-page.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { authorityPem, fetcherFor, serveHttps } from "../adapters/http/support.ts";

const PAGE = "<title>Tea</title>";

/** A shop whose bare name redirects, and what it was asked for. @param to where its bare name leads */
async function shop(to: (port: number) => string, robotsOfWww = "") {
  const host = "shop.test";
  const asked: string[] = [];
  const server = await serveHttps([host, `www.${host}`], ({ url, headers }, response) => {
    const isWww = headers.host?.startsWith("www.");
    asked.push(`${isWww ? "www" : "bare"} ${url}`);
    if (!isWww) return void response.writeHead(301, { location: `${to(server.port)}${url}` }).end();
    if (url === "/robots.txt") return void response.end(robotsOfWww);
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  });
  const names = { [host]: [server.address], [`www.${host}`]: [server.address] };
  const fetcher = fetcherFor(names, { ca: [authorityPem] });
  const outgoing = { clock: systemClock, fetcher } as Parameters<typeof politeAlone>[0];
  const polite = politeAlone(outgoing, { ...readConfig({}), BRIDGE_IP_DELAY_MS: 0 });
  const pages = openPageReading(1);
  onTestFinished(() => pages.close());
  const entry = await polite.open(host, 1_000);
  if (!entry.ok) throw new Error("the host is taken");
  const { visit } = entry;
  onTestFinished(() => visit.close());
  const read = await readFrontPage({
    visit,
    host,
    httpsPort: server.port,
    robotsToken: "BridgeBot",
    readFacts: pages.facts,
  });
  if (read.kind !== "seen") throw new Error("the page was put off");
  return { ...read, asked, www: `https://www.${host}:${server.port}` };
}

describe("the front page of a domain that redirects", () => {
  it("to its www. is the page there, by the rules there, and says so", async () => {
    const { page, facts, asked, www } = await shop((port) => `https://www.shop.test:${port}`);
    expect(page).toEqual({
      state: "read",
      url: `${www}/`,
      detail: expect.stringContaining(`name ${www} as`),
    });
    expect(facts).toMatchObject({ title: "Tea" });
    // The bare name's robots.txt redirects too; that of www. is asked for as its own.
    expect(asked).toEqual(["bare /robots.txt", "www /robots.txt", "bare /", "www /robots.txt", "www /"]);
  });

  it("to its www. is left alone where robots.txt there says so", async () => {
    const { page, asked } = await shop(
      (port) => `https://www.shop.test:${port}`,
      "User-agent: *\nDisallow: /",
    );
    expect(page.state).toBe("disallowed");
    expect(asked).not.toContain("www /");
  });

  it.each([
    ["another name", () => "https://other.test"],
    ["plain http", () => "http://www.shop.test"],
  ])("to %s is no page", async (_, to) => {
    const { page, facts } = await shop(to);
    expect(page.state).not.toBe("read");
    expect(facts).toBeUndefined();
  });
});
