/**
 * Sites of the agent web that know nothing of Bridge: each publishes what some platform, generator or owner does, well or badly, and
 * its host's place in the order says which. What a correct registry finds there stands beside it.
 */
import type { ControlGroup, Level, ObservedClass } from "../../schemas/agent-web.ts";
import { WORKING_TOOLS, type WorkingTool } from "./tools.ts";

/** A reply; `drip` sends its body a byte at a time and never ends. */
export interface AgentReply {
  status?: number;
  type?: string;
  body?: string;
  headers?: Record<string, string>;
  drip?: true;
}

export interface AgentRequest {
  host: string;
  /** Origin of the site, with its port. */
  origin: string;
  method: string;
  path: string;
  /** Of a POST. */
  body: string;
}

interface SiteRequest extends AgentRequest {
  /** Place of the site among those of its kind. */
  nth: number;
}

/** What a correct registry says of a site. */
export interface AgentOracle {
  found: boolean;
  level: Level | null;
  platform: string | null;
  /** Of its MCP endpoint; null: it has none. */
  observed: ObservedClass | null;
  /** What a registry holds its own looks against. */
  control: ControlGroup | null;
}

/** Records in DNS at one name: texts, and data of service bindings. */
export interface AgentRecords {
  txt?: string[];
  svcb?: Buffer[];
}

interface Behaviour {
  name: string;
  expected: AgentOracle;
  /** By labels below the host; empty: at the host itself. */
  records?(host: string, port: number): Record<string, AgentRecords>;
  /** Undefined: 404. */
  answer(request: SiteRequest): AgentReply | undefined;
}

const nothing: AgentOracle = { found: false, level: null, platform: null, observed: null, control: null };
const anyAddress: AgentOracle = { ...nothing, control: "soft_404" };
const publishes: AgentOracle = { ...nothing, found: true, level: "published" };
const isBroken = (observed: ObservedClass): AgentOracle => ({ ...publishes, observed, control: "broken" });
const speaks: AgentOracle = {
  ...nothing,
  found: true,
  level: "answers",
  observed: "open",
  control: "alive",
};

