import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SESSION_SECONDS } from "../../../schemas/session.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { planCommand } from "../../../src/browser/commands.ts";
import type { FormState } from "../../../src/browser/controls.ts";
import { openCookieJar } from "../../../src/browser/cookie-jar.ts";
import { readBrowserPage } from "../../../src/browser/page.ts";
import type { PageSource } from "../../../src/browser/page-source.ts";
import type { BuiltIn, Command, CommandPlan } from "../../../src/browser/plan.ts";
import { pageSource as sourceOfReply } from "../../../src/browser/read-source.ts";
import { createPolite } from "../../../src/egress/polite.ts";
import { timeoutOf } from "../../../src/rpc/contract.ts";
import { servedScript } from "../../../workers/session/bridge-script.ts";
import { session } from "../../../workers/session/contract.ts";
import { fetchSessionPage, type NavigationOutcome } from "../../../workers/session/pages/fetch-page.ts";
import { openSessions } from "../../../workers/session/store.ts";
import { fetcherFor, loopbackAddress, serveHttp } from "../../adapters/http/support.ts";
import { gateOn, joinBroker } from "../../support/gate.ts";

const sourceOf = (text: string): PageSource => ({
  url: "https://shop.test/",
  status: 200,
  mediaType: "text/html",
  encoding: "utf-8",
  text,
});
function plan(
  html: string,
  action: BuiltIn,
  command: Omit<Command, "action">,
  fields: FormState = {},
): CommandPlan {
  const page = readBrowserPage(sourceOf(html));
  const state = { home: page.url, page, fields, history: [], offset: 0 };
  return planCommand(action, { action, ...command }, state, () => true, "boundary");
}
const codeOf = (made: CommandPlan): string => (made.kind === "failed" ? made.code : made.kind);
const resultOf = (made: CommandPlan): any => (made.kind === "done" ? made.result : made);

describe("a page is read as far as docs/agents.md says:", () => {
  const isCut = (html: string): boolean => readBrowserPage(sourceOf(html)).truncated;

  it("1 MiB of HTML", () => {
    expect([isCut("x".repeat(1_048_576)), isCut("x".repeat(1_048_577))]).toEqual([false, true]);
  });

  it("60,000 nodes, of which the document's own are three", () => {
    expect([isCut("<br>".repeat(59_997)), isCut("<br>".repeat(59_998))]).toEqual([false, true]);
  });

  it("512 levels, of which html and body are two", () => {
    const deep = (levels: number) => `${"<div>".repeat(levels - 2)}${"</div>".repeat(levels - 2)}`;
    expect([isCut(deep(512)), isCut(deep(513))]).toEqual([false, true]);
  });
});

describe("a reply holds", () => {
  it("16,000 characters of text, and says whether there are more", () => {
    const [all, more] = [16_000, 16_001].map((chars) =>
      resultOf(plan(`<p>${"x".repeat(chars)}`, "read", {})),
    );
    expect([all.text.length, all.text_length, all.more]).toEqual([16_000, 16_000, false]);
    expect([more.text.length, more.text_length, more.more]).toEqual([16_000, 16_001, true]);
  });

  it("50 elements that a selector names, and how many there are", () => {
    const { matches, elements } = resultOf(plan("<b>x</b>".repeat(51), "read", { target: "b" }));
    expect([matches, elements.length]).toEqual([51, 50]);
  });
});

describe("the script for sites", () => {
  it("is at most 5 KB compressed", () => {
    expect(gzipSync(servedScript("https://registry.example", "shop.example")).length).toBeLessThanOrEqual(
      5_120,
    );
  });
});

describe("a command", () => {
  it("waits at most 10,000 ms", () => {
    expect(codeOf(plan("", "wait", { value: "10000" }))).toBe("wait");
    expect(codeOf(plan("", "wait", { value: "10001" }))).toBe("value_invalid");
  });

  it("has 30 s", () => {
    expect(timeoutOf(session.operations.executeAction)).toBe(30_000);
  });
});

