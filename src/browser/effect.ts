/**
 * What sending a form does on its site: it only reads, it changes something, or it spends money. Inferred from what the
 * form says of itself; doubt takes the stronger. Pure, and linear in what it reads.
 */
import type { Effect } from "../../schemas/action.ts";
import { attribute } from "../pages/parse-html.ts";
import {
  ancestorOf,
  controlsOf,
  type Element,
  isCheckable,
  isSubmitButton,
  labelOf,
  type Page,
  typeOf,
} from "./controls.ts";
import {
  BUYING_CONTEXT,
  BUYS,
  LOOKS_UP,
  MAX_FORM_CHARS,
  MAY_BUY,
  PUTS_ASIDE,
  plainWords,
  says,
} from "./effect-words.ts";
import { isElement, visibleText } from "./page.ts";
import { defaultButton } from "./submission.ts";
import { pricesIn } from "./total.ts";

/** Headings before a form that may name it. */
const MAX_HEADINGS = 2;
const MAX_CONTROLS = 200;

/** Words of a name or address: `checkout-form`, `/orderPlace`. */
const nameWords = (name: string | undefined): string =>
  plainWords((name ?? "").replace(/([a-z])([A-Z])/g, "$1 $2"));

/** Fields that only a payment has: autofill's names (HTML section 4.10.18.7), and those that shops give them. */
const PAYS = /^(?:cc-(?:number|csc|exp|name)|cc-exp-(?:month|year)|transaction-amount)$/;
const PAYS_BY_NAME =
  /^(?:card[-_ ]?(?:number|no|nr)|ccnum(?:ber)?|cc[-_]?number|credit[-_]?card|cvv2?|cvc2?|csc|iban|kartennummer|pr[uü]fnummer|numero[-_]?(?:carte|tarjeta)|kontonummer)$/i;

/** Whether a control takes a card's or an account's number. */
export const isOfPayment = (control: Element): boolean => {
  const type = typeOf(control);
  if (type === "hidden" || isSubmitButton(control)) return false;
  const autocomplete = (attribute(control, "autocomplete") ?? "").toLowerCase().split(/\s+/);
  const names = [attribute(control, "name"), attribute(control, "id")];
  return (
    autocomplete.some((token) => PAYS.test(token)) || names.some((name) => PAYS_BY_NAME.test(name ?? ""))
  );
};

/** Choices of how to pay. */
const isOfPayingBy = (control: Element): boolean => {
  const words = nameWords(`${attribute(control, "name") ?? ""} ${attribute(control, "id") ?? ""}`);
  return (
    /^(?:radio|select)$/.test(typeOf(control)) &&
    [" payment", " pay ", " zahlung", " zahlart ", " bezahl", " paiement ", " pago "].some((word) =>
      words.includes(word),
    )
  );
};

/** What stands around a form: its legends and headings, those before it, its own name and address. */
const contextOf = (page: Page, form: Element, text: string): string => {
  const at = page.numberOf.get(form) ?? 0;
  const headings: string[] = [];
  for (let i = at - 1; i >= 0 && headings.length < MAX_HEADINGS; i--) {
    const element = page.elements[i]!;
    if (/^h[1-4]$/.test(element.tagName)) headings.push(visibleText(element, 200).text);
  }
  const names = ["id", "name", "class", "action"].map((name) =>
    nameWords((attribute(form, name) ?? "").slice(0, 300)),
  );
  return `${plainWords(`${headings.join(" ")} ${page.title}`)}${names.join("")}${nameWords(page.url.pathname)}${plainWords(text)}`;
};

/** Everything that the decision rests on. */
export interface FormSigns {
  method: "GET" | "POST";
  /** Words of the button that sends it, and of others that may. */
  button: string;
  context: string;
  /** Fields of cards and accounts; choices of how to pay. */
  payment: boolean;
  /** Prices in the form, or close to it. */
  prices: number;
  /** It asks for nothing but an e-mail address. */
  newsletter: boolean;
  /** A field that somebody searches with; a password. */
  search: boolean;
  password: boolean;
}

