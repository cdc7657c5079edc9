import { z } from "zod";
import { Effect } from "../../../../schemas/action.ts";
import type { ActionResult } from "../../../../schemas/action-result.ts";
import { Money, MoneyText, Receipt } from "../../../../schemas/receipt.ts";
import { endWithin } from "../../../../src/browser/tokens.ts";
import { type ErrorCode, Failure, fail } from "../../../../src/rpc/errors.ts";
import { plainTextSchema, proseText } from "../../../../src/rpc/validation.ts";
import { session } from "../../../../workers/session/contract.ts";
import {
  cleanedWords,
  fenced,
  label,
  prose,
  quoted,
  Screening,
  screenedLines,
  screenedWords,
  untrusted,
  untrustedShape,
} from "./said.ts";
import { SessionHandle } from "./session-handle.ts";
import { defineTool, SpendingQuestion, type ToolContext, ToolFailure } from "./tool.ts";

/** Commands of the text browser, whose arguments are `target` and `value`. */
const COMMANDS = [
  ...["navigate", "read", "fill", "select", "check", "uncheck", "click", "submit"],
  ...["back", "scroll", "wait"],
];
const isCommand = (action: string): boolean => COMMANDS.includes(action);
/** Tokens of a page's text in a result. */
const MAX_TOKENS = 1_000;
const MAX_HREF = 500;
const MAX_MESSAGE = 300;

/** Members of a result that the tool shows by names of their own. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["url", "status", "title", "text", "more", "error", "interrupted", "receipt", "already_done"],
  ...["by", "dry_run", "effect", "total", "would_send", "confirm"],
]);

const Input = z.object({
  session: SessionHandle,
  action: plainTextSchema(64).meta({
    description: "Name of the action or command",
    example: "submit-search",
  }),
  args: z
    // Named members, since Gemini refuses objects without any; what their values may be, the action says.
    .looseObject({
      target: z
        .unknown()
        .optional()
        .meta({ type: "string", description: "Of a command: CSS selector, or address" }),
      value: z.unknown().optional().meta({ type: "string", description: "Of a command: what is filled in" }),
    })
    .default({})
    .meta({ description: "By the action's input_schema; for commands `target` and `value`" }),
  dry_run: z.boolean().default(false).meta({
    description: "Tells effect, total and what would be sent, and does nothing: before every purchase",
  }),
  confirm_total: MoneyText.optional().meta({
    description: "For a purchase: the total that the dry run told",
    example: "14.90 EUR",
  }),
  confirm_unknown_total: z.boolean().optional().meta({
    description: "For a purchase whose page shows no total, only where the user agreed to that",
  }),
  max_total: MoneyText.optional().meta({ description: "For a purchase: the most that it may cost" }),
  idempotency_key: plainTextSchema(255).optional().meta({
    description: "A repeated call with the same key is done once: choose one for each thing to do",
  }),
});

const Output = z.object({
  outcome: z.enum(["done", "failed", "script", "dry_run"]),
  success: z.boolean(),
  error: z
    .object({ code: z.string(), untrusted, message: z.string().meta({ description: "May quote the site" }) })
    .nullable(),
  request_sent: z.boolean().meta({ description: "With an error: the site may have done it all the same" }),
  already_done: z.boolean().meta({ description: "It was done by an earlier call, and not again" }),
  interrupted: z.string().nullable().meta({ description: "An earlier action that may or may not be done" }),
  firewall: Screening,
  receipt: Receipt.pick({ receipt_id: true, state: true, effect: true, total: true, status: true })
    .nullable()
    .meta({ description: "Of what had an effect" }),
  would: z
    .object({
      effect: Effect,
      total: Money.nullable(),
      confirm: z
        .object({ confirm_total: z.string().optional(), confirm_unknown_total: z.literal(true).optional() })
        .nullable()
        .meta({ description: "What to send with the call to have it done" }),
      send: z
        .looseObject({ untrusted })
        .nullable()
        .meta({ description: "The request; names and values of fields are the page's" }),
    })
    .nullable()
    .meta({ description: "Of a dry run" }),
  page: untrustedShape({
    status: z.int().nullable(),
    title: z.string(),
    text: z.string(),
    more: z.boolean(),
    details: z.record(z.string(), z.unknown()).meta({ description: "Elements, fields, links, forms" }),
  }),
});

type Args = z.output<typeof Input>;

/** A call with what was agreed to, which is done once. */
const agreeing = (args: Args, { id, agreement }: NonNullable<ToolContext["answer"]>): Args => ({
  ...args,
  idempotency_key: args.idempotency_key ?? id,
  ...(agreement === "" ? { confirm_unknown_total: true } : { confirm_total: agreement }),
});

