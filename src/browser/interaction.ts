/** One command on one page: what its target selects, and how a filled control is reported. Pure. */
import type { Action } from "../../schemas/action.ts";
import { currentValue, formOf, isCheckable, isChecked, type Page, type PageElement } from "./controls.ts";
import { describeForm } from "./describe.ts";
import { describeField, type FillFailure, type FillResult } from "./filling.ts";
import { type Allows, type BrowserState, type Command, type CommandPlan, failedPlan } from "./plan.ts";
import { select } from "./select.ts";

export interface Interaction {
  state: BrowserState;
  page: Page;
  command: Command;
  allows: Allows;
  /** Actions of the site's document: what it says of the forms and links that perform them. */
  declared: readonly Action[];
  /** Boundary of a multipart body: random. */
  boundary: string;
}

/** The first element that the target selects. */
export function findElement({ page }: Interaction, target: string): PageElement | CommandPlan {
  const selection = select(page.model.document, target);
  if (!selection.ok) return failedPlan(selection.code, selection.message);
  const [element] = selection.elements;
  return (
    element ??
    failedPlan(
      "target_not_found",
      `Nothing on ${page.url.href} matches ${JSON.stringify(target.slice(0, 200))}.`,
    )
  );
}

export const isPlan = (found: PageElement | CommandPlan): found is CommandPlan => "kind" in found;

export function filled({ page }: Interaction, element: PageElement, outcome: FillResult): CommandPlan {
  if (!outcome.ok) return failedPlan(outcome.code satisfies FillFailure, outcome.message);
  const { fields } = outcome;
  const checked = isCheckable(element) && isChecked(page, fields, element);
  const form = formOf(page, element);
  return {
    kind: "done",
    change: { fields },
    result: {
      url: page.url.href,
      field: describeField(page, fields, element, currentValue(page, fields, element), checked),
      form: form ? describeForm(page, fields, form) : null,
    },
  };
}
