/** The vocabulary of a text browser's decisions: commands, state, plans and the codes of what cannot be done. */
import type { Effect } from "../../schemas/action.ts";
import type { SitePermission } from "../../schemas/license.ts";
import type { FormState, Page } from "./controls.ts";
import type { Sends } from "./sends.ts";
import type { FieldFault, PageRequest } from "./submission.ts";

/** Why a command could not be done: stable codes of `result.error.code`. */
export const COMMAND_FAILURES = [
  "no_page",
  "target_required",
  "value_required",
  "target_not_found",
  "invalid_selector",
  "selector_too_costly",
  "page_too_costly",
  "not_a_field",
  "not_editable",
  "file_input_refused",
  "value_invalid",
  "option_not_found",
  "form_too_large",
  "not_activatable",
  "disabled",
  "no_form",
  "validation_failed",
  "unsupported_address",
  "requires_script",
  "script_failed",
  "unknown_action",
  "no_history",
  "resubmission_refused",
  "http_status",
  "unsupported_content",
  "redirect_refused",
  "too_many_redirects",
  "site_unreachable",
  "site_busy",
  "worker_busy",
] as const;
export type CommandFailure = (typeof COMMAND_FAILURES)[number];

export interface Command {
  action: string;
  target?: string | undefined;
  value?: string | undefined;
  context?: Record<string, unknown> | undefined;
}

/** One entry of the session's history. */
export interface HistoryEntry {
  url: string;
  method: "GET" | "POST";
}

export interface BrowserState {
  /** What addresses are relative to while no page is open. */
  home: URL;
  page: Page | undefined;
  fields: FormState;
  /** Places before the current one, the oldest first. */
  history: readonly HistoryEntry[];
  /** Where the text window begins. */
  offset: number;
}

/** What changes without a request. */
export interface SessionChange {
  fields?: FormState;
  offset?: number;
  /** Address of the page with another fragment. */
  url?: string;
}

export type CommandPlan =
  | { kind: "done"; change: SessionChange; result: Record<string, unknown> }
  | { kind: "go"; request: PageRequest; move: "push" | "back"; sends?: Sends | undefined }
  | { kind: "wait"; ms: number; next: PageRequest | undefined }
  | { kind: "denied"; permission: SitePermission }
  | {
      kind: "failed";
      code: CommandFailure;
      message: string;
      faults?: FieldFault[];
      /** Of what only a script could do: what it would do. */
      effect?: Effect;
    };

export type Allows = (permission: SitePermission) => boolean;

export const MAX_WAIT_MS = 10_000;
/** Names that `execute` knows by itself; others are a site's own actions. */
export const BUILT_IN = [
  "navigate",
  "read",
  "fill",
  "select",
  "check",
  "uncheck",
  "click",
  "submit",
  "back",
  "wait",
  "scroll",
] as const;
export type BuiltIn = (typeof BUILT_IN)[number];

/** The permission that an action needs wherever it is aimed; more may come with the target. */
export const PERMISSION_OF: Record<BuiltIn, SitePermission | undefined> = {
  navigate: "navigate",
  back: "navigate",
  read: "readContent",
  fill: "fillForms",
  select: "fillForms",
  check: "fillForms",
  uncheck: "fillForms",
  submit: "fillForms",
  click: "click",
  scroll: "scroll",
  wait: undefined,
};

export const isBuiltIn = (action: string): action is BuiltIn =>
  (BUILT_IN as readonly string[]).includes(action);

export const failedPlan = (code: CommandFailure, message: string, faults?: FieldFault[]): CommandPlan => ({
  kind: "failed",
  code,
  message,
  ...(faults && { faults }),
});
/** @param effect of what the script would do */
export const scriptNeeded = (message: string, effect: Effect = "write"): CommandPlan => ({
  kind: "failed",
  code: "requires_script",
  message,
  effect,
});

/** What the site does not permit at all, wherever it is aimed. */
export function deniedBy(action: BuiltIn, allows: Allows): CommandPlan | undefined {
  const permission = PERMISSION_OF[action];
  return permission && !allows(permission) ? { kind: "denied", permission } : undefined;
}
