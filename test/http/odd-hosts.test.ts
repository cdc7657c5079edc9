/** Addresses whose hosts are odd, at every operation that takes one: refused or answered, never a fault of ours. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Agent, enter } from "../support/agent.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let owner: Owner;
let agent: Agent;
let apiKey: string;

beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 2, soundShare: 1, seed: 53 },
    // Each request comes from an address of its own: limits by network are not what is looked at here.
    config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"] },
  });
  owner = createOwner(registry);
  agent = await enter(registry.url, (await owner.license(registry.world.hosts[0]!.host)).key);
  const made = await owner.send("POST", "/api/v1/keys/generate", {
    plan: "BUSINESS",
    owner: "Ada",
    email: "ada@shop.example",
  });
  apiKey = made.body.key;
});
afterAll(() => registry?.stop());

type Asked = [method: string, path: string, body?: unknown, credential?: "key" | "account" | "session"];

/** Every operation that takes an address or a host, with this host in it. */
function asking(host: string): Asked[] {
  const url = `http://${host}/`;
  const [at, named] = [url, host].map((text) => encodeURIComponent(text.toWellFormed()));
  const key = (path: string, body: unknown): Asked => ["POST", `/api/v1/${path}`, body, "key"];
  return [
    key("firewall/scan", { url }),
    key("firewall/scan", { url, html: `<base href="${url}"><a href="${url}">x</a>` }),
    key("dark-pattern/scan", { url }),
    key("dark-pattern/audit", { url }),
    key("neural/analyze-url", { url }),
    key("neural/analyze-url", { url, html: "<p>x" }),
    key("affiliate/scan-url", { url }),
    key("affiliate/scan-html", { url, html: `<a href="${url}?tag=x-20">x</a>` }),
    key("bounty/report", { url, kind: "phishing", description: "It asks for a password" }),
    key("notary/price", {
      url,
      product: "Tea",
      price: 7.9,
      currency: "EUR",
      observer: { country: "AT", device: "desktop" },
    }),
    key("notary/transaction", { url, product: "Tea", agreed: 7.9, paid: 8.4, currency: "EUR" }),
    key("price/track", { url, platform: host, productId: "tea", price: 1, currency: "EUR" }),
    key("protocol/validate", { domain: host, document: {} }),
    key("gov/compliance-report", { domain: host }),
    ["GET", `/api/v1/protocol/check/${named}`, undefined, "key"],
    ["GET", `/api/v1/gov/check/${named}`, undefined, "key"],
    ["GET", `/api/bridge/page-info?url=${at}`],
    ["GET", `/api/bridge/page-info?siteId=${named}`],
    ["GET", `/api/bridge/discover?siteId=${named}`],
    ["GET", `/api/noscript/bridge/${named}`],
    ["GET", `/bridge.js?siteId=${named}`],
    ["GET", `/api/ring4/status/${named}`],
    ["POST", "/api/ring4/register", { domain: host }],
    ["POST", "/api/ring4/verify", { domain: host, message: "x", signature: "A".repeat(86) }],
    ["POST", "/api/registry/report", { domain: host, peers: [host] }],
    ["GET", `/api/discovery/registry?domain=${named}`],
    ["GET", `/api/discovery/provider/status?domain=${named}`],
    ["GET", `/api/discovery/provider/enable-plan?domain=${named}`],
    ["GET", `/api/discovery/provider/record-template?domain=shop.example&endpoint=${at}`],
    ["POST", "/api/discovery/provider/verify-batch", { domains: [host] }],
    ["POST", "/api/discovery/provider/verify-batch", { domains: ["shop.example"], callback_url: url }],
    ["POST", "/api/license/verify", { licenseKey: "bridge_lic_x", domain: host }],
    ["GET", `/api/account/sites/challenge?domain=${named}`, undefined, "account"],
    ["POST", "/api/account/sites", { domain: host }, "account"],
    ["POST", "/api/bridge/site-token", { siteId: host }, "account"],
    ["GET", `/api/bridge/actions?siteId=${named}`, undefined, "session"],
    ["POST", "/api/bridge/execute", { action: "navigate", target: url }, "session"],
  ];
}

let callers = 0;
async function reply([method, path, body, credential]: Asked) {
  const token = { key: apiKey, session: agent.token, account: await owner.token() };
  callers += 1;
  const response = await fetch(registry.url + path, {
    method,
    headers: {
      "x-forwarded-for": `198.${18 + (callers >> 16)}.${(callers >> 8) & 255}.${callers & 255}`,
      ...(credential && { authorization: `Bearer ${token[credential]}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return { status: response.status, code, text };
}

async function faultOf(one: Asked): Promise<string | undefined> {
  const { status, text } = await reply(one);
  return status < 500 ? undefined : `${one[0]} ${one[1]}: ${status} ${text.slice(0, 300)}`;
}

const faultsOf = async (host: string): Promise<string[]> =>
  (await Promise.all(asking(host).map(faultOf))).filter((fault) => fault !== undefined);

describe("an ordinary host", () => {
  it("is taken by each of them: what is asked here reaches the operations", async () => {
    const MISSED = [
      "invalid_request",
      "invalid_json",
      "unknown_path",
      "method_not_allowed",
      "authentication_required",
    ];
    const replies = await Promise.all(
      asking("shop.example").map(async (one) => ({ path: one[1], ...(await reply(one)) })),
    );
    expect(replies.filter(({ code }) => code && MISSED.includes(code))).toEqual([]);
  });
});

describe("an odd host", () => {
  it.each([
    "a*b",
    "a!b.test",
    "a..b",
    ".a.test",
    "a.test..",
    "-.test",
    "a_b.test",
    "a$b,(c)'d\"e`f{g}h~i",
    "%00.test",
    "a%2eb.test",
    "xn--a.test",
    "ä*ö.test",
    "[::1]",
    "[::1%25eth0]",
    "0x7f.1",
    "1.2.3.4.5",
    "a:99999",
    "a:b@c*d",
    `${"a".repeat(64)}.test`,
    `${"a.".repeat(126)}test`,
    `${"a".repeat(300)}.test`,
    "*.test",
    ">",
    "=",
    "a\tb.test",
  ])("%s gives no fault of ours at any operation", async (host) => {
    expect(await faultsOf(host)).toEqual([]);
  });

  it("of any characters gives none either", async () => {
    const character = fc.oneof(
      fc.constantFrom(..."*!$&'()+,;=~_-.:@[]{}|^`\"<>%#?/\\ \t"),
      fc.constantFrom("a", "z", "0", "9", "ß", "İ", "。", "\u00ad", "\u200d", "💥", "\ud800"),
    );
    const host = fc.array(character, { minLength: 1, maxLength: 12 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(host, async (odd) => {
        expect(await faultsOf(odd)).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });
});