/** The decision. Pure. */
export const effectOfSigns = ({
  method,
  button,
  context,
  payment,
  prices,
  newsletter,
  search,
  password,
}: FormSigns): Effect => {
  const asides = says(button, PUTS_ASIDE);
  if (payment && !asides) return "purchase";
  if (password) return method === "GET" ? "read" : "write";
  const buys = says(button, BUYS);
  const looks = search || says(button, LOOKS_UP);
  if (method === "GET") return buys && !asides && !search ? "purchase" : "read";
  if (asides) return looks && !says(button, [" remove ", " cancel "]) ? "read" : "write";
  if (buys) return "purchase";
  if (looks && prices === 0) return "read";
  if (newsletter) return "write";
  const mayBuy = button.trim() === "" || says(button, MAY_BUY);
  return mayBuy && says(context, BUYING_CONTEXT) && (prices > 0 || says(context, ORDERING))
    ? "purchase"
    : "write";
};

/** Context in which even a form without a price orders. */
const ORDERING: readonly string[] = [
  ...[
    " checkout ",
    " payment",
    " place order ",
    " order summary ",
    " your order ",
    " review order ",
    " billing ",
  ],
  ...[
    " kasse ",
    " zahlung",
    " bestellubersicht ",
    " bestellung ",
    " ihre bestellung ",
    " buchung abschliessen ",
  ],
  ...[
    " paiement",
    " votre commande ",
    " recapitulatif ",
    " pago ",
    " tu pedido ",
    " su pedido ",
    " resumen del pedido ",
  ],
];

const isSearch = (control: Element): boolean =>
  typeOf(control) === "search" ||
  (typeOf(control) === "text" &&
    /^(?:q|query|search|s|keywords?|suche|suchbegriff|recherche|busqueda|buscar)$/i.test(
      attribute(control, "name") ?? "",
    ));

/** A form that asks for nothing but an address to write to, and names no price: a newsletter. */
const isNewsletter = (fields: readonly Element[], prices: number): boolean => {
  const written = fields.filter((control) => !isCheckable(control));
  return prices === 0 && written.length === 1 && typeOf(written[0]!) === "email";
};

/** What stands close to a form: the nearest part of the page around it that says more than the form itself. */
const around = (form: Element): string => {
  const part = ancestorOf(form, ({ tagName }) =>
    /^(?:section|article|main|dialog|fieldset|li)$/.test(tagName),
  );
  return part ? visibleText(part, MAX_FORM_CHARS).text : "";
};

/** Reads the signs of one form and the button that sends it. */
export const signsOf = (page: Page, form: Element, submitter?: Element): FormSigns => {
  const controls = controlsOf(page, form).slice(0, MAX_CONTROLS);
  const button = submitter ?? defaultButton(page, form);
  const method = (button && attribute(button, "formmethod")) ?? attribute(form, "method");
  const said = button
    ? `${labelOf(page, button)} ${isElement(button) ? (attribute(button, "value") ?? "") : ""} ${attribute(button, "name") ?? ""}`
    : "";
  const { text } = visibleText(form, MAX_FORM_CHARS);
  const action = (button && attribute(button, "formaction")) ?? "";
  const ownPrices = pricesIn(text).length;
  const fields = controls.filter((control) => !isSubmitButton(control) && typeOf(control) !== "hidden");
  return {
    method: method?.trim().toLowerCase() === "post" ? "POST" : "GET",
    button: plainWords(said),
    context: contextOf(page, form, `${text} ${action}`),
    payment: controls.some((control) => isOfPayment(control) || isOfPayingBy(control)),
    prices: ownPrices || pricesIn(around(form)).length,
    newsletter: isNewsletter(fields, ownPrices),
    search:
      attribute(form, "role") === "search" ||
      (fields.filter((control) => !isCheckable(control)).length <= 2 && fields.some(isSearch)),
    password: fields.some((control) => typeOf(control) === "password"),
  };
};

/** What sending a form by a button does. */
export const effectOfForm = (page: Page, form: Element, submitter?: Element): Effect =>
  effectOfSigns(signsOf(page, form, submitter));
