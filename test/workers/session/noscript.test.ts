import { HtmlValidate } from "html-validate";
import { parse } from "parse5";
import { describe, expect, it } from "vitest";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { noscriptPage } from "../../../workers/session/noscript/page.ts";

const document = (text: string): DiscoveryDocument => ({
  bridge_version: "1.2.0",
  generated_at: "2026-01-31T12:00:00.000Z",
  provider: { name: text, domain: "shop.example", category: "retail", description: text },
  capabilities: {
    commands: ["read"],
    permissions: { readContent: true },
    tier: "free",
    transport: ["https"],
    features: [],
  },
  agent_access: {
    bridge_script: "",
    api_base: "https://shop.example/api",
    websocket: "",
    noscript: "javascript:alert(1)",
    discovery: "https://shop.example/.well-known/bridge.json",
  },
  fairness: { is_independent: true, commission_rate: 0, direct_benefit: "", neutrality_score: 90 },
  security: { session_required: false, origin_validation: false, rate_limit: 60, sandbox: true },
  endpoints: {},
  intent_tags: ["buy"],
  actions: [
    {
      name: text.slice(0, 60),
      description: text,
      category: "commerce",
      parameters: [{ name: "date", type: "date", required: true, description: text }],
      permissions_required: ["fillForms"],
    },
  ],
});

const pageFor = (text: string): string =>
  noscriptPage({
    siteId: "shop.example",
    document: document(text),
    record: undefined,
    publicUrl: "https://registry.example",
  });

const HOSTILE = `</script><script>alert(1)</script>"'<img src=x onerror=alert(1)>&amp;<!-- \u0000\u000b\ufffe ]]>`;

describe("the page without script", () => {
  it.each([
    ["plain text", "A shop for kettles"],
    ["hostile text", HOSTILE],
  ])("is valid HTML with %s", async (_, text) => {
    const report = await new HtmlValidate({
      extends: ["html-validate:recommended"],
      rules: { "long-title": "off" },
    }).validateString(pageFor(text));
    const messages = report.results.flatMap(({ messages: all }) =>
      all.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    );
    expect(messages).toEqual([]);
    const errors: string[] = [];
    parse(pageFor(text), { onParseError: ({ code }) => errors.push(code) });
    expect(errors).toEqual([]);
  });

  it("runs nothing and links to no script, whatever the site says of itself", () => {
    const html = pageFor(HOSTILE);
    expect([...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="application/ld+json">',
    ]);
    expect(html).not.toMatch(/<img|href="javascript:/);
  });

  it("says in JSON-LD what it says in words", () => {
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(pageFor("Kettles"))?.[1];
    expect(JSON.parse(json!)).toMatchObject({
      "@context": "https://schema.org",
      "@type": "WebSite",
      name: "Kettles",
      url: "https://shop.example/",
      potentialAction: [{ "@type": "Action", name: "Kettles" }],
    });
  });
});
