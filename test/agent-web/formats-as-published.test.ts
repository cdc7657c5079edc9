/** Documents in the shapes in which strangers publish them: what is told of each, and that doing as a finding says mends it. */
import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/agent-web/formats/format.ts";
import { formatOf } from "../../src/agent-web/formats/table.ts";
import * as sound from "./documents.ts";

const read = (path: string, document: unknown): Reading | undefined =>
  formatOf(path)?.read(sound.bytesOf(document), new URL(`https://${sound.HOST}${path}`), "");

const A2A = "/.well-known/agent-card.json";
const CARD = "/.well-known/mcp/server-card.json";
const ARD = "/.well-known/ard.json";
const LINKS = "/.well-known/api-catalog";
const SKILLS = "/.well-known/agent-skills/index.json";
const ISSUER = "/.well-known/oauth-authorization-server";
const KEYS = "/.well-known/http-message-signatures-directory";
const entry = sound.ARD.entries[0]!;
const [face] = sound.A2A_1.supportedInterfaces;
const tools = [{ name: "find", description: "Finds tea" }];
const MCP = "https://shop.example/mcp";

describe("a fault that is often published", () => {
  it.each([
    [A2A, { ...sound.A2A_1, supportedInterfaces: [{ ...face, url: "/a2a" }] }, "/supportedInterfaces/0/url"],
    [A2A, { ...sound.A2A_1, supportedInterfaces: ["/a2a"] }, "/supportedInterfaces/0"],
    [A2A, { ...sound.A2A_03, protocolVersion: "1.0" }, "/supportedInterfaces"],
    [A2A, { ...sound.A2A_03, provider: { organization: "Tea" } }, "/provider/url"],
    [A2A, { ...sound.A2A_03, securitySchemes: { pay: { type: "x402" } } }, "/securitySchemes/pay/type"],
    [CARD, { ...sound.SERVER_CARD, remotes: [{ type: "http", url: MCP }] }, "/remotes/0/type"],
    [CARD, { ...sound.SERVER_CARD, remotes: [{ type: "sse", url: "/mcp" }] }, "/remotes/0/url"],
    [ARD, { entries: [{ ...entry, displayName: undefined }] }, "/entries/0/displayName"],
    [
      ARD,
      { entries: [{ ...entry, trustManifest: { identity: { domain: sound.HOST } } }] },
      "/entries/0/trustManifest/identity",
    ],
    [ARD, { resources: [{ ...entry, identifier: undefined }] }, "/resources/0/identifier"],
    ["/.well-known/ai-catalog.json", { ...sound.AI_CATALOG, host: { name: "Tea" } }, "/host/displayName"],
    [LINKS, { linkset: [{ anchor: "/api", rel: "item", href: "/d" }] }, "/linkset/0"],
    [LINKS, { linkset: [{ anchor: "/api", item: ["/d"] }] }, "/linkset/0/item/0"],
    [LINKS, { ...sound.API_CATALOG, name: "Tea" }, "/name"],
    [
      SKILLS,
      {
        ...sound.SKILLS,
        skills: [
          { ...sound.SKILLS.skills[0], digest: "sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=" },
        ],
      },
      "/skills/0/digest",
    ],
    ["/.well-known/acp.json", { ...sound.ACP, capabilities: {} }, "/capabilities/services"],
    ["/.well-known/acp.json", { ...sound.ACP, api_base_url: "/acp" }, "/api_base_url"],
    [
      "/.well-known/ucp",
      { ucp: { ...sound.UCP.ucp, services: { "dev.ucp.shopping": [{ version: "1", transport: "rest" }] } } },
      "/ucp/services/dev.ucp.shopping/0/endpoint",
    ],
    ["/.well-known/x402", { version: 1, endpoints: [{ url: "/paid" }] }, "/endpoints"],
    [ISSUER, { ...sound.SERVER, issuer: "shop" }, "/issuer"],
    [ISSUER, { ...sound.SERVER, issuer: "https://shop.example/?a=b" }, "/issuer"],
    [
      "/.well-known/oauth-protected-resource",
      { ...sound.RESOURCE, resource: "http://shop.example" },
      "/resource",
    ],
    [KEYS, { keys: [{ ...sound.KEYS.keys[0], x: "public-key-goes-here" }] }, "/keys/0/x"],
    [
      "/openapi.json",
      { ...sound.OPENAPI, paths: { "/tea": {}, components: { schemas: {} } } },
      "/paths/components",
    ],
  ])("at %s does not conform, and its place is told: %o %s", (path, document, place) => {
    const reading = read(path, document);
    expect(reading?.conforms).toBe(false);
    expect(reading?.findings.map((each) => each.place)).toContain(place);
  });

  it("is a key whose private part everybody has: it stands in an RFC's example", () => {
    const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const reading = read(KEYS, { keys: [{ ...sound.KEYS.keys[0], x }] });
    expect(reading?.findings.map(({ rule, place }) => `${rule} ${place}`)).toContain("known_key /keys/0/x");
  });
});

