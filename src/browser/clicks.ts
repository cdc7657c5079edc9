/** What a click does without a script: follows, submits, checks, chooses or resets. Pure. */
import { webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import {
  ancestorOf,
  controlLabel,
  controlsOf,
  formOf,
  isCheckable,
  isChecked,
  isDisabled,
  isSubmitButton,
  labeledControl,
  type PageElement,
  typeOf,
} from "./controls.ts";
import { describeForm, offsetOf, textWindow } from "./describe.ts";
import { effectOfWords } from "./effect-words.ts";
import { reset, setChecked, toggleOption } from "./filling.ts";
import { filled, type Interaction } from "./interaction.ts";
import { targetSelector } from "./page.ts";
import { type CommandPlan, failedPlan, scriptNeeded } from "./plan.ts";
import { sendsOfForm, sendsOfLink } from "./sends.ts";
import { submissionOf } from "./submission.ts";

const INTERACTIVE: ReadonlySet<string> = new Set([
  "a",
  "area",
  "button",
  "input",
  "label",
  "option",
  "select",
  "textarea",
  "summary",
]);

export function planSubmission(
  interaction: Interaction,
  form: PageElement,
  submitter: PageElement | undefined,
): CommandPlan {
  if (!interaction.allows("fillForms")) return { kind: "denied", permission: "fillForms" };
  const { page, state, boundary, declared } = interaction;
  const submission = submissionOf(page, state.fields, form, submitter, boundary);
  if (submission.ok)
    return {
      kind: "go",
      request: submission.request,
      move: "push",
      sends: sendsOfForm(page, state.fields, form, submitter, declared),
    };
  if (submission.code === "requires_script")
    return scriptNeeded(
      submission.message,
      sendsOfForm(page, state.fields, form, submitter, declared).effect,
    );
  return failedPlan(
    submission.code,
    submission.message,
    "faults" in submission ? submission.faults : undefined,
  );
}

export function clickOn(interaction: Interaction, found: PageElement): CommandPlan {
  const element = activatable(found);
  if (!element)
    return attribute(found, "onclick") === undefined
      ? failedPlan("not_activatable", `A click on <${found.tagName}> does nothing.`)
      : scriptNeeded("The click runs a script.");
  switch (element.tagName) {
    case "a":
    case "area":
      return attribute(element, "href") === undefined
        ? scriptNeeded("The link goes nowhere without a script.")
        : followLink(interaction, element);
    case "label": {
      const control = labeledControl(interaction.page, element);
      if (!control || control === element)
        return failedPlan("not_activatable", "The label names no control.");
      return control.tagName === "button"
        ? clickButton(interaction, control)
        : clickControl(interaction, control);
    }
    case "summary":
      // A text browser shows what is folded away too.
      return {
        kind: "done",
        change: { offset: offsetOf(interaction.page, element) },
        result: { url: interaction.page.url.href, open: true },
      };
    case "button":
      return clickButton(interaction, element);
    case "input":
      return /^(?:submit|image|reset|button)$/.test(typeOf(element))
        ? clickButton(interaction, element)
        : clickControl(interaction, element);
    default:
      return clickControl(interaction, element);
  }
}

/** The element whose activation a click on this one causes: itself or the nearest around it. */
function activatable(element: PageElement): PageElement | undefined {
  const acts = ({ tagName }: PageElement) => INTERACTIVE.has(tagName);
  return acts(element) ? element : ancestorOf(element, acts);
}

export function followLink(interaction: Interaction, link: PageElement): CommandPlan {
  const { page } = interaction;
  const href = attribute(link, "href")?.trim() ?? "";
  if (/^javascript:/i.test(href))
    return scriptNeeded("The link runs a script.", effectOfWords(controlLabel(page, link), "custom"));
  const url = webUrl(href, page.base);
  if (!url)
    return failedPlan("unsupported_address", `The link goes to no web address: ${href.slice(0, 200)}`);
  if (url.href.split("#")[0] !== page.url.href.split("#")[0])
    return {
      kind: "go",
      request: { method: "GET", url },
      move: "push",
      sends: sendsOfLink(page, link, interaction.declared),
    };
  if (url.hash === "" && /^#?$/.test(href) && attribute(link, "onclick") !== undefined)
    return scriptNeeded("The link only runs a script.", effectOfWords(controlLabel(page, link), "custom"));
  const at = page.byId.get(decodeFragment(url.hash.slice(1)));
  const offset = at ? offsetOf(page, at) : 0;
  return {
    kind: "done",
    change: { url: url.href, offset },
    result: { url: url.href, ...textWindow(page, offset, 4_000) },
  };
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function clickButton(interaction: Interaction, button: PageElement): CommandPlan {
  const { page, state } = interaction;
  if (isDisabled(button)) return failedPlan("disabled", "The button is disabled.");
  const form = formOf(page, button);
  if (isSubmitButton(button) && form) return planSubmission(interaction, form, button);
  if (typeOf(button) === "reset" && form)
    return {
      kind: "done",
      change: { fields: reset(page, state.fields, controlsOf(page, form)) },
      result: {
        url: page.url.href,
        form: describeForm(page, reset(page, state.fields, controlsOf(page, form)), form),
      },
    };
  return scriptNeeded(
    "The button does nothing without a script.",
    effectOfWords(controlLabel(page, button), "custom"),
  );
}

function clickControl(interaction: Interaction, element: PageElement): CommandPlan {
  const { page, state, allows } = interaction;
  if (!allows("fillForms")) return { kind: "denied", permission: "fillForms" };
  if (element.tagName === "option") {
    const list = ancestorOf(element, ({ tagName }) => tagName === "select");
    if (!list) return failedPlan("not_activatable", "The option is in no list.");
    return filled(interaction, list, toggleOption(page, state.fields, list, element));
  }
  if (!isCheckable(element))
    return {
      kind: "done",
      change: {},
      result: { url: page.url.href, focused: targetSelector(page, element) },
    };
  const on = typeOf(element) === "radio" || !isChecked(page, state.fields, element);
  return filled(interaction, element, setChecked(page, state.fields, element, on));
}
