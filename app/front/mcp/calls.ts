/** Calls of tools: arguments checked, the tool run, its result or failure as the protocol's result. */
import { withinTokens } from "../../../src/browser/tokens.ts";
import type { OperationSpec } from "../../../src/rpc/contract.ts";
import { Failure, httpStatusOf } from "../../../src/rpc/errors.ts";
import { parseRequest } from "../../../src/rpc/validation.ts";
import { adviceOn } from "./next-step.ts";
import { closed, label } from "./tools/said.ts";
import { TOOLS } from "./tools/table.ts";
import {
  notingAge,
  SpendingQuestion,
  STALE_SECONDS,
  type Tool,
  type ToolContext,
  ToolFailure,
} from "./tools/tool.ts";

/** Tokens of a result's text; the structured content is whole. */
const MAX_TEXT_TOKENS = 1_500;

const MAX_DETAIL = 1_000;

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Where a client that keeps its user's licenses puts that of the site that a call opens. */
export const LICENSE = "bridge/license";

export interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

export function licenseIn(meta: Record<string, unknown> | undefined): string | undefined {
  const license = meta?.[LICENSE];
  return typeof license === "string" ? license : undefined;
}

export const toolNamed = (name: string): Tool | undefined => byName.get(name);

/**
 * Calls a tool; a bug in it is the failure `internal`.
 * @throws AbortError where the client gave up
 */
export async function callTool(
  tool: Tool,
  given: unknown,
  { caller, ...context }: ToolContext,
  onFault: (error: unknown) => void,
): Promise<ToolResult | SpendingQuestion> {
  const input = argumentsOf(tool, given);
  if (input instanceof Failure) return errorResult(input);
  const noted = notingAge(caller);
  // A call that was given up makes no further operation; one that is under way ends by itself, as HTTP's do.
  const call: ToolContext["caller"]["call"] = async (...operation) => {
    context.signal.throwIfAborted();
    return noted.caller.call(...operation);
  };
  try {
    const result = await tool.run(input, { ...context, caller: { ...caller, call } });
    if (result instanceof SpendingQuestion) return result;
    if (result instanceof Failure) return errorResult(result);
    const staleSeconds = noted.oldestSeconds();
    const text = closed(withinTokens(`${staleNote(staleSeconds)}${tool.text(result)}`, MAX_TEXT_TOKENS));
    return {
      content: [{ type: "text", text }],
      structuredContent: result,
      ...(staleSeconds !== undefined && { _meta: { [STALE_SECONDS]: staleSeconds } }),
    };
  } catch (error) {
    if (context.signal.aborted) throw error;
    onFault(error);
    return errorResult(new Failure("internal", "The error is logged."));
  }
}

/** A tool's arguments are checked as an operation's body is: unknown members are refused with the name that was meant. */
function argumentsOf(tool: Tool, given: unknown): Record<string, unknown> | ToolFailure {
  const parsed = parseRequest({ body: tool.input } as unknown as OperationSpec, { body: given ?? {} });
  if (!(parsed instanceof Failure)) return parsed.body as Record<string, unknown>;
  const errors = parsed.errors?.map(({ pointer, ...fault }) => ({
    ...fault,
    pointer: pointer.replace(/^\/body/, ""),
  }));
  const detail = parsed.detail.replace(/^body\./, "");
  return new ToolFailure(
    new Failure(parsed.code, detail, errors && { errors }),
    `Call ${tool.name} again with arguments of its input schema.`,
  );
}

/** A failure as a model reads it; programs find its members in `_meta`, since structured content has the output's schema. */
function errorResult(failure: Failure): ToolResult {
  const { code, errors, retryAfterSeconds } = failure;
  // It may name what a site answered.
  const detail = label(failure.detail, MAX_DETAIL);
  const next = failure instanceof ToolFailure ? failure.next : adviceOn(failure);
  const wait = retryAfterSeconds === undefined ? "" : ` Retry after ${retryAfterSeconds} s.`;
  return {
    isError: true,
    content: [{ type: "text" as const, text: `${code}: ${detail}${wait}\nNext: ${next}` }],
    _meta: {
      "bridge/error": {
        code,
        status: httpStatusOf(code),
        detail,
        next,
        ...(errors && { errors }),
        ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
      },
    },
  };
}

const staleNote = (seconds: number | undefined): string =>
  seconds === undefined
    ? ""
    : `(As it was ${seconds} s ago: the registry cannot look it up at the moment.)\n`;
