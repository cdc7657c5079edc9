/** What machines read about the registry before they use it: every document from the contracts, and of its standard's form. */
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MachineInterface, PATHS } from "../../app/front/machine-interface.ts";
import { mcpCard } from "../../app/front/machines/mcp-card.ts";
import { services } from "../../app/services.ts";
import { BOT_AUTH_DIRECTORY_PATH } from "../../src/domain/trust/bot-auth.ts";

import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    config: { BRIDGE_USER_AGENT: "BridgeBot/1.2 (+https://registry.bot/about; hello@registry.bot)" },
    roles: ["search"],
  });
});
afterAll(() => registry?.stop());

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(registry.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const ajv = new Ajv2020.default({ strict: false });
addFormats.default(ajv);
function expectValid(schema: object, value: unknown): void {
  const valid = ajv.compile(schema);
  valid(value);
  expect(valid.errors ?? []).toEqual([]);
}

const URI = { type: "string", format: "uri" };
const LINK_TARGETS = {
  type: "array",
  minItems: 1,
  items: { type: "object", required: ["href"], properties: { href: URI, type: { type: "string" } } },
};
/** RFC 9264 section 4.2, as far as RFC 9727 uses it. */
const LINKSET = {
  type: "object",
  required: ["linkset"],
  additionalProperties: false,
  properties: {
    linkset: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["anchor"],
        properties: { anchor: URI },
        additionalProperties: LINK_TARGETS,
      },
    },
  },
};
const ENTRY = {
  identifier: { type: "string", pattern: "^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$" },
  type: { type: "string", pattern: "^[a-z]+/[a-z0-9.+-]+(;.*)?$" },
  url: URI,
  tags: { type: "array", items: { type: "string" } },
};
const entriesOf = (entry: object) => ({ type: "array", minItems: 1, items: { type: "object", ...entry } });
/** Agentic Resource Discovery 0.91, sections 4.2 and 5.1. */
const ARD_MANIFEST = {
  type: "object",
  required: ["entries"],
  additionalProperties: false,
  properties: {
    specVersion: { const: "1.0" },
    entries: entriesOf({
      required: ["identifier", "displayName", "type", "url", "representativeQueries"],
      not: { required: ["data"] },
      properties: {
        ...ENTRY,
        representativeQueries: { type: "array", minItems: 2, maxItems: 5, items: { type: "string" } },
      },
    }),
  },
};
/** AI Catalog 0.9, sections Top-Level Structure and Catalog Entry. */
const AI_CATALOG = {
  type: "object",
  required: ["specVersion", "entries"],
  additionalProperties: false,
  properties: {
    specVersion: { const: "0.9" },
    host: {
      type: "object",
      required: ["displayName"],
      additionalProperties: false,
      properties: { displayName: { type: "string" }, documentationUrl: URI },
    },
    entries: entriesOf({
      required: ["identifier", "type", "url"],
      additionalProperties: false,
      properties: ENTRY,
    }),
  },
};
/** SEP-2127, schema v1: what it requires, and the bounds of what the card has. */
const SERVER_CARD = {
  type: "object",
  required: ["$schema", "name", "version", "description"],
  additionalProperties: false,
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" },
    name: { type: "string", pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", minLength: 3, maxLength: 200 },
    version: { type: "string", maxLength: 255 },
    title: { type: "string", minLength: 1, maxLength: 100 },
    description: { type: "string", minLength: 1, maxLength: 100 },
    websiteUrl: URI,
    remotes: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "url"],
        additionalProperties: false,
        properties: {
          type: { enum: ["streamable-http", "sse"] },
          url: { type: "string", pattern: "^https?://[^\\s]+$" },
          headers: {
            type: "array",
            items: {
              type: "object",
              required: ["name"],
              additionalProperties: false,
              properties: {
                name: { type: "string" },
                description: { type: "string" },
                placeholder: { type: "string" },
                isRequired: { type: "boolean" },
                isSecret: { type: "boolean" },
              },
            },
          },
          supportedProtocolVersions: { type: "array", items: { type: "string" } },
        },
      },
    },
  },
};

