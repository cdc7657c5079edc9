/** What a form or link would send, told before it is sent. Pure. */
import type { Action, Effect } from "../../schemas/action.ts";
import { attribute } from "../pages/parse-html.ts";
import type { Total } from "./amount.ts";
import type { FormState } from "./controls.ts";
import { controlsOf, type Element, labelOf, ownName, type Page, typeOf } from "./controls.ts";
import { effectOfForm, isOfPayment } from "./effect.ts";
import { entryList } from "./submission.ts";
import { totalOf } from "./total.ts";

const MAX_FIELDS = 100;
const MAX_CHARS = 200;
const MASK = "••••";

/** What sending does, what it costs as far as the page shows, and the fields as they would be sent. */
export interface Sends {
  effect: Effect;
  total: Total | null;
  /** At most 100; passwords, and numbers of cards and accounts, are masked. */
  fields: { name: string; value: string }[];
}

/** What the site's signed document says of a form or link that performs one of its actions. */
const declaredEffect = (declared: readonly Action[], element: Element): Effect | undefined => {
  const name = ownName(element);
  return name === undefined ? undefined : declared.find((action) => action.name === name)?.effect;
};

const fieldsOf = (page: Page, state: FormState, form: Element, submitter: Element | undefined) => {
  const masked = new Set(
    controlsOf(page, form)
      .filter((control) => typeOf(control) === "password" || isOfPayment(control))
      .map((control) => attribute(control, "name") ?? ""),
  );
  return entryList(page, state, form, submitter, "UTF-8")
    .slice(0, MAX_FIELDS)
    .map(({ name, value }) => ({
      name: name.slice(0, MAX_CHARS).toWellFormed(),
      value: masked.has(name) && value !== "" ? MASK : value.slice(0, MAX_CHARS).toWellFormed(),
    }));
};

export const sendsOfForm = (
  page: Page,
  state: FormState,
  form: Element,
  submitter: Element | undefined,
  declared: readonly Action[],
): Sends => {
  const effect = declaredEffect(declared, form) ?? effectOfForm(page, form, submitter);
  const button = submitter ? labelOf(page, submitter) : "";
  return {
    effect,
    total: effect === "purchase" ? totalOf(page, form, button) : null,
    fields: fieldsOf(page, state, form, submitter),
  };
};

/** A link only reads, unless the site's document says more of it. */
export const sendsOfLink = (page: Page, link: Element, declared: readonly Action[]): Sends | undefined => {
  const effect = declaredEffect(declared, link) ?? "read";
  if (effect === "read") return undefined;
  return {
    effect,
    total: effect === "purchase" ? totalOf(page, undefined, labelOf(page, link)) : null,
    fields: [],
  };
};
