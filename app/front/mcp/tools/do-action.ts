import { z } from "zod";
import { endWithin } from "../../../../src/browser/tokens.ts";
import { Failure } from "../../../../src/rpc/errors.ts";
import { plainText, proseText } from "../../../../src/rpc/validation.ts";
import { session } from "../../../../workers/session/contract.ts";
import { cleaned, fenced, label, prose, saidBy } from "./said.ts";
import { SessionHandle } from "./session-handle.ts";
import { defineTool } from "./tool.ts";

/** Commands of the text browser, whose arguments are `target` and `value`. */
const COMMANDS = [
  ...["navigate", "read", "fill", "select", "check", "uncheck", "click", "submit"],
  ...["back", "scroll", "wait"],
];
const isCommand = (action: string): boolean => COMMANDS.includes(action);
/** Tokens of a page's text in a result. */
const MAX_TOKENS = 1_000;
const MAX_HREF = 500;

/** Members of a result that the tool shows by names of their own. */
const SHOWN: ReadonlySet<string> = new Set([
  "url",
  "status",
  "title",
  "text",
  "more",
  "error",
  "interrupted",
]);

export const doAction = defineTool({
  name: "do_action",
  title: "Do something on the session's site",
  description:
    "Execute one action in a session: one that list_actions named, with args of its input_schema, or a command of the text browser (navigate, read, fill, select, check, uncheck, click, submit, back, scroll, wait) with args target and value. Use it only for what the user asked for. Do not use it to read sites without a session (use read_page), and never repeat it after `interrupted` or `request_sent`: look first whether it was done.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.object({
    session: SessionHandle,
    action: plainText(64).meta({ description: "Name of the action or command", example: "submit-search" }),
    args: z
      .record(z.string().max(128), z.unknown())
      .default({})
      .meta({ description: "By the action's input_schema; for commands `target` and `value`" }),
    idempotency_key: plainText(255).optional().meta({
      description: "A repeated call with the same key is done once: choose one for each thing to do",
    }),
  }),
  output: z.object({
    success: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    request_sent: z.boolean().meta({ description: "With an error: the site may have done it all the same" }),
    interrupted: z.string().nullable().meta({ description: "An earlier action that may or may not be done" }),
    url: z.string().nullable(),
    page: saidBy({
      status: z.int().nullable(),
      title: z.string(),
      text: z.string(),
      more: z.boolean(),
      details: z.record(z.string(), z.unknown()).meta({ description: "Elements, fields, links, forms" }),
    }),
  }),
  run: async ({ session: handle, action, args, idempotency_key }, { caller, progress }) => {
    const body = isCommand(action) ? commandOf(action, args) : { action, context: args };
    if (body instanceof Failure) return body;
    await progress(`executing ${action}`);
    const done = await caller.call(
      session,
      "execute",
      { body },
      { session: handle, idempotencyKey: idempotency_key },
    );
    if (done instanceof Failure) return done;
    return shownOf(done.success, done.result);
  },
  text: ({ success, error, request_sent, interrupted, url, page }) =>
    [
      success ? "Done." : `Not done: ${error?.code ?? "unknown"}: ${error?.message ?? ""}`,
      ...(request_sent ? ["The site may have done it: do not send it again before you looked."] : []),
      ...(interrupted === null
        ? []
        : [`Interrupted before: ${interrupted}. It may or may not have been done.`]),
      ...(url === null ? [] : [`Now at ${url}${page.status === null ? "" : ` (HTTP ${page.status})`}`]),
      ...fenced(page.source, [
        `# ${page.title}`,
        page.text,
        ...Object.entries(page.details).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
      ]),
    ].join("\n"),
});

const commandArguments = z.strictObject({
  target: plainText(2_048).optional(),
  value: proseText(16_384).optional(),
  values: z.array(z.string().max(16_384)).max(100).optional(),
});

/** A command's body; arguments that it does not have are refused. */
const commandOf = (action: string, args: Record<string, unknown>) => {
  const parsed = commandArguments.safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ["args", ...(issue?.path ?? [])].join(".");
    return new Failure("invalid_request", `${path}: ${issue?.message}. ${action} takes target and value.`);
  }
  const { target, value, values } = parsed.data;
  return { action, target, value, ...(values && { context: { values } }) };
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A result as it is shown: what the registry says apart from what the site says. */
const shownOf = (success: boolean, result: Record<string, unknown>) => {
  const error = result.error as { code?: unknown; message?: unknown; request_sent?: unknown } | undefined;
  const { interrupted } = result as { interrupted?: { action?: unknown } };
  const url = typeof result.url === "string" ? label(result.url, MAX_HREF) : null;
  const text = prose(textOf(result.text));
  const end = endWithin(text, MAX_TOKENS);
  return {
    success,
    error: error ? { code: textOf(error.code), message: label(textOf(error.message), 300) } : null,
    request_sent: error?.request_sent === true,
    interrupted: interrupted ? label(textOf(interrupted.action)) : null,
    url,
    page: {
      untrusted: true as const,
      source: url ?? "",
      status: typeof result.status === "number" ? result.status : null,
      title: label(textOf(result.title)),
      text: text.slice(0, end),
      more: result.more === true || end < text.length,
      details: cleaned(
        Object.fromEntries(Object.entries(result).filter(([name]) => !SHOWN.has(name))),
      ) as Record<string, unknown>,
    },
  };
};
