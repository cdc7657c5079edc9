/** Tools for models: the same nine for every vendor, and what carries a model's calls out. Errors are results too. */
import type { Client, Permission } from "./client.ts";
import { BridgeError } from "./errors.ts";
import type { Session } from "./session.ts";
import { TOOL_DEFINITIONS } from "./tool-definitions.ts";

export type ToolFormat = "anthropic" | "openai" | "mcp";

interface Schema {
  readonly type: "object";
  readonly [member: string]: unknown;
}
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: Schema;
}
export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: Schema };
}
export interface McpTool {
  name: string;
  description: string;
  inputSchema: Schema;
}
interface Definition {
  anthropic: AnthropicTool;
  openai: OpenAiTool;
  mcp: McpTool;
}

/** What a call gave. `text` is `value` as JSON, cut to what a model should read at once. */
export interface ToolResult {
  isError: boolean;
  value: Record<string, unknown>;
  text: string;
}

/** About 1,500 tokens. */
const MAX_TEXT = 6_000;
const MAX_PAGE_TOKENS = 1_000;
const MAX_LABEL = 80;
const MAX_LISTED = 40;

type Args = Readonly<Record<string, unknown>>;
type Named = (typeof TOOL_DEFINITIONS)[number];

const shapeOf = (format: ToolFormat, { name, description, input }: Named): Definition[ToolFormat] => {
  const schema = structuredClone(input) as unknown as Schema;
  if (format === "anthropic") return { name, description, input_schema: schema };
  if (format === "mcp") return { name, description, inputSchema: schema };
  return { type: "function", function: { name, description, parameters: schema } };
};

/** A site's words where a model reads names: short, on one line, without control characters. */
const label = (text: unknown): string => {
  const words = [...String(text ?? "")].map((character) =>
    character < " " || character === "\x7f" ? " " : character,
  );
  return words.slice(0, MAX_LABEL).join("");
};

/** The tools of a client in one format. Sessions that they open are theirs, and named by an id. */
export class Tools<Format extends ToolFormat> {
  readonly definitions: readonly Definition[Format][];
  readonly #client: Client;
  readonly #sessions = new Map<string, Session>();
  #opened = 0;

  /** @internal */
  constructor(client: Client, format: Format) {
    this.#client = client;
    this.definitions = TOOL_DEFINITIONS.map((each) => shapeOf(format, each) as Definition[Format]);
  }

  /**
   * Carries a model's call out. It never throws for what the model or the registry did: that is a result with `isError`,
   * the stable code and the next step.
   */
  async call(name: string, args: Args | string = {}): Promise<ToolResult> {
    try {
      const parsed = typeof args === "string" ? (JSON.parse(args) as Args) : args;
      return resultOf(false, await this.#run(name, checked(name, parsed)));
    } catch (error) {
      if (error instanceof BridgeError) {
        const { code, message, next, retryAfter } = error;
        return resultOf(true, {
          code,
          message,
          next,
          ...(retryAfter !== null && { retry_after: retryAfter }),
        });
      }
      if (error instanceof SyntaxError)
        return resultOf(true, refusal("invalid_json", "The arguments are not JSON.", "Send a JSON object."));
      throw error;
    }
  }

  /** Ends the sessions that the tools opened. */
  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  async #run(name: string, args: Args): Promise<Record<string, unknown>> {
    const client = this.#client;
    const domain = String(args.domain ?? "");
    const purpose = args.purpose === undefined ? {} : { purpose: String(args.purpose) };
    switch (name) {
      case "search_sites":
        return this.#search(args);
      case "site_verdict":
        return verdictView(await client.verdict(domain));
      case "read_page":
        return pageView(
          await client.page(domain, String(args.path ?? "/"), {
            maxTokens: MAX_PAGE_TOKENS,
            ...(args.offset !== undefined && { offset: Number(args.offset) }),
          }),
        );
      case "open_session":
        return this.#openSession(domain, purpose);
      case "list_actions":
        return actionsView(await this.#session(args).actions());
      case "do_action":
        return this.#act(args);
      case "request_access": {
        const permissions = args.permissions as readonly Permission[] | undefined;
        return client.requestAccess(domain, {
          purpose: String(args.purpose),
          ...(permissions && { permissions }),
        });
      }
      case "scan_content": {
        const { verdict, advice, findings } = await client.scan({
          ...(args.url !== undefined && { url: String(args.url) }),
          ...(args.text !== undefined && { content: String(args.text) }),
        });
        return { verdict, advice, findings };
      }
      default: {
        const percent = args.announced_percent;
        const query = percent === undefined ? {} : { announced_percent: Number(percent) };
        return client.priceHistory(String(args.shop), String(args.product_id), query);
      }
    }
  }

  async #search(args: Args): Promise<Record<string, unknown>> {
    const { query, min_ring: minRing, limit = 5, ...same } = args;
    const options = {
      ...same,
      limit: Number(limit),
      ...(minRing !== undefined && { minRing: Number(minRing) }),
    };
    const found = await this.#client.listings(String(query), options);
    const sites = found.map((listing, i) => ({
      rank: i + 1,
      domain: listing.domain,
      name: label(listing.name),
      offers: label(listing.description),
      ring: listing.trust_ring,
      neutrality: listing.neutrality_score,
      relevance: listing.relevance,
      ...("access" in listing && { access: listing.access }),
    }));
    return { untrusted: true, sites };
  }

