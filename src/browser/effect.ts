/**
 * What sending a form does on its site: it only reads, it changes something, or it spends money. Inferred from what the
 * form says of itself; doubt takes the stronger. Pure, and linear in what it reads. Not seen: what only a script says, a price in
 * a picture, a form in words of another language that shows neither price nor payment.
 */
import type { Effect } from "../../schemas/action.ts";
import { attribute } from "../pages/parse-html.ts";
import { visibleText } from "../pages/visible-text.ts";
import {
  ancestorOf,
  controlLabel,
  controlsOf,
  isCheckable,
  isSubmitButton,
  type Page,
  type PageElement,
  typeOf,
} from "./controls.ts";
import { localCurrencies } from "./currency-signs.ts";
import {
  BUYING_CONTEXT,
  BUYS,
  CHANGES,
  LOOKS_UP,
  MAX_FORM_CHARS,
  MAY_BUY,
  NOT_ONLY_LOOKS,
  ORDERING,
  plainWords,
  putsAside,
  says,
} from "./effect-words.ts";
import { countPrices } from "./prices.ts";
import { defaultButton } from "./submission.ts";

/** Headings before a form that may name it. */
const MAX_HEADINGS = 2;
const MAX_CONTROLS = 200;

/** Fields that only a payment has: autofill's names (HTML section 4.10.18.7), and those that shops give them. */
const PAYS = /^(?:cc-(?:number|csc|exp|name)|cc-exp-(?:month|year)|transaction-amount)$/;
const PAYS_BY_NAME =
  /^(?:card[-_ ]?(?:number|no|nr)|ccnum(?:ber)?|cc[-_]?number|credit[-_]?card|cvv2?|cvc2?|csc|iban|kartennummer|pr[uü]fnummer|numero[-_]?(?:carte|tarjeta)|kontonummer)$/i;

/** Everything that the decision rests on. */
export interface FormSigns {
  method: "GET" | "POST";
  /** Words on the button that sends it, and those of its name and value, which nobody sees. */
  button: string;
  names: string;
  context: string;
  /** Fields of cards and accounts; choices of how to pay. */
  payment: boolean;
  /** Prices in the form; or, where there is none, close to it. */
  ownPrices: number;
  prices: number;
  /** It asks for nothing but an e-mail address. */
  newsletter: boolean;
  /** A field that somebody searches with; a password. */
  search: boolean;
  password: boolean;
  /** The words of its language are known here: one that no list has is no usual one of shops. */
  isCovered: boolean;
}

/** What sending a form by a button does. */
export const effectOfForm = (page: Page, form: PageElement, submitter?: PageElement): Effect =>
  effectOfSigns(signsOf(page, form, submitter));

/** The decision. Pure. A POST that only reads says so where it is seen: on its button. */
export function effectOfSigns(signs: FormSigns): Effect {
  const { method, button, names, context, payment, ownPrices, prices, newsletter, search, password } = signs;
  const buys = says(button, BUYS) || says(names, BUYS);
  // A name that says more than the button is believed; one that says less only of a button that says nothing.
  const isUnsaid = !says(button, BUYS) && !says(button, MAY_BUY);
  const asides = putsAside(button) || (isUnsaid && putsAside(names));
  if (payment && !asides) return "purchase";
  const isAccount = password && !(buys && !asides) && !(ownPrices > 0 && says(context, ORDERING));
  if (isAccount) return method === "GET" ? "read" : "write";
  if (method === "GET") return buys && !asides ? "purchase" : "read";
  const looks = says(button, LOOKS_UP) && !says(button, NOT_ONLY_LOOKS);
  if (asides) return looks && !says(button, [" remove ", " cancel "]) ? "read" : "write";
  if (buys) return "purchase";
  if (looks && prices === 0 && (search || button.trim() !== "go")) return "read";
  if (newsletter) return "write";
  return mayBuy(signs) ? "purchase" : "write";
}

/** What may be bought, to which the button's words add nothing, or nothing that is known. */
function mayBuy({ button, context, ownPrices, prices, isCovered }: FormSigns): boolean {
  const known = [CHANGES, LOOKS_UP].some((words) => says(button, words));
  const may = button.trim() === "" || says(button, MAY_BUY) || !known;
  if (!may) return false;
  if (says(context, BUYING_CONTEXT) && (prices > 0 || says(context, ORDERING))) return true;
  return !isCovered && ownPrices > 0;
}

