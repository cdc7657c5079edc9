/**
 * The plainest call of a tool, of revision 2026-07-28: answered without the package's server for one request, which takes
 * longer than many an operation. Whatever is not exactly of this form goes through the package; a test compares both.
 */
import type { IncomingHttpHeaders } from "node:http";
import { callTool, LICENSE, licenseIn, toolNamed } from "./calls.ts";
import { SERVER_INFO } from "./server-info.ts";
import { Question, type Tool, type ToolContext } from "./tools/tool.ts";

const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";

export interface PlainCall {
  id: string | number;
  tool: Tool;
  given: Record<string, unknown>;
  license: string | undefined;
}

type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with these members and no others. */
const has = (value: unknown, names: readonly string[]): value is Members =>
  isObject(value) && Object.keys(value).every((name) => names.includes(name));

const isId = (id: unknown): id is string | number =>
  typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));

const isPlainMeta = (meta: unknown): boolean => {
  const names = ["protocolVersion", "clientInfo", "clientCapabilities"].map((name) => META + name);
  if (!has(meta, [...names, LICENSE]) || meta[`${META}protocolVersion`] !== REVISION) return false;
  const [info, capabilities] = [meta[`${META}clientInfo`], meta[`${META}clientCapabilities`]];
  return (
    has(info, ["name", "version"]) &&
    typeof info.name === "string" &&
    typeof info.version === "string" &&
    // What a client can be asked for, the package asks it for.
    has(capabilities, [])
  );
};

/** The call that a request is, if it is a plain one. */
export const plainCallOf = (headers: IncomingHttpHeaders, body: unknown): PlainCall | undefined => {
  if (!has(body, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isId(id)) return undefined;
  if (!has(params, ["name", "arguments", "_meta"]) || !isPlainMeta(params._meta)) return undefined;
  const { name, arguments: given = {} } = params;
  if (typeof name !== "string" || !isObject(given)) return undefined;
  const { accept = "" } = headers;
  const isPlain =
    headers["mcp-protocol-version"] === REVISION &&
    headers["mcp-method"] === method &&
    headers["mcp-name"] === name &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream");
  const tool = isPlain ? toolNamed(name) : undefined;
  return tool && { id, tool, given, license: licenseIn(params._meta as Members) };
};

const noProgress = async (): Promise<void> => undefined;

/** @returns the message that answers the call @throws AbortError where the client gave up */
export const answerPlainCall = async (
  { id, tool, given, license }: PlainCall,
  caller: ToolContext["caller"],
  signal: AbortSignal,
  onFault: (error: unknown) => void,
) => {
  const context = { caller, signal, license, progress: noProgress, canAsk: false };
  const result = await callTool(tool, given, context, onFault);
  if (result instanceof Question) throw new Error(`${tool.name} asks a client that cannot be asked`);
  const _meta = { ...result._meta, [`${META}serverInfo`]: SERVER_INFO };
  return { jsonrpc: "2.0", id, result: { ...result, _meta, resultType: "complete" } };
};