  async #openSession(domain: string, purpose: { purpose?: string }): Promise<Record<string, unknown>> {
    const session = await this.#client.open(domain, purpose);
    const id = session.id ?? `session-${++this.#opened}`;
    this.#sessions.set(id, session);
    const granted = Object.entries(session.permissions);
    return {
      session: id,
      domain,
      permissions: granted.flatMap(([name, isGranted]) => (isGranted ? [name] : [])),
      not_permitted: granted.flatMap(([name, isGranted]) => (isGranted ? [] : [name])),
    };
  }

  async #act(args: Args): Promise<Record<string, unknown>> {
    const given = (args.args ?? {}) as Args;
    const result = await this.#session(args).do(String(args.action), given, {
      ...(args.dry_run !== undefined && { dryRun: args.dry_run === true }),
      ...(args.confirm_total !== undefined && { confirmTotal: String(args.confirm_total) }),
      ...(args.confirm_unknown_total !== undefined && {
        confirmUnknownTotal: args.confirm_unknown_total === true,
      }),
      ...(args.idempotency_key !== undefined && { idempotencyKey: String(args.idempotency_key) }),
    });
    return { untrusted: true, result };
  }

  #session({ session: id }: Args): Session {
    const session = this.#sessions.get(String(id));
    if (session) return session;
    const message = `There is no session ${label(id)}.`;
    throw new BridgeError(message, { code: "session_unknown", next: "Open one with open_session." });
  }
}

const refusal = (code: string, message: string, next: string) => ({ code, message, next });

const resultOf = (isError: boolean, value: Record<string, unknown>): ToolResult => {
  const text = JSON.stringify(value);
  return {
    isError,
    value,
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
  };
};

/** The arguments, of a tool that there is, with all that it needs and nothing else. */
const checked = (name: string, args: unknown): Args => {
  const tool = TOOL_DEFINITIONS.find((each) => each.name === name);
  const refuse = (message: string, next: string): never => {
    throw new BridgeError(message, { code: tool ? "invalid_arguments" : "unknown_tool", next });
  };
  if (!tool)
    return refuse(
      `There is no tool ${label(name)}.`,
      `Use one of ${TOOL_DEFINITIONS.map((t) => t.name).join(", ")}.`,
    );
  const { properties, required = [] } = tool.input as { properties: object; required?: readonly string[] };
  const known = Object.keys(properties);
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return refuse("The arguments are no object.", `Send an object of ${known.join(", ")}.`);
  const given = args as Args;
  const missing = required.filter((each) => given[each] === undefined);
  if (missing.length > 0) return refuse(`${missing.join(", ")} is missing.`, "Send it.");
  const unknown = Object.keys(given).filter((each) => !known.includes(each));
  if (unknown.length > 0)
    return refuse(`${name} has no ${unknown.map(label).join(", ")}.`, `It takes ${known.join(", ")}.`);
  return given;
};

/** What a model needs of each action; names are as the registry takes them, at most 64 characters. */
const actionsView = (actions: Actions) => ({
  untrusted: true,
  actions: actions.slice(0, MAX_LISTED).map((action) => ({
    name: action.name,
    description: label(action.description),
    effect: action.effect,
    executable: action.executable,
    blocked_by: action.blocked_by,
    input_schema: action.input_schema,
  })),
  more: actions.length > MAX_LISTED,
});

const verdictView = ({ domain, state, listed, reason, trust, neutrality, findings, fixes }: Verdict) => ({
  domain,
  state,
  listed,
  reason,
  ring: trust.ring,
  trust: trust.score,
  dnssec: trust.dnssec,
  neutrality: neutrality.score,
  confidence: neutrality.confidence,
  findings: findings.map(({ rule, severity, page }) => ({ rule, severity, page })),
  to_be_mended: fixes.slice(0, 5).map(({ code, title }) => ({ code, title })),
});

const pageView = ({ firewall, url, status, title, markdown, links, forms, next_offset }: Page) => ({
  untrusted: true,
  firewall: { verdict: firewall.verdict, risk_score: firewall.risk_score },
  url,
  status,
  title: label(title),
  markdown,
  links: links.slice(0, MAX_LISTED).map(({ n, text, href }) => ({ n, text: label(text), href })),
  forms: forms.slice(0, MAX_LISTED),
  next_offset,
});

type Actions = Awaited<ReturnType<Session["actions"]>>;
type Verdict = Awaited<ReturnType<Client["verdict"]>>;
type Page = Awaited<ReturnType<Client["page"]>>;
