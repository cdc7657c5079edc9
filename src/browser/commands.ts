/**
 * What a command means on a page: the next state, a request that has to be sent, or why it cannot be done. Pure: decisions
 * of a text browser, without the network.
 */
import type { Action, Effect } from "../../schemas/action.ts";
import type { SitePermission } from "../../schemas/license.ts";
import { webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import { clickOn, followLink, planSubmission } from "./clicks.ts";
import {
  controlsOf,
  formOf,
  isCheckable,
  isDisabled,
  isSubmitButton,
  type Page,
  typeOf,
} from "./controls.ts";
import { describeElements, describePage, offsetOf, textWindow, WINDOW_CHARS } from "./describe.ts";
import { fieldOf, fill, setChecked } from "./filling.ts";
import { filled, findElement, type Interaction, isPlan } from "./interaction.ts";
import { isNavigation, planNavigation } from "./navigation.ts";
import { targetSelector } from "./page.ts";
import { availableActions } from "./page-actions.ts";
import { contextFaults } from "./parameters-schema.ts";
import {
  type Allows,
  type BrowserState,
  type BuiltIn,
  type Command,
  type CommandFailure,
  type CommandPlan,
  deniedBy,
  failedPlan,
  MAX_WAIT_MS,
} from "./plan.ts";
import { select } from "./select.ts";
import { defaultButton, type FieldFault } from "./submission.ts";

const MAX_FAULTS = 20;

/** What is no plan of the page's: the action is one of the site's own script, or nobody here knows it. */
export type NamedPlan = CommandPlan | { kind: "script"; effect: Effect } | { kind: "unlisted" };

/** What a meta element asks for (HTML section 4.2.5.3): an address after some seconds. */
export function refreshOf(page: Page): { seconds: number; url: URL } | undefined {
  const element = page.elements.find(
    (each) => each.tagName === "meta" && attribute(each, "http-equiv")?.toLowerCase() === "refresh",
  );
  const match = /^\s*(\d{1,6})(?:\.\d*)?\s*(?:[;,]\s*(?:url\s*=\s*)?["']?([^"']*)["']?)?/i.exec(
    (element && attribute(element, "content")) ?? "",
  );
  const url = match && webUrl(match[2]?.trim() ?? "", page.base);
  return url ? { seconds: Number(match[1]), url } : undefined;
}

/** What one of the built-in actions does. Permissions first: what is not allowed is not even looked for. */
export function planCommand(
  action: BuiltIn,
  command: Command,
  state: BrowserState,
  allows: Allows,
  boundary: string,
  declared: readonly Action[] = [],
): CommandPlan {
  if (isNavigation(action)) return planNavigation(action, command, state, allows);
  const denied = deniedBy(action, allows);
  if (denied) return denied;
  if (action === "wait") return planWait(state, command);
  if (!state.page) return failedPlan("no_page", "No page is open: `navigate` first.");
  const interaction: Interaction = { state, page: state.page, command, allows, declared, boundary };
  switch (action) {
    case "read":
      return planRead(interaction);
    case "fill":
    case "select":
      return planFill(interaction);
    case "check":
      return planCheck(interaction, true);
    case "uncheck":
      return planCheck(interaction, false);
    case "click":
      return planClick(interaction);
    case "submit":
      return planSubmit(interaction);
    case "scroll":
      return planScroll(interaction);
  }
}

function planWait(state: BrowserState, { value }: Command): CommandPlan {
  const ms = Number(value ?? 0);
  if (!Number.isFinite(ms) || ms < 0 || ms > MAX_WAIT_MS)
    return failedPlan("value_invalid", `Wait 0 to ${MAX_WAIT_MS} milliseconds.`);
  const refresh = state.page && refreshOf(state.page);
  const due =
    refresh && refresh.seconds * 1_000 <= ms ? { method: "GET" as const, url: refresh.url } : undefined;
  return { kind: "wait", ms, next: due };
}

function planRead(interaction: Interaction): CommandPlan {
  const { page, state, command } = interaction;
  if (!command.target)
    return { kind: "done", change: {}, result: describePage(page, state.fields, state.offset) };
  const selection = select(page.model.document, command.target);
  if (!selection.ok) return failedPlan(selection.code, selection.message);
  if (selection.elements.length === 0) return findElement(interaction, command.target) as CommandPlan;
  return { kind: "done", change: {}, result: describeElements(page, state.fields, selection.elements) };
}

function planFill(interaction: Interaction): CommandPlan {
  const { command, page, state, allows } = interaction;
  if (!command.target)
    return failedPlan("target_required", "Name the control by a CSS selector in `target`.");
  const values = valuesOf(command);
  if (values === undefined) return failedPlan("value_required", "Give the `value` to fill in.");
  const found = findElement(interaction, command.target);
  if (isPlan(found)) return found;
  const field = fieldOf(page, found);
  if (!field) return failedPlan("not_a_field", `<${found.tagName}> cannot be filled.`);
  if (typeOf(field) === "password" && !allows("automatedLogin"))
    return { kind: "denied", permission: "automatedLogin" };
  return filled(interaction, field, fill(page, state.fields, field, values));
}

/** Text of a value that may come as `value` or, for several, as `context.values`. */
function valuesOf({ value, context }: Command): string | string[] | undefined {
  const several = context?.values;
  if (Array.isArray(several) && several.every((each) => typeof each === "string")) return several;
  return value;
}

function planCheck(interaction: Interaction, on: boolean): CommandPlan {
  const { command, page, state } = interaction;
  if (!command.target)
    return failedPlan("target_required", "Name the control by a CSS selector in `target`.");
  const found = findElement(interaction, command.target);
  if (isPlan(found)) return found;
  const field = fieldOf(page, found);
  if (!field || !isCheckable(field))
    return failedPlan("not_a_field", `<${found.tagName}> is no checkbox or radio button.`);
  return filled(interaction, field, setChecked(page, state.fields, field, on));
}

function planClick(interaction: Interaction): CommandPlan {
  if (!interaction.command.target)
    return failedPlan("target_required", "Name what to click on by a CSS selector in `target`.");
  const found = findElement(interaction, interaction.command.target);
  return isPlan(found) ? found : clickOn(interaction, found);
}

/** The form that a target means: itself, the one that a control is of, or the only one of the page. */
function planSubmit(interaction: Interaction): CommandPlan {
  const { page, command } = interaction;
  if (!command.target) {
    const forms = page.elements.filter((element) => element.tagName === "form");
    if (forms.length === 1) return planSubmission(interaction, forms[0]!, defaultButton(page, forms[0]!));
    return failedPlan(
      forms.length === 0 ? "no_form" : "target_required",
      forms.length === 0 ? "The page has no form." : "The page has several forms: name one in `target`.",
    );
  }
  const found = findElement(interaction, command.target);
  if (isPlan(found)) return found;
  const form = found.tagName === "form" ? found : formOf(page, found);
  if (!form) return failedPlan("no_form", `<${found.tagName}> is no form and belongs to none.`);
  if (isSubmitButton(found) && isDisabled(found)) return failedPlan("disabled", "The button is disabled.");
  return planSubmission(interaction, form, isSubmitButton(found) ? found : defaultButton(page, form));
}

function planScroll(interaction: Interaction): CommandPlan {
  const { page, state, command } = interaction;
  const length = textWindow(page, 0, 1).text_length;
  let offset = state.offset;
  if (command.target) {
    const found = findElement(interaction, command.target);
    if (isPlan(found)) return found;
    offset = offsetOf(page, found);
  } else {
    const ways: Record<string, number> = {
      // Past the last window there is nothing: one stays on it.
      down: offset + WINDOW_CHARS < length ? offset + WINDOW_CHARS : offset,
      up: offset - WINDOW_CHARS,
      top: 0,
      bottom: length - WINDOW_CHARS,
    };
    const way = command.value ?? "down";
    const to = Object.hasOwn(ways, way) ? ways[way]! : undefined;
    if (to === undefined)
      return failedPlan("value_invalid", "Scroll down, up, top or bottom, or to a target.");
    offset = Math.max(0, to);
  }
  return {
    kind: "done",
    change: { offset },
    result: { url: page.url.href, ...textWindow(page, offset), moved: offset !== state.offset },
  };
}

/** An action that is not built in: the site's document or the page lists it, and a form or link of the page carries it out. */
export function planNamed(
  declared: readonly Action[],
  command: Command,
  state: BrowserState,
  allows: Allows,
  boundary: string,
): NamedPlan {
  const listed = availableActions(declared, state.page).find(({ name }) => name === command.action);
  if (!listed) return { kind: "unlisted" };
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  if (missing) return { kind: "denied", permission: missing as SitePermission };
  if (!listed.target) {
    const faults = contextFaults(listed.parameters, command.context).map(({ name, message }) => ({
      target: "",
      name,
      message: `${name} ${message}`,
    }));
    if (faults.length > 0) return failedPlan("validation_failed", sentenceOf(faults), faults);
    return { kind: "script", effect: listed.effect };
  }
  return planPageAction(listed, command, state, allows, boundary, declared);
}

const sentenceOf = (faults: readonly FieldFault[]): string =>
  faults
    .map(({ message }) => message)
    .join("; ")
    .slice(0, 800);

/** A page's own action (src/browser/page-actions.ts): a link is followed, a form filled from `context` and sent. */
export function planPageAction(
  listed: Action & { target?: string },
  command: Command,
  state: BrowserState,
  allows: Allows,
  boundary: string,
  declared: readonly Action[] = [],
): CommandPlan {
  const page = state.page!;
  const interaction: Interaction = { state, page, command, allows, declared, boundary };
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  if (missing) return { kind: "denied", permission: missing as SitePermission };
  const element = findElement(interaction, listed.target ?? "");
  if (isPlan(element)) return element;
  if (element.tagName !== "form") return followLink(interaction, element);
  const controls = controlsOf(page, element);
  const names = new Set(controls.map((control) => attribute(control, "name")));
  const faults: FieldFault[] = Object.keys(command.context ?? {})
    .filter((name) => !names.has(name))
    .map((name) => ({ target: listed.target ?? "", name, message: `${name} is no field of the form` }));
  let code: CommandFailure = "validation_failed";
  let fields = state.fields;
  for (const control of controls) {
    const name = attribute(control, "name") ?? "";
    const given = command.context?.[name];
    if (given === undefined || isSubmitButton(control)) continue;
    if (typeOf(control) === "password" && !allows("automatedLogin"))
      return { kind: "denied", permission: "automatedLogin" };
    const values = Array.isArray(given) ? given.map(String) : String(given);
    const outcome = fill(page, fields, control, values);
    if (outcome.ok) fields = outcome.fields;
    else {
      if (faults.length === 0) code = outcome.code;
      faults.push({ target: targetSelector(page, control), name, message: `${name}: ${outcome.message}` });
    }
  }
  if (faults.length > 0) return failedPlan(code, sentenceOf(faults), faults.slice(0, MAX_FAULTS));
  return planSubmission(
    { ...interaction, state: { ...state, fields } },
    element,
    defaultButton(page, element),
  );
}