describe("a session's forms hold", () => {
  const areas = (count: number) => `<form>${"<textarea name=t></textarea>".repeat(count)}</form>`;
  const filled = (html: string, nth: number, value: string, fields: FormState = {}): CommandPlan =>
    plan(html, "fill", { target: `textarea:nth-of-type(${nth})`, value }, fields);

  it("16,384 characters a field", () => {
    expect(codeOf(filled(areas(1), 1, "x".repeat(16_384)))).toBe("done");
    expect(codeOf(filled(areas(1), 1, "x".repeat(16_385)))).toBe("value_invalid");
  });

  it("500 changed fields", () => {
    const html = areas(501);
    const { numberOf, elements } = readBrowserPage(sourceOf(html));
    const numbers = elements
      .filter(({ tagName }) => tagName === "textarea")
      .map((each) => numberOf.get(each));
    const first = (count: number) =>
      Object.fromEntries(numbers.slice(0, count).map((number) => [String(number), { value: "x" }]));
    expect(codeOf(filled(html, 500, "y", first(499)))).toBe("done");
    expect(codeOf(filled(html, 501, "y", first(500)))).toBe("form_too_large");
  });

  it("64 KiB in all, as JSON", () => {
    const html = areas(5);
    let fields: FormState = {};
    for (let nth = 1; nth <= 4; nth++) {
      const made = filled(html, nth, "x".repeat(nth < 4 ? 16_384 : 16_000), fields);
      if (made.kind !== "done" || !made.change.fields) throw new Error(codeOf(made));
      fields = made.change.fields;
    }
    const empty = filled(html, 5, "", fields);
    if (empty.kind !== "done") throw new Error(codeOf(empty));
    const left = 65_536 - JSON.stringify(empty.change.fields).length;
    expect(left).toBeGreaterThan(0);
    expect(codeOf(filled(html, 5, "x".repeat(left), fields))).toBe("done");
    expect(codeOf(filled(html, 5, "x".repeat(left + 1), fields))).toBe("form_too_large");
  });
});

describe("a session", () => {
  let broker: NatsBroker;
  beforeAll(async () => {
    broker = await joinBroker();
  });
  afterAll(() => broker.close());

  it("lives 3,600 s and not a millisecond longer", async () => {
    const bornAt = broker.now();
    let at = bornAt;
    const sessions = openSessions({ buckets: broker.buckets, now: () => at });
    const { sessionId } = await sessions.create({
      siteId: "shop.test",
      licenseHash: "0".repeat(64),
      agentId: "",
      agentName: "",
      createdAt: new Date(bornAt).toISOString(),
      expiresAt: bornAt + SESSION_SECONDS * 1_000,
      page: null,
      history: [],
      fields: {},
      offset: 0,
      cookies: [],
      busy: null,
    });
    at = bornAt + 3_600_000 - 1;
    expect(await sessions.find(sessionId)).toBeDefined();
    at = bornAt + 3_600_000;
    expect(await sessions.find(sessionId)).toBeUndefined();
  });

  const navigate = async (
    path: string,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<NavigationOutcome> => {
    const [host, address] = ["limits.test", loopbackAddress()];
    const server = await serveHttp((request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else answer(request, response);
    }, address);
    const polite = createPolite({
      gate: gateOn(broker, address),
      fetcher: fetcherFor({ [host]: [address] }),
      now: broker.now,
      clockErrorMs: broker.clockErrorMs,
      clock: systemClock,
      leaseMs: 20_000,
      hostDelayMs: 0,
      ipDelayMs: 0,
    });
    const outcome = await fetchSessionPage(
      { polite, robotsToken: "BridgeTest", now: broker.now },
      { method: "GET", url: new URL(`http://${host}:${server.port}${path}`) },
      { siteId: host, jar: openCookieJar([]), asker: "test", closed: async () => undefined },
    );
    if (!("kind" in outcome)) throw new Error(outcome.detail);
    return outcome;
  };

  it("follows ten redirects, and no eleventh", async () => {
    const countdown = (request: IncomingMessage, response: ServerResponse): void => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end("here");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    };
    expect(await navigate("/10", countdown)).toMatchObject({ kind: "page" });
    expect(await navigate("/11", countdown)).toMatchObject({ kind: "failed", code: "too_many_redirects" });
  });

  it("reads 1 MiB of what a site sends, and says when there was more", async () => {
    for (const [bytes, cut] of [
      [1_048_576, false],
      [1_048_577, true],
    ] as const) {
      const outcome = await navigate("/", (_, response) =>
        response.writeHead(200, { "content-type": "text/html" }).end("x".repeat(bytes)),
      );
      if (outcome.kind !== "page") throw new Error(outcome.message);
      const source = sourceOfReply(outcome.reply);
      expect([source.text.length, readBrowserPage(source).truncated]).toEqual([1_048_576, cut]);
    }
  });
});