describe("an endpoint", () => {
  it.each([
    ["by its transport", CARD, { name: "tea", mcp: { endpoints: { sse: { url: MCP } } } }, MCP],
    [
      "beside other interfaces of the same server",
      CARD,
      { name: "tea", endpoints: { mcp: { url: MCP }, rest: { url: "https://shop.example/api" } } },
      MCP,
    ],
    ["with its method", "/.well-known/x402", { resources: [{ resource: "GET /paid" }] }, "/paid"],
    ["with placeholders in its path", "/.well-known/x402", { resources: ["GET /paid/{id}"] }, "/paid/{id}"],
    [
      "by the files of a skill",
      SKILLS,
      { skills: [{ name: "buy", files: [{ path: "SKILL.md" }] }] },
      "/.well-known/agent-skills/buy/SKILL.md",
    ],
    [
      "by a link that is no relation",
      LINKS,
      { linkset: [{ anchor: "/api", rel: "service-desc", href: "/d" }] },
      "/api",
    ],
    [
      "by a variable's default, in YAML",
      "/openapi.yaml",
      "openapi: 3.1.0\ninfo:\n  title: Tea\n  version: '1'\nservers:\n  - url: https://shop.example/{shop}\n    variables:\n      shop:\n        default: 'tea'\npaths:\n  /a:\n    get:\n",
      "/tea",
    ],
  ])("is found where it is named %s", (_, path, document, endpoint) => {
    const found = read(path, document)?.services.map((service) => service.endpoint);
    expect(found).toEqual([endpoint.startsWith("/") ? `https://${sound.HOST}${endpoint}` : endpoint]);
  });
});

describe("tools", () => {
  const server = { name: "tea", url: MCP };
  it.each([
    ["in groups", CARD, { ...server, tools: { read: tools, note: "some" } }],
    ["where a capability stands", CARD, { ...server, capabilities: { tools } }],
    ["of each server of a list", "/.well-known/mcp.json", { servers: [{ ...server, tools }] }],
  ])("are the service's own when they are listed %s", (_, path, document) => {
    expect(read(path, document)?.services[0]?.tools.map(({ name }) => name)).toEqual(["find"]);
  });

  it("of agents.json are its flows", () => {
    const flows = [{ id: "buy_tea", title: "Buy tea", description: "Buys" }];
    const reading = read("/.well-known/agents.json", { ...sound.AGENTS, flows });
    expect(reading?.names).toEqual([{ name: "Buy tea", id: "buy_tea", description: "Buys" }]);
  });
});

describe("what lets callers in", () => {
  const yaml = (type: string): string =>
    `openapi: 3.0.3\ninfo:\n  title: Tea\n  version: '1'\nservers:\n  - url: /api\npaths: {}\ncomponents:\n  securitySchemes:\n    a:\n      type: ${type}\n`;
  it.each([
    [CARD, { name: "tea", url: MCP, authentication: { methods: ["oauth2", "bearer"] } }, "oauth"],
    [CARD, { name: "tea", remotes: [{ type: "sse", url: MCP, authentication: { type: "none" } }] }, "none"],
    [
      CARD,
      { name: "tea", remotes: [{ type: "sse", url: MCP, headers: [{ name: "X-Key", isSecret: true }] }] },
      "api_key",
    ],
    [CARD, { name: "tea", url: MCP, auth: { scheme: "apiKey" } }, "api_key"],
    ["/openapi.yaml", yaml("apiKey"), "api_key"],
    ["/openapi.yaml", yaml("oauth2"), "oauth"],
  ])("at %s is read from %o: %s", (path, document, auth) => {
    expect(read(path, document)?.services[0]?.auth).toBe(auth);
  });
});
