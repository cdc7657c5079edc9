/**
 * Tools for models: those of the registry's `/mcp`, in the format of each vendor. What they take and give is said there
 * alone; here a call is sent, again where that does no harm, and a fault becomes a result that a model can read.
 */
import type { Client } from "./client.ts";
import { BridgeError, ConnectionError } from "./errors.ts";
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

/** What a call gave: for a model the `text`, of at most 1,500 tokens; for a program the `value`. */
export interface ToolResult {
  isError: boolean;
  /** The tool's output; of a fault its `code`, `detail` and the `next` step. */
  value: Record<string, unknown>;
  text: string;
}

type Args = Readonly<Record<string, unknown>>;

const NAMES = TOOL_DEFINITIONS.map(({ name }) => name as string).join(", ");

/** The tools of a client in one format. A session that they open is an argument of others, and a secret. */
export class Tools<Format extends ToolFormat> {
  readonly definitions: readonly Definition[Format][];
  readonly #client: Client;

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
    let sent: Args = {};
    try {
      sent = keyed(name, parsed(name, args));
      const { content, structuredContent = {} } = await this.#client.callTool(name, sent);
      return {
        isError: false,
        value: structuredContent,
        text: content.map(({ text }) => text ?? "").join("\n"),
      };
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      return faultOf(error, sent.idempotency_key);
    }
  }
}

/** An action has a key, a new one where the model gave none: the call is sent again after a fault, and the action is done once. */
const keyed = (name: string, args: Args): Args =>
  name === "do_action" && args.idempotency_key === undefined
    ? { ...args, idempotency_key: crypto.randomUUID() }
    : args;

/** Of a call that may still be under way, its key alone tells what became of it. */
const isOpen = (error: BridgeError): boolean =>
  error instanceof ConnectionError || ["idempotency_in_progress", "timeout"].includes(error.code);

function shapeOf(
  format: ToolFormat,
  { name, description, input }: (typeof TOOL_DEFINITIONS)[number],
): Definition[ToolFormat] {
  const schema = structuredClone(input) as unknown as Schema;
  if (format === "anthropic") return { name, description, input_schema: schema };
  if (format === "mcp") return { name, description, inputSchema: schema };
  return { type: "function", function: { name, description, parameters: schema } };
}

/** The arguments of a tool that there is; the registry checks them. */
function parsed(name: string, args: Args | string): Args {
  if (!TOOL_DEFINITIONS.some((each) => each.name === name))
    return refuse("unknown_tool", "There is no tool of this name.", `Use one of ${NAMES}.`);
  let given: unknown = args;
  try {
    if (typeof args === "string") given = JSON.parse(args);
  } catch {
    return refuse("invalid_json", "The arguments are not JSON.", "Send a JSON object.");
  }
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Args;
  return refuse(
    "invalid_request",
    "The arguments are no object.",
    "Send an object of the tool's input schema.",
  );
}

function refuse(code: string, message: string, next: string): never {
  throw new BridgeError(message, { code, next });
}

/** A fault as the registry's own are: its text is that of `/mcp`. */
function faultOf(error: BridgeError, key: unknown): ToolResult {
  const { code, message: detail, retryAfter } = error;
  const open = key !== undefined && isOpen(error);
  const next = open ? `${error.next} Call do_action again with idempotency_key ${key}.` : error.next;
  const wait = retryAfter === null ? "" : ` Retry after ${retryAfter} s.`;
  return {
    isError: true,
    value: {
      ...error.problem,
      code,
      detail,
      next,
      ...(retryAfter !== null && { retry_after_seconds: retryAfter }),
    },
    text: `${code}: ${detail}${wait}\nNext: ${next}`,
  };
}
