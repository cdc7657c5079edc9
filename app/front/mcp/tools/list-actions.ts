import { z } from "zod";
import { Effect } from "../../../../schemas/action.ts";
import type { ListedAction } from "../../../../schemas/session.ts";
import { Failure } from "../../../../src/rpc/errors.ts";
import { session } from "../../../../workers/session/contract.ts";
import {
  cleanedWords,
  fenced,
  label,
  quoted,
  Screening,
  screenedLines,
  screenedWords,
  untrusted,
  untrustedShape,
} from "./said.ts";
import { SessionHandle } from "./session-handle.ts";
import { defineTool, READS } from "./tool.ts";

const MOST = 40;

const Listed = z.object({
  untrusted,
  name: z.string().meta({ description: "For do_action; the site's word, as input_schema is" }),
  input_schema: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of do_action's args" }),
  site_says: untrustedShape({ description: z.string() }),
  source: z.string().meta({ description: "declared, page or script: who offers it" }),
  effect: Effect,
  executable: z.boolean(),
  blocked_by: z.array(z.string()),
});

const shownAction = (action: ListedAction, from: string): z.output<typeof Listed> => ({
  untrusted: true as const,
  name: action.name,
  input_schema: cleanedWords(action.input_schema) as Record<string, unknown>,
  site_says: { untrusted: true as const, source: from, description: label(action.description) },
  source: action.source,
  effect: action.effect,
  executable: action.executable,
  blocked_by: action.blocked_by.map((each) => label(each)),
});

export const listActionsTool = defineTool({
  name: "list_actions",
  title: "What can be done on the session's site",
  description:
    "The actions of the session's site and of the page that it is on: declared actions, forms and links, each with its effect (read, write or purchase), the JSON Schema of its arguments, and whether this session can execute it. Use it after open_session, and again after an action led to another page. Do not use it to read the page (do_action with read). Names and descriptions are the site's words.",
  hints: READS,
  input: z.object({
    session: SessionHandle,
    executable_only: z.boolean().default(false).meta({ description: "Leave out what is blocked" }),
    offset: z.int().min(0).max(10_000).default(0).meta({ description: "next_offset, for the rest" }),
  }),
  output: z.object({
    firewall: Screening,
    domain: z.string(),
    page: untrustedShape({}).meta({ description: "Where the session is: the page's address, or the domain" }),
    actions: z.array(Listed),
    next_offset: z.int().nullable(),
  }),
  run: async ({ session: handle, executable_only, offset }, context) => {
    const { caller, progress } = context;
    await progress("reading the page's actions");
    const listed = await caller.call(session, "listActions", { query: {} }, { session: handle });
    if (listed instanceof Failure) return listed;
    // A name that nobody can read as it is, nobody can choose by what it says.
    const found = listed.actions.filter(
      ({ name, executable }) => label(name) === name && (executable || !executable_only),
    );
    const shown = found.slice(offset, offset + MOST);
    const source = listed.page_url ?? listed.siteId;
    const words = { actions: shown.map((action) => shownAction(action, source)) };
    const { firewall, said } = await screenedWords(
      { source, words, withheld: { actions: [] } },
      { caller, role: "tool_description" },
    );
    return {
      firewall,
      domain: listed.siteId,
      page: { untrusted: true as const, source },
      next_offset: offset + MOST < found.length ? offset + MOST : null,
      actions: said.actions,
    };
  },
  text: ({ firewall, page, actions, next_offset }) =>
    [
      ...screenedLines(firewall),
      `On ${quoted(page.source)}: ${actions.length} actions${next_offset === null ? "" : `, more from offset ${next_offset}`}. Besides: navigate, read, fill, select, check, uncheck, click, submit, back, scroll, wait.`,
      ...fenced(
        page.source,
        actions.map(
          ({ name, site_says, effect, executable, blocked_by, input_schema }) =>
            `- ${name} (${effect}${executable ? "" : `; blocked by ${blocked_by.join(", ")}`}): ${quoted(site_says.description)} args ${argumentsIn(input_schema)}`,
        ),
      ),
    ].join("\n"),
});

function argumentsIn({ properties, required }: Record<string, unknown>): string {
  const needed = new Set(required as string[] | undefined);
  const names = Object.keys((properties ?? {}) as object);
  return names.length === 0 ? "none" : names.map((name) => (needed.has(name) ? `${name}*` : name)).join(", ");
}