/** Reads the signs of one form and the button that sends it. */
export function signsOf(page: Page, form: PageElement, submitter?: PageElement): FormSigns {
  const controls = controlsOf(page, form).slice(0, MAX_CONTROLS);
  const button = submitter ?? defaultButton(page, form);
  const method = (button && attribute(button, "formmethod")) ?? attribute(form, "method");
  const label = button ? controlLabel(page, button) : "";
  const names = button ? `${attribute(button, "value") ?? ""} ${attribute(button, "name") ?? ""}` : "";
  const { text } = visibleText(page.model, form, MAX_FORM_CHARS);
  const action = (button && attribute(button, "formaction")) ?? "";
  const local = localCurrencies(page.language, page.url.hostname, text);
  const ownPrices = countPrices(text, local);
  const fields = controls.filter((control) => !isSubmitButton(control) && typeOf(control) !== "hidden");
  return {
    method: method?.trim().toLowerCase() === "post" ? "POST" : "GET",
    button: plainWords(label),
    names: nameWords(names),
    context: contextOf(page, form, `${text} ${action}`),
    payment: controls.some((control) => isOfPayment(control) || isOfPayingBy(control)),
    ownPrices,
    prices: ownPrices || countPrices(around(page, form), local),
    newsletter: isNewsletter(fields, ownPrices),
    search:
      attribute(form, "role") === "search" ||
      (fields.filter((control) => !isCheckable(control)).length <= 2 && fields.some(isSearch)),
    password: fields.some((control) => typeOf(control) === "password"),
    isCovered:
      /^(?:en|de|fr|es)(?:-|$)/i.test(page.language ?? "en") && !/[^\p{Script=Latin}\P{L}]/u.test(label),
  };
}

/** Words of a name or address: `checkout-form`, `/orderPlace`. */
const nameWords = (name: string | undefined): string =>
  plainWords((name ?? "").replace(/([a-z])([A-Z])/g, "$1 $2"));

/** What stands around a form: its legends and headings, those before it, its own name and address. */
function contextOf(page: Page, form: PageElement, text: string): string {
  const at = page.numberOf.get(form) ?? 0;
  const headings: string[] = [];
  for (let i = at - 1; i >= 0 && headings.length < MAX_HEADINGS; i--) {
    const element = page.elements[i]!;
    if (/^h[1-4]$/.test(element.tagName)) headings.push(visibleText(page.model, element, 200).text);
  }
  const names = ["id", "name", "class", "action"].map((name) =>
    nameWords((attribute(form, name) ?? "").slice(0, 300)),
  );
  return `${plainWords(`${headings.join(" ")} ${page.title}`)}${names.join("")}${nameWords(page.url.pathname)}${plainWords(text)}`;
}

/** Whether a control takes a card's or an account's number. */
export function isOfPayment(control: PageElement): boolean {
  const type = typeOf(control);
  if (type === "hidden" || isSubmitButton(control)) return false;
  const autocomplete = (attribute(control, "autocomplete") ?? "").toLowerCase().split(/\s+/);
  const names = [attribute(control, "name"), attribute(control, "id")];
  return (
    autocomplete.some((token) => PAYS.test(token)) || names.some((name) => PAYS_BY_NAME.test(name ?? ""))
  );
}

/** Choices of how to pay. */
function isOfPayingBy(control: PageElement): boolean {
  const words = nameWords(`${attribute(control, "name") ?? ""} ${attribute(control, "id") ?? ""}`);
  return (
    /^(?:radio|select)$/.test(typeOf(control)) &&
    [" payment", " pay ", " zahlung", " zahlart ", " bezahl", " paiement ", " pago "].some((word) =>
      words.includes(word),
    )
  );
}

/** What stands close to a form: the nearest part of the page around it that says more than the form itself. */
function around({ model }: Page, form: PageElement): string {
  const part = ancestorOf(form, ({ tagName }) =>
    /^(?:section|article|main|dialog|fieldset|li)$/.test(tagName),
  );
  return part ? visibleText(model, part, MAX_FORM_CHARS).text : "";
}

/** A form that asks for nothing but an address to write to, and names no price: a newsletter. */
function isNewsletter(fields: readonly PageElement[], prices: number): boolean {
  const written = fields.filter((control) => !isCheckable(control));
  return prices === 0 && written.length === 1 && typeOf(written[0]!) === "email";
}

const isSearch = (control: PageElement): boolean =>
  typeOf(control) === "search" ||
  (typeOf(control) === "text" &&
    /^(?:q|query|search|s|keywords?|suche|suchbegriff|recherche|busqueda|buscar)$/i.test(
      attribute(control, "name") ?? "",
    ));
