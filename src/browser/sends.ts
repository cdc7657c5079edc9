/** What a form or link would send, told before it is sent. Pure. */
import { type Action, type Effect, stronger } from "../../schemas/action.ts";
import { attribute } from "../pages/parse-html.ts";
import type { Total } from "./amount.ts";
import {
  controlLabel,
  controlsOf,
  currentValue,
  type FormState,
  ownName,
  type Page,
  type PageElement,
  typeOf,
} from "./controls.ts";
import { effectOfForm, isOfPayment } from "./effect.ts";
import { pickEncoding } from "./form-data.ts";
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

/** Fields that say how many are bought. */
const QUANTITY =
  /(?:^|[^a-z])(?:qty|quantity|quantities|menge|anzahl|stueck|quantite|cantidad|quantita|aantal|antal|ilosc|nights?|persons?|guests?|tickets?|adults?|seats?|units?|copies|months?)(?:$|[^a-z])/i;

export function sendsOfForm(
  page: Page,
  state: FormState,
  form: PageElement,
  submitter: PageElement | undefined,
  declared: readonly Action[],
): Sends {
  const effect = effectOf(declared, form, effectOfForm(page, form, submitter));
  const button = submitter ? controlLabel(page, submitter) : "";
  const isTold = effect === "purchase" && !isOfAnotherQuantity(page, state, form);
  return {
    effect,
    total: isTold ? totalOf(page, form, button) : null,
    fields: fieldsOf(page, state, form, submitter),
  };
}

/** What a form or link does: the stronger of what is inferred, and of what the site's signed document says of its name. */
function effectOf(declared: readonly Action[], element: PageElement, inferred: Effect): Effect {
  const name = ownName(element);
  const said = name === undefined ? undefined : declared.find((action) => action.name === name);
  return stronger(said?.effect, inferred);
}

/** Whether the page's amounts are of another number of things than would be sent: only a script could say the new ones. */
const isOfAnotherQuantity = (page: Page, state: FormState, form: PageElement): boolean =>
  controlsOf(page, form).some((control) => {
    if (!/^(?:number|text|tel|select|range)$/.test(typeOf(control))) return false;
    if (!QUANTITY.test(`${attribute(control, "name") ?? ""} ${attribute(control, "id") ?? ""}`)) return false;
    return currentValue(page, state, control) !== currentValue(page, {}, control);
  });

function fieldsOf(page: Page, state: FormState, form: PageElement, submitter: PageElement | undefined) {
  const masked = new Set(
    controlsOf(page, form)
      .filter((control) => typeOf(control) === "password" || isOfPayment(control))
      .map((control) => attribute(control, "name") ?? ""),
  );
  const encoding = pickEncoding(attribute(form, "accept-charset"), page.source.encoding);
  return entryList(page, state, form, submitter, encoding)
    .slice(0, MAX_FIELDS)
    .map(({ name, value }) => ({
      name: name.slice(0, MAX_CHARS).toWellFormed(),
      value: masked.has(name) && value !== "" ? MASK : value.slice(0, MAX_CHARS).toWellFormed(),
    }));
}

/** A link only reads, unless the site's document says more of it. */
export function sendsOfLink(page: Page, link: PageElement, declared: readonly Action[]): Sends | undefined {
  const effect = effectOf(declared, link, "read");
  if (effect === "read") return undefined;
  return {
    effect,
    total: effect === "purchase" ? totalOf(page, undefined, controlLabel(page, link)) : null,
    fields: [],
  };
}