const NEXT: Partial<Record<ErrorCode, string>> = {
  confirmation_required:
    "Ask the user. Where the user agrees, call again with confirm_total as the message says it (or confirm_unknown_total).",
  total_changed: "Tell the user the new total, and call again with it only where the user agrees.",
  total_over_limit: "Tell the user: it costs more than max_total allows.",
  owner_confirmation_required: "Give the user the address: a person has to complete this at the site.",
  unknown_outcome:
    "Do not do it again. Tell the user that nobody knows whether it was done, and look at the site's order page or mail.",
  idempotency_in_progress: "Wait, then call again with the same idempotency_key.",
  idempotency_conflict: "Choose another idempotency_key: this one stands for another call.",
  reply_not_kept: "It was done. Look at the page with do_action read.",
  authentication_required: "The session has ended: open another with open_session.",
};

export const doAction = defineTool({
  name: "do_action",
  title: "Do something on the session's site",
  description:
    "Execute one action in a session: one that list_actions named, with args of its input_schema, or a command of the text browser (navigate, read, fill, select, check, uncheck, click, submit, back, scroll, wait) with args target and value. What spends money takes a dry_run first, and confirm_total equal to what that told. Use it only for what the user asked for. Do not use it to read sites without a session (use read_page), and never repeat it after `unknown_outcome`, `interrupted` or `request_sent`: look first whether it was done.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Input,
  output: Output,
  run: async (input, context) => {
    const { answer } = context;
    if (answer && !answer.agreed)
      return new ToolFailure(
        fail("confirmation_required", "The person who was asked did not agree."),
        "Do not buy it. Ask the user what to do instead.",
      );
    await context.progress(`executing ${quoted(input.action)}`);
    const done = await execute(answer ? agreeing(input, answer) : input, context);
    if (!(done instanceof Failure)) {
      return shownOf(done, context);
    }
    const expected = done.code === "confirmation_required" ? expectedOf(done) : undefined;
    if (expected !== undefined && context.canAsk && !answer) return questionOf(input, expected, context);
    const next = NEXT[done.code];
    return next === undefined ? done : new ToolFailure(done, next);
  },
  text: ({ firewall, success, error, request_sent, already_done, interrupted, receipt, would, page }) =>
    [
      would
        ? `Nothing was done. It would be a ${would.effect}${would.total ? ` of ${would.total.amount} ${would.total.currency}` : ""}; to do it: ${would.confirm ? JSON.stringify(would.confirm) : "no confirmation is needed"}.`
        : success
          ? `Done${already_done ? " before, and not again" : ""}.`
          : `Not done: ${error?.code ?? "unknown"}: ${quoted(error?.message ?? "")}`,
      ...(receipt
        ? [
            `Receipt ${receipt.receipt_id}: ${receipt.effect}, ${receipt.state}${receipt.total ? `, ${receipt.total.amount} ${receipt.total.currency}` : ""}.`,
          ]
        : []),
      ...(request_sent ? ["The site may have done it: do not send it again before you looked."] : []),
      ...(interrupted === null
        ? []
        : [`Interrupted before: ${quoted(interrupted)}. It may or may not have been done.`]),
      ...(page.source === ""
        ? []
        : [`Now at ${quoted(page.source, MAX_HREF)}${page.status === null ? "" : ` (HTTP ${page.status})`}`]),
      ...screenedLines(firewall),
      ...fenced(page.source, [
        `# ${page.title}`,
        page.text,
        ...Object.entries({ ...page.details, ...(would?.send && { would_send: would.send }) }).map(
          ([name, value]) => `${name}: ${JSON.stringify(value)}`,
        ),
      ]),
    ].join("\n"),
});

