/** One command on one page: what its target selects, and how a filled control is reported. Pure. */
import type { Action } from "../../schemas/action.ts";
import { currentValue, type Element, formOf, isCheckable, isChecked, type Page } from "./controls.ts";
import { describeForm } from "./describe.ts";
import { describeField, type Filled, type FillFailure } from "./filling.ts";
import { type Allows, type BrowserState, type Command, failed, type Plan } from "./plan.ts";
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
export function find({ page }: Interaction, target: string): Element | Plan {
  const selection = select(page.model.document, target);
  if (!selection.ok) return failed(selection.code, selection.message);
  const [element] = selection.elements;
  return (
    element ??
    failed("target_not_found", `Nothing on ${page.url.href} matches ${JSON.stringify(target.slice(0, 200))}.`)
  );
}

export const isPlan = (found: Element | Plan): found is Plan => "kind" in found;

export function filled({ page }: Interaction, element: Element, outcome: Filled): Plan {
  if (!outcome.ok) return failed(outcome.code satisfies FillFailure, outcome.message);
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
