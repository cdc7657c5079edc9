/** Sound documents of each format, of one made-up shop, to be changed in one place. */
export const HOST = "shop.example";

const skill = { id: "buy", name: "Buy", description: "Buys tea", tags: ["tea"] };
const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], skills: [skill] };
const card = { name: "Tea", description: "Sells tea", version: "1.0.0", capabilities: {}, ...modes };

export const A2A_1 = {
  ...card,
  supportedInterfaces: [
    { url: "https://shop.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  securitySchemes: { main: { oauth2SecurityScheme: { flows: {} } } },
};
export const A2A_03 = { ...card, protocolVersion: "0.3.0", url: "https://shop.example/a2a" };

export const SERVER_CARD = {
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: "example.shop/tea",
  version: "1.0.0",
  description: "Sells tea",
  remotes: [{ type: "streamable-http", url: "https://shop.example/mcp" }],
};
export const FORMER_SERVER_CARD = {
  $schema: "https://example.org/card.json",
  version: "1.0",
  protocolVersion: "2025-06-18",
  serverInfo: { name: "tea", version: "1.0.0" },
  transport: { type: "streamable-http", endpoint: "/mcp" },
  capabilities: {},
  authentication: { required: true, schemes: ["bearer"] },
};

const entry = {
  identifier: "urn:air:shop.example:mcp:tea",
  displayName: "Tea",
  type: "application/mcp-server-card+json",
  url: "https://shop.example/card.json",
};
export const ARD = { specVersion: "0.91", entries: [entry] };
export const AI_CATALOG = { specVersion: "0.9", entries: [entry] };
export const API_CATALOG = {
  linkset: [
    { anchor: "https://shop.example/api", "service-desc": [{ href: "https://shop.example/openapi.json" }] },
  ],
};

export const SKILLS = {
  $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
  skills: [
    {
      name: "buy-tea",
      type: "skill-md",
      description: "Buys tea",
      url: "/.well-known/agent-skills/buy-tea/SKILL.md",
      digest: `sha256:${"0a".repeat(32)}`,
    },
  ],
};
export const LLMS =
  "# Tea\n\n> Sells tea.\n\n## Pages\n\n- [Prices](https://shop.example/prices): what it costs\n";
export const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Tea", version: "1" },
  servers: [{ url: "/api" }],
  paths: { "/tea": {} },
};
export const UCP = {
  ucp: {
    version: "2026-01-23",
    services: {
      "dev.ucp.shopping": [
        { version: "2026-01-23", transport: "mcp", endpoint: "https://shop.example/ucp/mcp" },
      ],
    },
    capabilities: {},
    payment_handlers: {},
  },
};
export const ACP = {
  protocol: { name: "acp", version: "2026-04-17", supported_versions: ["2026-04-17"] },
  api_base_url: "https://shop.example/acp",
  transports: ["rest"],
  capabilities: { services: ["checkout"] },
};
export const X402 = { version: 1, resources: ["GET https://shop.example/report"] };
export const RESOURCE = {
  resource: "https://shop.example/mcp",
  authorization_servers: ["https://id.example"],
};
export const SERVER = {
  issuer: "https://shop.example",
  authorization_endpoint: "https://shop.example/authorize",
  token_endpoint: "https://shop.example/token",
  response_types_supported: ["code"],
};
export const KEYS = {
  keys: [{ kty: "OKP", crv: "Ed25519", x: "ZzfBahrf77I9GvQdFwnrGsPZXrhtRCa-VxMReGEIq1g" }],
};
export const PLUGIN = {
  schema_version: "v1",
  name_for_model: "tea",
  name_for_human: "Tea",
  description_for_model: "Sells tea",
  description_for_human: "Sells tea",
  auth: { type: "none" },
  api: { type: "openapi", url: "https://shop.example/openapi.json" },
  logo_url: "https://shop.example/logo.png",
  contact_email: "tea@shop.example",
  legal_info_url: "https://shop.example/legal",
};
export const AGENTS = {
  agentsJson: "0.1.0",
  info: {},
  sources: [{ id: "tea", path: "https://shop.example/openapi.json" }],
  flows: [],
};

/** Each with the path that it is at, what it declares and what can be called. */
export const SOUND: readonly [path: string, document: unknown, revision: string | null, called: string[]][] =
  [
    ["/.well-known/agent-card.json", A2A_1, "1.0", ["a2a https://shop.example/a2a"]],
    ["/.well-known/agent-card.json", A2A_03, "0.3", ["a2a https://shop.example/a2a"]],
    ["/.well-known/mcp/server-card.json", SERVER_CARD, "SEP-2127", ["mcp https://shop.example/mcp"]],
    ["/.well-known/mcp/server-card.json", FORMER_SERVER_CARD, "SEP-1649", ["mcp https://shop.example/mcp"]],
    ["/.well-known/ard.json", ARD, "0.91", []],
    ["/.well-known/ai-catalog.json", AI_CATALOG, "0.9", []],
    ["/.well-known/api-catalog", API_CATALOG, null, ["http https://shop.example/api"]],
    [
      "/.well-known/agent-skills/index.json",
      SKILLS,
      "0.2.0",
      ["skill https://shop.example/.well-known/agent-skills/buy-tea/SKILL.md"],
    ],
    ["/llms.txt", LLMS, null, []],
    ["/openapi.json", OPENAPI, "3.1.0", ["http https://shop.example/api"]],
    ["/.well-known/ucp", UCP, "2026-01-23", ["ucp https://shop.example/ucp/mcp"]],
    ["/.well-known/acp.json", ACP, "2026-04-17", ["acp https://shop.example/acp"]],
    ["/.well-known/x402", X402, "1", ["x402 https://shop.example/report"]],
    ["/.well-known/oauth-protected-resource", RESOURCE, null, []],
    ["/.well-known/oauth-authorization-server", SERVER, null, []],
    ["/.well-known/http-message-signatures-directory", KEYS, null, []],
    ["/.well-known/ai-plugin.json", PLUGIN, "v1", []],
    ["/.well-known/agents.json", AGENTS, "0.1.0", []],
  ];

export const bytesOf = (document: unknown): Uint8Array =>
  Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