const json = (value: unknown, headers?: Record<string, string>): AgentReply => ({
  type: "application/json",
  body: JSON.stringify(value),
  ...(headers && { headers }),
});
const page = (title: string, body = "", head = ""): AgentReply => ({
  type: "text/html; charset=utf-8",
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><h1>${title}</h1>${body}</body></html>`,
});
const home = ({ host }: AgentRequest, head = ""): AgentReply => page(`Welcome to ${host}`, "", head);

const toolOf = (nth: number): WorkingTool => WORKING_TOOLS[nth % WORKING_TOOLS.length]!;

/** A card by the form that most hosts publish today. */
const card = ({ host, origin, nth }: SiteRequest): AgentReply =>
  json({
    serverInfo: { name: host, title: `Tools of ${host}`, version: "1.0.0" },
    description: toolOf(nth).description,
    transport: { type: "streamable-http", endpoint: `${origin}/mcp` },
  });

const CARD_PATH = "/.well-known/mcp/server-card.json";
interface Call {
  id?: unknown;
  method?: string;
  params?: { name?: unknown; arguments?: Record<string, unknown> };
}

/** What a server with this one tool answers; undefined: nothing is owed. */
function answerCall({ id, method, params }: Call, tool: WorkingTool): object | undefined {
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  const error = (code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });
  if (id === undefined) return undefined;
  if (method === "initialize") {
    const serverInfo = { name: tool.name, version: "1.0.0" };
    return result({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  }
  if (method === "tools/list") return result({ tools: [tool] });
  if (method !== "tools/call") return error(-32_601, "Method not found");
  if (params?.name !== tool.name) return error(-32_602, `The one tool is ${tool.name}.`);
  try {
    return result({ content: [{ type: "text", text: tool.call(params.arguments ?? {}) }] });
  } catch (thrown) {
    return result({ isError: true, content: [{ type: "text", text: (thrown as Error).message }] });
  }
}

function mcp({ method, body, nth }: SiteRequest): AgentReply {
  if (method !== "POST") return { status: 405, body: "" };
  const reply = answerCall(JSON.parse(body) as Call, toolOf(nth));
  return reply ? json(reply) : { status: 202, body: "" };
}

/** A site whose card names `/mcp`, which answers as `endpoint` says. */
const withEndpoint = (
  name: string,
  expected: AgentOracle,
  endpoint: (request: SiteRequest) => AgentReply,
): Behaviour => ({
  name,
  expected,
  answer: (request) => {
    if (request.path === "/") return home(request);
    if (request.path === CARD_PATH) return card(request);
    return request.path === "/mcp" ? endpoint(request) : undefined;
  },
});

/** A site that publishes one document. */
const withDocument = (
  name: string,
  path: string,
  document: (request: AgentRequest) => AgentReply,
  expected = publishes,
): Behaviour => ({
  name,
  expected,
  answer: (request) => {
    if (request.path === "/") return home(request);
    return request.path === path ? document(request) : undefined;
  },
});

const text = (body: string): AgentReply => ({ type: "text/plain; charset=utf-8", body });
const llms = ({ host, origin }: AgentRequest): AgentReply =>
  text(`# ${host}\n\n> What agents should read.\n\n## Docs\n\n- [Start](${origin}/start): how to begin\n`);

const BEHAVIOURS: readonly Behaviour[] = [
  withEndpoint("mcp", speaks, (request) => mcp(request)),
  withEndpoint("mcp by events", speaks, (request) => {
    const reply = mcp(request);
    if (reply.type !== "application/json") return reply;
    return { type: "text/event-stream", body: `event: message\ndata: ${reply.body}\n\n` };
  }),
  withEndpoint("mcp for those who log in", { ...speaks, observed: "auth" }, ({ origin }) => ({
    status: 401,
    ...json({ error: "invalid_token" }),
    headers: {
      "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`,
    },
  })),
  withEndpoint("a page where a service should be", isBroken("html"), (request) => home(request)),
  withEndpoint("another service than it says", isBroken("not_protocol"), () =>
    json({ errors: [{ message: "Must provide query string." }] }),
  ),
  withEndpoint("an endpoint that drips", isBroken("unknown"), () => ({
    type: "text/event-stream",
    drip: true,
  })),
  withEndpoint("an endpoint that fails", isBroken("unknown"), () => ({
    status: 500,
    body: "Internal Server Error",
  })),
  withDocument("a card of an agent", "/.well-known/agent-card.json", ({ host, origin }) =>
    json({
      protocolVersion: "0.3.0",
      name: host,
      description: "Plans tours.",
      url: `${origin}/a2a`,
      preferredTransport: "JSONRPC",
      version: "1.0.0",
      capabilities: {},
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [{ id: "plan", name: "Plan", description: "Plans a tour.", tags: ["tours"] }],
    }),
  ),
  withDocument("skills", "/.well-known/agent-skills/index.json", () =>
    json({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [
        {
          name: "find-a-table",
          type: "skill-md",
          description: "Finds a free table.",
          url: "/.well-known/agent-skills/find-a-table/SKILL.md",
          digest: `sha256:${"5".repeat(64)}`,
        },
      ],
    }),
  ),
  withDocument("a catalog of interfaces", "/.well-known/api-catalog", ({ origin }) => ({
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    body: JSON.stringify({
      linkset: [
        {
          anchor: `${origin}/api`,
          "service-desc": [{ href: `${origin}/openapi.json`, type: "application/openapi+json" }],
        },
      ],
    }),
  })),
  withDocument("a text for models", "/llms.txt", llms),
  withDocument("a text by a generator", "/llms.txt", ({ host, origin }) =>
    text(
      `Generated by Yoast SEO v26.4, this is an llms.txt file, meant for consumption by LLMs.\n\n# ${host}\n\n## Pages\n- [About](${origin}/about)\n`,
    ),
  ),
  {
    name: "one page at every address",
    expected: anyAddress,
    answer: ({ path }) =>
      path === "/robots.txt"
        ? undefined
        : page("App", `<div id="root"></div>`, `<script src="/assets/app.js"></script>`),
  },
  {
    name: "one answer at every address",
    expected: anyAddress,
    answer: ({ path, host }) => (path === "/robots.txt" ? undefined : json({ ok: true, host })),
  },
  {
    name: "a log-in at every address",
    expected: anyAddress,
    answer: (request) =>
      request.path === "/" || request.path === "/robots.txt"
        ? home(request)
        : { status: 302, headers: { location: `${request.origin}/log-in` }, body: "" },
  },
  withDocument(
    "a card that is cut off",
    CARD_PATH,
    () => ({
      type: "application/json",
      body: '{"serverInfo":{"name":',
    }),
    nothing,
  ),
  withDocument(
    "a card that names no address",
    CARD_PATH,
    ({ host }) => json({ serverInfo: { name: host, version: "1.0.0" }, tools: [{ name: "find_stock" }] }),
    nothing,
  ),
  {
    name: "a site that is not to be searched",
    expected: nothing,
    answer: (request) =>
      request.path === "/robots.txt"
        ? text("User-agent: *\nContent-Signal: search=no, ai-train=no\nAllow: /\n")
        : request.path === "/llms.txt"
          ? llms(request)
          : undefined,
  },
  {
    name: "a server that DNS alone names",
    expected: speaks,
    records: (host, port) => ({ _agent: { txt: [`v=aid2;p=mcp;u=https://${host}:${port}/mcp;s=Stock`] } }),
    answer: (request) => (request.path === "/mcp" ? mcp(request) : undefined),
  },
  {
    ...withDocument("a catalog that DNS names", "/.well-known/ai-catalog.json", ({ host, origin }) =>
      json({
        specVersion: "0.9",
        entries: [
          { identifier: `${host}:api`, type: "application/openapi+json", url: `${origin}/openapi.json` },
        ],
      }),
    ),
    records: (host, port) => ({
      "_index._agents": { svcb: [serviceBinding(host, port, "ai-catalog.json")] },
    }),
  },
  {
    name: "a key for the MCP Registry alone",
    expected: nothing,
    records: () => ({ "": { txt: [`v=MCPv1; k=ed25519; p=${"A".repeat(43)}=`] } }),
    answer: (request) => (request.path === "/" ? home(request) : undefined),
  },
  {
    name: "nothing",
    expected: nothing,
    answer: (request) => (request.path === "/" ? home(request) : undefined),
  },
];

/** A service binding with DNS-AID's `well-known` (RFC 9460 section 2.2; the number of its reference implementation). */
function serviceBinding(host: string, port: number, wellKnown: string): Buffer {
  const number = (value: number): number[] => [value >> 8, value & 0xff];
  const labels = host.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const target = [...number(1), ...labels, 0];
  const parameters = [
    ...number(3),
    ...number(2),
    ...number(port),
    ...number(65_409),
    ...number(wellKnown.length),
  ];
  return Buffer.from([...target, ...parameters, ...Buffer.from(wellKnown)]);
}

/** So many sites one after the other are one of each kind. */
export const AGENT_KINDS = BEHAVIOURS.length;

const behaviourOf = (index: number): Behaviour => BEHAVIOURS[index % BEHAVIOURS.length]!;

/** What the site at this place is. */
export const agentOracle = (index: number): AgentOracle => behaviourOf(index).expected;

/** What DNS has of the site at this place. @param label below its host; empty: at the host itself */
export const agentRecords = (
  index: number,
  label: string,
  host: string,
  port: number,
): AgentRecords | undefined => behaviourOf(index).records?.(host, port)[label];

/** @returns undefined where nothing is */
export const agentReply = (index: number, request: AgentRequest): AgentReply | undefined =>
  behaviourOf(index).answer({ ...request, nth: Math.floor(index / AGENT_KINDS) });