const BYTES: Readonly<Record<string, number>> = {
  [PATHS.llms]: 40_000,
  [PATHS.llmsFull]: 400_000,
  [PATHS.robots]: 8_000,
  [PATHS.security]: 1_000,
  [PATHS.apiCatalog]: 4_000,
  [PATHS.ard]: 8_000,
  [PATHS.aiCatalog]: 8_000,
  "/.well-known/jwks.json": 1_000,
  [BOT_AUTH_DIRECTORY_PATH]: 1_000,
  [PATHS.openapi]: 2_000_000,
  [PATHS.docs]: 2_000_000,
};

describe("every document for machines", () => {
  it.each(Object.entries(BYTES))(
    "%s is bounded, cacheable and asked for again at no cost",
    async (path, most) => {
      const { status, headers, text } = await get(path);
      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThan(most);
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const again = await get(path, { headers: { "if-none-match": headers.get("etag")! } });
      expect([again.status, again.text]).toEqual([304, ""]);
      const head = await get(path, { method: "HEAD", headers: { "accept-encoding": "identity" } });
      expect([head.status, head.headers.get("content-length")]).toEqual([
        200,
        String(Buffer.byteLength(text)),
      ]);
      const post = await get(path, { method: "POST" });
      expect([post.status, JSON.parse(post.text).code]).toEqual([405, "method_not_allowed"]);
    },
  );

  it("is compressed for clients that take it, and known again in either form", async () => {
    const plain = await get(PATHS.openapi, { headers: { "accept-encoding": "identity" } });
    const gzipped = () => get(PATHS.openapi, { headers: { "accept-encoding": "gzip" } });
    // Made beside the first answer.
    await expect.poll(async () => (await gzipped()).headers.get("content-encoding")).toBe("gzip");
    const packed = await gzipped();
    expect(packed.text).toBe(plain.text);
    const tags = [plain, packed].map(({ headers }) => headers.get("etag")!);
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) {
      const again = await get(PATHS.openapi, { headers: { "if-none-match": tag } });
      expect([again.status, again.headers.get("etag")]).toEqual([304, tag]);
    }
  });

  it("names only addresses that answer", async () => {
    const texts = await Promise.all([PATHS.llms, PATHS.apiCatalog, PATHS.ard].map((path) => get(path)));
    const named = new Set(
      texts.flatMap(({ text }) => text.match(new RegExp(`${registry.url}/[^\\s)"#]*`, "g")) ?? []),
    );
    expect(named.size).toBeGreaterThan(3);
    for (const url of named) {
      const { status } = await fetch(url, { redirect: "manual" });
      expect([200, 302], url).toContain(status);
    }
  });
});

describe("llms.txt", () => {
  it("has a title, a summary, and every operation with a link to its place in the reference", async () => {
    const [{ text, headers }, page] = await Promise.all([get(PATHS.llms), get(PATHS.docs)]);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^# .+\n\n> .+\n/);
    for (const { operations } of services)
      for (const [name] of Object.entries(operations)) {
        expect(text).toContain(`[${name}](${registry.url}/docs/reference/${name})`);
        expect(page.text).toContain(`href="/docs/reference/${name}"`);
      }
  });

  it("has in its full form every path, parameter and error code", async () => {
    const { text } = await get(PATHS.llmsFull);
    for (const { operations } of services)
      for (const { query, body, errors } of Object.values(operations))
        for (const name of [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {}), ...errors])
          expect(text).toContain(name);
    expect(text).not.toContain("{{");
  });
});

describe("the API catalog", () => {
  it("is a linkset with the profile of RFC 9727, and says what it is to HEAD", async () => {
    const { headers, text } = await get(PATHS.apiCatalog);
    expect(headers.get("content-type")).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    expectValid(LINKSET, JSON.parse(text));
    const head = await get(PATHS.apiCatalog, { method: "HEAD" });
    expect(head.headers.get("link")).toContain(`<${registry.url}${PATHS.apiCatalog}>; rel="api-catalog"`);
  });

  it("is linked from the registry's pages", async () => {
    for (const path of ["/", PATHS.docs]) {
      const { headers } = await fetch(registry.url + path, { redirect: "manual" });
      expect(headers.get("link"), path).toContain('rel="api-catalog"');
    }
  });
});

