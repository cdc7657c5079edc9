/** robots.txt behind redirects (RFC 9309 section 2.3.1.2): what stands at the end is obeyed, and no end is no leave. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { joinBroker } from "../../support/gate.ts";
import { type Answers, html, type OneSite, oneSite, status, text } from "./one-site.ts";

const DOCUMENT = "/.well-known/bridge.json";
const RULES = text("User-agent: *\nDisallow: /private\n");

let broker: NatsBroker;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker.close());

const to = (location: string): Answers[string] => status(302, { location });
/** `/robots.txt` leads to the rules by so many redirects. */
const chain = (length: number): Answers => ({
  ...Object.fromEntries(Array.from({ length: length - 1 }, (_, i) => [`/r${i + 1}`, to(`/r${i + 2}`)])),
  "/robots.txt": to("/r1"),
  [`/r${length}`]: RULES,
});

/** Visits a site with a forbidden page. @returns the pages that were asked for */
async function pagesOf(answers: (site: OneSite) => Answers): Promise<{ pages: string[]; asked: string[] }> {
  const site = await oneSite(broker);
  Object.assign(site.answers, {
    "/": html('<a href="/private">p</a><a href="/open">o</a>'),
    "/private": html("<p>Secret</p>"),
    "/open": html("<p>Open</p>"),
    ...answers(site),
  });
  expect((await site.visit()).kind).toBe("seen");
  return {
    asked: site.asked,
    pages: site.asked.filter((path) => ["/", "/private", "/open", DOCUMENT].includes(path)),
  };
}

describe("robots.txt behind redirects", () => {
  it.each([1, 4, 5])("%i of them is read, and obeyed", async (length) => {
    const { pages } = await pagesOf(() => chain(length));
    expect(pages).toEqual([DOCUMENT, "/", "/open"]);
  });

  it("to another host of the site is read there", async () => {
    const { pages, asked } = await pagesOf((site) => ({
      "/robots.txt": to(`${site.origin.replace("://", "://www.")}/rules`),
      "/rules": RULES,
    }));
    expect(asked).toContain("/rules");
    expect(pages).toEqual([DOCUMENT, "/", "/open"]);
  });

  const hidden: [string, (site: OneSite) => Answers][] = [
    ["six of them", () => chain(6)],
    ["a loop of them", () => ({ "/robots.txt": to("/r1"), "/r1": to("/robots.txt") })],
    ["one without a Location", () => ({ "/robots.txt": status(302) })],
    ["one to a private address", () => ({ "/robots.txt": to("https://10.0.0.1/robots.txt") })],
    ["one to a name that nobody has", () => ({ "/robots.txt": to("https://nobody.test/robots.txt") })],
    ["one to no address", () => ({ "/robots.txt": to("http://a*b/robots.txt") })],
    ["one to http", (site) => ({ "/robots.txt": to(`http://${site.host}/robots.txt`) })],
    ["300 Multiple Choices", () => ({ "/robots.txt": status(300) })],
  ];
  it.each(hidden)("%s: nothing is allowed until it can be read", async (_, answers) => {
    const { pages } = await pagesOf(answers);
    expect(pages).toEqual([DOCUMENT]);
  });
});
