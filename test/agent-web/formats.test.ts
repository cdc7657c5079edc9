import { describe, expect, it } from "vitest";
import { MAX_DESCRIPTOR_FINDINGS, MAX_TOOLS } from "../../schemas/agent-web.ts";
import { MAX_DESCRIBED, type Reading } from "../../src/agent-web/formats/format.ts";
import {
  FORMATS,
  formatOf,
  formatOfRelation,
  formatOfType,
  WELL_KNOWN_PATHS,
} from "../../src/agent-web/formats/table.ts";
import * as sound from "./documents.ts";

const read = (path: string, document: unknown): Reading | undefined =>
  formatOf(path)?.read(sound.bytesOf(document), new URL(`https://${sound.HOST}${path}`), "");
const rulesOf = (reading: Reading | undefined): string[] =>
  reading?.findings.map(({ rule, place }) => `${rule} ${place}`) ?? ["unread"];

describe("a sound document", () => {
  it.each(sound.SOUND)("at %s conforms and is usable", (path, document, revision, called) => {
    const reading = read(path, document);
    const { conforms, usable } = reading ?? {};
    const services = reading?.services.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`);
    expect({ conforms, usable, revision: reading?.revision, services }).toEqual({
      conforms: true,
      usable: true,
      revision,
      services: called,
    });
  });

  it("has a row for every format but free Markdown", () => {
    const read = new Set(sound.SOUND.map(([path]) => formatOf(path)?.name));
    expect(FORMATS.filter(({ name }) => !read.has(name)).map(({ name }) => name)).toEqual(["agents-md"]);
  });
});

describe("a document with a fault", () => {
  it.each([
    ["/.well-known/agent-card.json", { ...sound.A2A_1, skills: undefined }, "missing_member /skills"],
    ["/.well-known/agent-card.json", { ...sound.A2A_03, capabilities: [] }, "wrong_type /capabilities"],
    [
      "/.well-known/agent-card.json",
      { ...sound.A2A_03, provider: { url: "x" } },
      "missing_member /provider/organization",
    ],
    ["/.well-known/mcp/server-card.json", { ...sound.SERVER_CARD, name: "tea" }, "name_form /name"],
    [
      "/.well-known/mcp/server-card.json",
      { ...sound.SERVER_CARD, description: "a".repeat(101) },
      "too_long /description",
    ],
    [
      "/.well-known/ard.json",
      { entries: [{ identifier: "tea", type: "x/y", url: "https://shop.example/" }] },
      "identifier_form /entries/0/identifier",
    ],
    ["/.well-known/ard.json", { entries: [{ ...sound.ARD.entries[0], data: {} }] }, "url_or_data /entries/0"],
    [
      "/.well-known/ard.json",
      { entries: [{ ...sound.ARD.entries[0], trustManifest: { identity: "did:web:attacker.example" } }] },
      "identity_mismatch /entries/0/trustManifest/identity",
    ],
    ["/.well-known/ai-catalog.json", { entries: sound.ARD.entries }, "missing_member /specVersion"],
    ["/.well-known/api-catalog", { apis: [{ href: "/" }] }, "missing_member /linkset"],
    [
      "/.well-known/api-catalog",
      { linkset: [{ links: [{ rel: "item", href: "/" }] }] },
      "not_a_relation /linkset/0/links",
    ],
    [
      "/.well-known/agent-skills/index.json",
      {
        ...sound.SKILLS,
        skills: [
          {
            ...sound.SKILLS.skills[0],
            digest: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          },
        ],
      },
      "digest_of_nothing /skills/0/digest",
    ],
    ["/llms.txt", `${sound.LLMS}\nWe also sell cups.\n`, "prose_in_section 9"],
    ["/.well-known/ucp", { ucp: { ...sound.UCP.ucp, version: "1.0" } }, "version_form /ucp/version"],
    ["/.well-known/acp.json", { ...sound.ACP, transports: undefined }, "missing_member /transports"],
    ["/.well-known/x402", { ...sound.X402, version: 2 }, "unknown_version /version"],
    ["/.well-known/openid-configuration", sound.SERVER, "missing_member /jwks_uri"],
    [
      "/.well-known/http-message-signatures-directory",
      { keys: [{ ...sound.KEYS.keys[0], d: "x" }] },
      "private_key /keys",
    ],
    [
      "/.well-known/ai-plugin.json",
      { ...sound.PLUGIN, api: { type: "mcp", url: "/mcp" } },
      "unknown_type /api/type",
    ],
  ])("at %s is said not to conform, with the place", (path, document, finding) => {
    const reading = read(path, document);
    expect(rulesOf(reading)).toContain(finding);
    expect(reading?.conforms).toBe(false);
  });

  it.each([
    [
      "/.well-known/oauth-protected-resource",
      { ...sound.RESOURCE, resource: "https://other.example/mcp" },
      "other_resource /resource",
    ],
    [
      "/.well-known/oauth-authorization-server",
      { ...sound.SERVER, issuer: "https://other.example" },
      "other_issuer /issuer",
    ],
  ])("at %s of somebody else is of its form, and of no use: clients refuse it", (path, document, finding) => {
    const reading = read(path, document);
    expect(rulesOf(reading)).toContain(finding);
    expect(reading).toMatchObject({ conforms: true, usable: false });
  });

  it("says what its services do: skills, operations by their names or methods, tools of a card", () => {
    const toolsOf = (path: string, document: unknown) =>
      read(path, document)?.services.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(
      toolsOf("/.well-known/agent-card.json", {
        ...sound.A2A_03,
        skills: [{ id: "a", name: "Find", description: "d", tags: [] }],
      }),
    ).toContain("Find");
    const paths = { "/a": { get: { operationId: "readA" }, post: {} } };
    expect(toolsOf("/openapi.json", { openapi: "3.1.0", info: { title: "t", version: "1" }, paths })).toEqual(
      ["readA", "POST /a"],
    );
  });

  it.each([
    ["by its identifiers", "    get:\n      operationId: readA", ["readA"]],
    ["in quotes", "    get:\n      operationId: 'read-a'", ["read-a"]],
    [
      "by method and path without them",
      "    get:\n      summary: Reads\n    post:\n      tags: [a]",
      ["GET /a", "POST /a"],
    ],
    ["each once", "    get:\n      operationId: a\n    put:\n      operationId: a", ["a"]],
    [
      "and no property of that name",
      "    get:\n      parameters:\n        schema:\n          get:\n            type: string",
      ["GET /a"],
    ],
    ["and no member of another name", "    parameters:\n      - name: get", []],
  ])("says in YAML which operations it has: %s", (_, operations, names) => {
    const yaml = `openapi: 3.1.0\ninfo:\n  title: "Tea"\n  version: "1"\nservers:\n  - url: /api\npaths:\n  /a:\n${operations}\ncomponents:\n  schemas:\n    get:\n      type: object\n`;
    const reading = read("/openapi.yaml", yaml);
    expect([reading?.conforms, reading?.usable]).toEqual([true, true]);
    expect(reading?.names?.map(({ name }) => name)).toEqual(names);
    expect(reading?.services.map(({ endpoint, name, tools }) => [endpoint, name, tools.length])).toEqual([
      ["https://shop.example/api", "Tea", names.length],
    ]);
  });

  it.each([
    [
      "/.well-known/agent-card.json",
      { ...sound.A2A_03, url: "https://shop.example/" },
      "endpoint_is_site /url",
    ],
    [
      "/.well-known/agent-card.json",
      { ...sound.A2A_03, url: "https://www.shop.example/.well-known/agent.json" },
      "endpoint_is_card /url",
    ],
    ["/.well-known/agent.json", sound.A2A_03, "former_path "],
    [
      "/.well-known/ai-catalog.json",
      { ...sound.AI_CATALOG, specVersion: "1.0" },
      "unreleased_revision /specVersion",
    ],
    ["/.well-known/http-message-signatures-directory", { keys: [] }, "no_keys /keys"],
    ["/.well-known/ai-plugin.json", sound.PLUGIN, "legacy "],
  ])("that its rules allow at %s is advised of, and conforms", (path, document, finding) => {
    const reading = read(path, document);
    expect(rulesOf(reading)).toContain(finding);
    expect(reading?.conforms).toBe(true);
  });

  it("of keys that sign requests is advised of another media type than its own", () => {
    const [at, own] = [
      "/.well-known/http-message-signatures-directory",
      "http-message-signatures-directory+json",
    ];
    const format = FORMATS.find(({ name }) => name === "signature-directory")!;
    const told = (type: string) =>
      rulesOf(
        format.read(Buffer.from(JSON.stringify(sound.KEYS)), new URL(at, "https://shop.example"), type),
      );
    expect([told(`application/${own}`), told(""), told("text/html")]).toEqual([[], [], ["media_type "]]);
  });

  it("keeps its endpoint where it is home-made, and says nothing of conformance", () => {
    for (const document of [
      { name: "tea", serverUrl: "https://shop.example/mcp" },
      { name: "tea", transport: { type: "http", url: "/mcp" } },
      { mcpServers: { tea: { url: "https://shop.example/mcp" } } },
      [{ name: "tea", endpoint: "https://shop.example/mcp" }],
    ]) {
      const reading = read("/.well-known/mcp.json", document);
      expect(reading?.services.map(({ endpoint }) => endpoint)).toEqual(["https://shop.example/mcp"]);
      expect([reading?.usable, reading?.conforms]).toEqual([true, null]);
    }
  });

  it("leaves an address with placeholders as written, for whoever speaks to it", () => {
    const remotes = [{ type: "sse", url: "https://{tenant}.shop.example/mcp" }];
    const reading = read("/.well-known/mcp/server-card.json", { ...sound.SERVER_CARD, remotes });
    expect(reading?.services[0]?.endpoint).toBe("https://{tenant}.shop.example/mcp");
  });

  it("is named by another: an API's description, a catalog's entries, a server's card", () => {
    const linkset = [
      {
        anchor: "/mcp",
        "service-desc": [{ href: "/.well-known/mcp/server-card.json", type: "application/json" }],
      },
    ];
    const catalog = read("/.well-known/api-catalog", { linkset });
    expect(catalog?.documents).toEqual([
      {
        url: "https://shop.example/.well-known/mcp/server-card.json",
        type: "application/json",
        rel: "service-desc",
      },
    ]);
    expect(catalog?.services.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`)).toEqual([
      "mcp https://shop.example/mcp",
    ]);
    const { identifier, ...named } = sound.ARD.entries[0]!;
    expect(identifier).toContain(sound.HOST);
    for (const [path, document] of [
      ["/.well-known/ard.json", sound.ARD],
      ["/.well-known/mcp/catalog.json", sound.AI_CATALOG],
    ] as const)
      expect(read(path, document)?.documents).toEqual([{ url: named.url, type: named.type }]);
  });

  it.each([
    [
      "whose links say their relations",
      { anchor: "/api", links: [{ rel: "service-desc", href: "/d" }] },
      ["/d"],
      ["/api"],
    ],
    ["whose items say theirs", { anchor: "/api", item: [{ rel: "status", href: "/up" }] }, ["/up"], ["/api"]],
    ["of no link names its anchor", { anchor: "/api", title: "Tea" }, ["/api"], []],
    ["without an anchor names its address", { href: "/api" }, ["/api"], []],
  ])("is named by a catalog's context %s", (_, context, documents, called) => {
    const catalog = read("/.well-known/api-catalog", { linkset: [context] });
    const pathsOf = (urls: string[] = []) => urls.map((url) => new URL(url).pathname);
    expect(pathsOf(catalog?.documents?.map(({ url }) => url))).toEqual(documents);
    expect(pathsOf(catalog?.services.map(({ endpoint }) => endpoint))).toEqual(called);
  });

  it("is read at its format's own path whatever it is, as one that lacks everything", () => {
    const reading = read("/.well-known/agent-card.json", { title: "Tea", url: "/" });
    expect([reading?.conforms, reading?.usable]).toEqual([false, false]);
    expect(rulesOf(reading)).toContain("missing_member /name");
  });

  it("takes addresses of no other scheme than the web's", () => {
    const resources = ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "wa.me"];
    const reading = read("/.well-known/x402", { version: 1, resources });
    expect(reading?.services.map(({ endpoint }) => endpoint)).toEqual([
      "https://shop.example/.well-known/wa.me",
    ]);
  });
});