describe("the catalogs of resources", () => {
  it("are each of their own format, and name the same interfaces", async () => {
    const [ard, catalog] = await Promise.all([get(PATHS.ard), get(PATHS.aiCatalog)]);
    expectValid(ARD_MANIFEST, JSON.parse(ard.text));
    expectValid(AI_CATALOG, JSON.parse(catalog.text));
    expect(catalog.headers.get("content-type")).toBe("application/ai-catalog+json");
    const names = ({ text }: { text: string }) =>
      (JSON.parse(text) as { entries: { identifier: string }[] }).entries.map(({ identifier }) => identifier);
    expect(names(catalog)).toEqual(names(ard));
  });

  it("are linked, and the one of Agentic Resource Discovery is named for crawlers", async () => {
    const [{ headers }, robots] = await Promise.all([get(PATHS.llms), get(PATHS.robots)]);
    expect(headers.get("link")).toContain(`<${registry.url}${PATHS.ard}>; rel="ard"`);
    expect(headers.get("link")).toContain(`<${registry.url}${PATHS.aiCatalog}>; rel="ai-catalog"`);
    expect(robots.text).toContain(`Agentmap: ${registry.url}${PATHS.ard}\n`);
  });
});

describe("the MCP server card", () => {
  const about = (publicUrl: string): MachineInterface => ({
    publicUrl,
    services,
    protocols: [],
    contacts: [],
  });

  it("is where the catalog says, and names an endpoint that answers", async () => {
    const { entries } = JSON.parse((await get(PATHS.ard)).text) as {
      entries: { type: string; url: string }[];
    };
    const { url } = entries.find(({ type }) => type === "application/mcp-server-card+json")!;
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("application/mcp-server-card+json");
    const card = (await response.json()) as { remotes: { url: string }[] };
    expectValid(SERVER_CARD, card);
    expect((await fetch(card.remotes[0]!.url)).status).toBe(405);
  });

  it("is of the form of SEP-2127, whatever the registry's address", () => {
    for (const url of ["https://registry.example", "http://127.0.0.1:8080", "http://[::1]:8080"])
      expectValid(SERVER_CARD, mcpCard(about(url)));
    expect(mcpCard(about("https://registry.example"))).toMatchObject({ name: "example.registry/bridge" });
  });
});

describe("robots.txt", () => {
  it("lets everything be read but what needs a credential, and names the catalog", async () => {
    const { text } = await get(PATHS.robots);
    const closed = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, rule]) => rule!);
    const isClosed = (path: string) =>
      closed.some((rule) => (rule.endsWith("$") ? path === rule.slice(0, -1) : path.startsWith(rule)));
    for (const { operations } of services)
      for (const { auth, authOptional, paths } of Object.values(operations))
        for (const path of paths) {
          const isOpen = auth === "none" || authOptional === true;
          if (isOpen) expect(isClosed(path), path).toBe(false);
        }
    expect(isClosed("/api/bridge/execute")).toBe(true);
    expect(isClosed("/api/v1/price/history/shop.example/1")).toBe(true);
    expect(text).toContain(`Agentmap: ${registry.url}${PATHS.ard}`);
  });
});

describe("security.txt", () => {
  it("has the operator's addresses and an end within the year", async () => {
    const { text, headers } = await get(PATHS.security);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toContain("Contact: https://registry.bot/about\nContact: mailto:hello@registry.bot\n");
    const [, expires] = /^Expires: (.+)$/m.exec(text)!;
    const days = (Date.parse(expires!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(178);
    expect(days).toBeLessThan(365);
    expect(text).toContain(`Canonical: ${registry.url}${PATHS.security}`);
  });

  it("is not there where the operator named no address of their own", async () => {
    const joined = await startRegistry({ join: registry, roles: [] });
    try {
      expect((await fetch(joined.url + PATHS.security)).status).toBe(404);
    } finally {
      await joined.stop();
    }
  });
});