const commandArguments = z.strictObject({
  target: plainTextSchema(2_048).optional(),
  value: proseText(16_384).optional(),
  values: z.array(z.string().max(16_384)).max(100).optional(),
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

type DryRun = Extract<ActionResult, { outcome: "dry_run" }>["result"];

const wouldOf = ({ effect, total, confirm }: DryRun, send: Record<string, unknown> | null) => ({
  effect,
  total,
  confirm,
  send: send && { ...send, untrusted: true as const },
});

/** Codes are the registry's own, but for those that a script of the site answers: these are words as any others. */
const CODE = /^[a-z][a-z_]{0,63}$/;

const WITHHELD = { title: "", text: "", more: false, details: {}, message: "", send: null };

function execute({ session: handle, action, args, ...input }: Args, { caller }: ToolContext) {
  const command = isCommand(action) ? commandOf(action, args) : { action, context: args };
  if (command instanceof Failure) return command;
  const { dry_run, confirm_total, confirm_unknown_total, max_total, idempotency_key } = input;
  return caller.call(
    session,
    "executeAction",
    { body: { ...command, dry_run, confirm_total, confirm_unknown_total, max_total } },
    { session: handle, idempotencyKey: idempotency_key },
  );
}

/** A command's body; arguments that it does not have are refused. */
function commandOf(action: string, args: Record<string, unknown>) {
  const parsed = commandArguments.safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ["args", ...(issue?.path ?? [])].join(".");
    return new Failure("invalid_request", `${path}: ${issue?.message}. ${action} takes target and value.`);
  }
  const { target, value, values } = parsed.data;
  return { action, target, value, ...(values && { context: { values } }) };
}

/** A result as it is shown: what the registry says apart from what the site says. */
async function shownOf(done: ActionResult, context: ToolContext): Promise<z.output<typeof Output>> {
  const { code, source, ...own } = ownIn(done);
  const { status } = done.result as { status?: unknown };
  const words = wordsOf(done);
  const { firewall, said } = await screenedWords(
    { source, words, withheld: WITHHELD },
    { caller: context.caller, role: "tool_result" },
  );
  const { message, send, ...page } = said;
  return {
    ...own,
    outcome: done.outcome,
    success: done.success,
    firewall,
    error: code === undefined ? null : { code, untrusted: true as const, message },
    would: done.outcome === "dry_run" ? wouldOf(done.result, send) : null,
    page: { ...page, status: typeof status === "number" ? status : null },
  };
}

/** Members of the registry's in a result, as far as the site itself cannot have written them. */
function ownIn({ outcome, result }: ActionResult) {
  const { error, interrupted, receipt, already_done } = result as {
    error?: { code?: unknown; message?: unknown; request_sent?: unknown };
    interrupted?: { action?: unknown };
    receipt?: Receipt;
    already_done?: unknown;
  };
  const byScript = outcome === "script";
  const code = byScript ? `script_error` : textOf(error?.code);
  return {
    code: error && (CODE.test(code) ? code : "unknown"),
    request_sent: error?.request_sent === true,
    already_done: !byScript && already_done === true,
    interrupted: !byScript && interrupted ? label(textOf(interrupted.action)) : null,
    receipt: receipt
      ? {
          receipt_id: receipt.receipt_id,
          state: receipt.state,
          effect: receipt.effect,
          total: receipt.total,
          status: receipt.status,
        }
      : null,
    // Where a script says that the session is, nobody has looked.
    source: (byScript ? undefined : URL.parse(textOf(result.url))?.href.slice(0, MAX_HREF)) ?? "",
  };
}

/** What the site says in a result. */
function wordsOf(done: ActionResult) {
  const result: Record<string, unknown> = done.result;
  const { code, message } = (result.error ?? {}) as { code?: unknown; message?: unknown };
  const said = done.outcome === "script" ? [textOf(code), textOf(message)].join(": ") : textOf(message);
  const text = prose(textOf(result.text));
  const end = endWithin(text, MAX_TOKENS);
  return {
    title: label(textOf(result.title)),
    text: text.slice(0, end),
    more: result.more === true || end < text.length,
    details: cleanedWords(
      Object.fromEntries(Object.entries(result).filter(([name]) => !SHOWN.has(name))),
    ) as Record<string, unknown>,
    message: label(said, MAX_MESSAGE),
    send: (done.outcome === "dry_run" && done.result.would_send
      ? cleanedWords(done.result.would_send)
      : null) as Record<string, unknown> | null,
  };
}

/** What the operation expects to be agreed to: a total, or "" where the page shows none. */
function expectedOf({ errors }: Failure): string | undefined {
  const expected = errors?.find(({ code }) => code === "expected");
  if (expected === undefined) return undefined;
  return expected.pointer.endsWith("/confirm_total") ? expected.message : "";
}

/** The question of what would be bought, where the site and the total can be told. */
async function questionOf(
  args: Args,
  total: string,
  context: ToolContext,
): Promise<SpendingQuestion | Failure> {
  const dry = await execute({ ...args, dry_run: true, idempotency_key: undefined }, context);
  if (dry instanceof Failure) return dry;
  const { would_send, url } = dry.result as { would_send?: { url?: string }; url?: string };
  const host = URL.parse(would_send?.url ?? url ?? "")?.host ?? "the site";
  const price = total === "" ? "an amount that its page does not show" : total;
  return new SpendingQuestion(`${quoted(args.action)} at ${label(host)} spends ${price}. Do it?`, total);
}