describe("bytes that are no document of the format", () => {
  const page = "<!doctype html><html><title>Shop</title></html>";
  it.each(WELL_KNOWN_PATHS.map(({ path }) => path))("are not read at %s", (path) => {
    for (const bytes of [page, "", "null", "[]", "7", '{"error":"not found"}', "\u0000\u0001"])
      expect([bytes, read(path, bytes)?.usable ?? false]).toEqual([bytes, false]);
    expect(read(path, page)).toBeUndefined();
  });

  it("are too many, too deep, or too many values", () => {
    const path = "/.well-known/agent-card.json";
    const padded = { ...sound.A2A_03, padding: "a".repeat(2 * 1024 * 1024) };
    const nested = JSON.stringify(sound.A2A_03).replace("{}", "[".repeat(100) + "]".repeat(100));
    const many = { ...sound.A2A_03, padding: Array.from({ length: 250_000 }, () => 0) };
    for (const document of [padded, nested, many]) expect(read(path, document)).toBeUndefined();
  });

  it("may still be read where other readers would read them otherwise, which is said", () => {
    const path = "/.well-known/agent-card.json";
    const text = JSON.stringify(sound.A2A_03);
    const doubled = text.replace("{", '{"name":"Coffee",');
    expect(rulesOf(read(path, `\ufeff${text}`))).toEqual(["byte_order_mark "]);
    expect(rulesOf(read(path, doubled))).toEqual(["doubled_key "]);
  });

  it("give a bounded number of services, names and findings", () => {
    const skills = Array.from({ length: 900 }, (_, at) => ({
      name: `Skill ${at}`,
      url: `/${at}`,
      type: "?",
    }));
    const reading = read("/.well-known/agent-skills/index.json", { skills });
    expect(reading?.services).toHaveLength(MAX_DESCRIBED);
    expect(reading?.names).toHaveLength(MAX_TOOLS);
    expect(reading?.findings).toHaveLength(MAX_DESCRIPTOR_FINDINGS);
  });
});

describe("the table of formats", () => {
  it("knows a path below an issuer, before a resource, and in any folder", () => {
    const nameAt = (path: string): string | undefined => formatOf(path)?.name;
    expect(nameAt("/.well-known/oauth-protected-resource/mcp")).toBe("oauth-protected-resource");
    expect(nameAt("/tenant/.well-known/openid-configuration")).toBe("oauth-authorization-server");
    expect(nameAt("/docs/llms.txt")).toBe("llms-txt");
    expect(nameAt("/.well-known/security.txt")).toBeUndefined();
    expect(nameAt("/prices")).toBeUndefined();
  });

  it("knows a format by its media type and its relation", () => {
    expect(formatOfType("Application/AI-Catalog+JSON; charset=utf-8")?.name).toBe("ai-catalog");
    expect(formatOfType("application/json")).toBeUndefined();
    expect(formatOfRelation("API-Catalog")?.name).toBe("api-catalog");
  });

  it("asks for each path once, the likeliest first", () => {
    const paths = WELL_KNOWN_PATHS.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths[0]).toBe("/llms.txt");
  });
});
