/**
 * The total that a page shows beside a form: what sending it would cost. Read from the page's text alone, in one pass.
 * Doubt takes the greater: of several amounts of a line, and of several lines of one name, the greatest; where one of them
 * cannot be read for certain, or is of another currency, the total is unknown. An amount that is told too low is spent.
 */
import { isCurrency } from "../../schemas/currency.ts";
import { attribute } from "../pages/parse-html.ts";
import { oneLine, visibleText } from "../pages/visible-text.ts";
import { minorOf, ofMinor, type Total } from "./amount.ts";
import type { Page, PageElement } from "./controls.ts";
import { type LocalCurrencies, localCurrencies } from "./currency-signs.ts";
import { type Price, pricesIn } from "./prices.ts";
import {
  comesLater,
  FINAL,
  isAdded,
  isCondition,
  isRenewal,
  isSaving,
  isTaxNote,
  leavesOut,
  plainLine,
  SUM,
  withoutParts,
} from "./total-words.ts";

const MAX_CHARS = 200_000;
const MAX_LINE_CHARS = 2_000;
/** Lines between a label and its amount. */
const MAX_PENDING_LINES = 2;
/** What is said of a total is short: "Shipping calculated at the next step". */
const MAX_NOTE_CHARS = 80;

/** Elements in which shops write cents, without a point: `68<sup>50</sup>`. */
const CENTS = /(?:^|[-_\s])(?:cents?|centimes|decimals?|fraction|minor|sup)(?:$|[-_\s])/i;

interface Named {
  rank: 1 | 2;
  total: Total | null;
  /** Something is left out of it that is paid all the same. */
  open: boolean;
}

/** A line that names the amounts of the next lines, perhaps with their currency: "Total (CAD)". */
interface Label {
  rank: 1 | 2;
  lines: number;
  open: boolean;
  currency: LocalCurrencies | undefined;
}

interface Best {
  rank: number;
  total: Total | null;
}

/**
 * What sending a form would cost, as the page shows it: on its button, as a total in the form or else on the page; or the
 * one price that the form itself names. Null where nothing of it is certain.
 * @param button words of the button that sends it
 */
export function totalOf(page: Page, form: PageElement | undefined, button: string): Total | null {
  const whole = textWithCents(page, page.model.document);
  const own = form ? textWithCents(page, form) : { text: "", cut: false };
  const local = localCurrencies(page.language, page.url.hostname, whole.text);
  const { named, hasLabel } = totalsIn(own.text, local);
  const inForm = bestOf(named);
  const onButton = amountIn(button, pricesIn(button, local));
  // A button that asks for less than the form's total asks for a deposit or a part.
  if (onButton) return inForm ? inForm.total && greatest([onButton, inForm.total]) : onButton;
  if (whole.cut || own.cut || page.truncated) return null;
  const sure = sureOf(inForm, bestOf(totalsIn(whole.text, local).named));
  if (sure) return sure.total;
  // A total that is named, and stands in a field or a picture, is not the price beside it.
  return hasLabel ? null : onlyPrice(pricesIn(own.text, local));
}

/** A text in which cents of an element of their own have their point, and notes stand apart from the figure before. */
function textWithCents(page: Page, root: Parameters<typeof visibleText>[1]): { text: string; cut: boolean } {
  const begins: { at: number; behind: RegExp }[] = [];
  const { text, cut } = visibleText(page.model, root, MAX_CHARS, (element, at) => {
    if (isOfCents(element)) begins.push({ at, behind: /\d ?$/ });
    else if (isSmall(element)) begins.push({ at, behind: /\d$/ });
  });
  const parts: string[] = [];
  let from = 0;
  for (const { at, behind } of begins) {
    const before = text.slice(Math.max(from, at - 24), at);
    if (!behind.test(before) || !/^\d/.test(text.slice(at, at + 1))) continue;
    const isCents = /^\d\d(?!\d)/.test(text.slice(at, at + 3)) && !/[.,]\d{1,2} ?$/.test(before);
    parts.push(text.slice(from, at).trimEnd(), isCents ? "." : " ");
    from = at;
  }
  parts.push(text.slice(from));
  return { text: parts.join(""), cut };
}

const isOfCents = (element: PageElement): boolean =>
  element.tagName === "sup" || CENTS.test(attribute(element, "class") ?? "");
/** Elements that hold cents only right after a figure. */
const isSmall = ({ tagName }: PageElement): boolean => tagName === "small" || tagName === "sub";

/** Amounts that a line, or the line before, calls the total; and whether anything is called so at all. */
function totalsIn(text: string, local: LocalCurrencies): { named: Named[]; hasLabel: boolean } {
  const named: Named[] = [];
  let hasLabel = false;
  let pending: Label | undefined;
  let isOpen = false;
  const renewals: Total[] = [];
  for (const whole of text.split("\n")) {
    const line = oneLine(whole.slice(0, MAX_LINE_CHARS));
    if (line === "") continue;
    const words = plainLine(line);
    const rank = rankOf(words);
    hasLabel ||= rank > 0;
    const prices = pricesIn(line, pending?.currency ?? local);
    const open = leavesOut(words, prices.length);
    const [first] = prices;
    isOpen ||= !first && line.length <= MAX_NOTE_CHARS && comesLater(words);
    for (const { total, to } of prices) if (total && isRenewal(words, line.slice(to))) renewals.push(total);
    // A label on a line of its own names the amounts that the next lines begin with.
    const begins = first !== undefined && !/\p{L}/u.test(line.slice(0, first.from));
    const own: Label | undefined =
      rank > 0 ? { rank: rank as 1 | 2, lines: 0, open, currency: currencyIn(line) } : undefined;
    const label = own ?? (begins ? pending : undefined);
    const total = whole.length > MAX_LINE_CHARS ? null : amountIn(line, prices);
    if (label && first && total !== undefined)
      named.push({ rank: label.rank, total, open: label.open || open });
    if (first) pending = !own && (begins || isTaxNote(words)) ? pending : undefined;
    else if (own) pending = own;
    else if (pending && ++pending.lines > MAX_PENDING_LINES) pending = undefined;
    else if (pending) pending.open ||= open;
  }
  // What renews at more than is paid today costs more than today's total.
  const renewal = renewals.length > 0 ? greatest(renewals) : undefined;
  const isLess = (total: Total | null): boolean =>
    renewal !== undefined && total !== null && (renewal === null || greatest([total, renewal]) !== total);
  return {
    named: named.map((each) => ({ ...each, open: each.open || isOpen || isLess(each.total) })),
    hasLabel,
  };
}

/** The currency that a label without an amount names: what a sign below it means. */
function currencyIn(line: string): LocalCurrencies | undefined {
  const code = /(?<!\p{L})\(?([A-Z]{3})\)?:?$/u.exec(line)?.[1] ?? "";
  return isCurrency(code) ? new Set([code]) : undefined;
}

/** How surely a line names the total: 2, 1, or 0 for not at all. */
function rankOf(words: string): 0 | 1 | 2 {
  const whole = withoutParts(words);
  if (FINAL.some((label) => whole.includes(label))) return 2;
  return SUM.some((label) => whole.includes(label)) ? 1 : 0;
}

/** What a line that names a total says it is; undefined where it names no amount, null where nobody can tell. */
function amountIn(line: string, all: readonly Price[]): Total | null | undefined {
  const conditions = all.map(({ from, to }) =>
    isCondition(line.slice(Math.max(0, from - 40), from), line.slice(to, to + 20)),
  );
  // "Order total over €50.00 ships for €5.90" says what would be, and not what is.
  if (conditions[0]) return undefined;
  const isOff = ({ from }: Price, i: number) => i > 0 && isSaving(line.slice(Math.max(0, from - 40), from));
  const prices = all.filter((price, i) => !conditions[i] && !isOff(price, i));
  if (prices.length === 0) return undefined;
  const named = prices.filter(({ bare }) => bare === undefined);
  if (named.some(({ total }) => total === null)) return null;
  const most = greatest(sums(line, named));
  // A figure without a currency is of no account beside a greater amount.
  const isLess = ({ bare }: Price) => bare === undefined || (most !== null && bare <= Number(most.amount));
  return prices.every(isLess) ? most : null;
}

/** The greatest of some amounts; null where they are of several currencies. */
function greatest(totals: readonly Total[]): Total | null {
  const [first] = totals;
  if (!first || totals.some(({ currency }) => currency !== first.currency)) return null;
  return totals.reduce(greater);
}

const greater = (a: Total, b: Total): Total => (minorOf(b) > minorOf(a) ? b : a);

/** Amounts that are paid one with the other ("€120.00 + €9.90 shipping"), added up. */
function sums(line: string, prices: readonly Price[]): Total[] {
  const added: Total[] = [];
  let last: Price | undefined;
  for (const price of prices) {
    const { total } = price;
    const before = added.at(-1);
    const isMore = before && last && total && isAdded(line.slice(last.to, Math.max(last.to, price.from)));
    if (isMore && before.currency === total.currency)
      added[added.length - 1] =
        ofMinor(minorOf(before) + minorOf(total), total.currency) ?? greater(before, total);
    else if (total) added.push(total);
    last = price;
  }
  return added;
}

/** Of the best named the greatest; null where one of them is unknown, or where the greatest leaves something out. */
function bestOf(named: readonly Named[]): Best | undefined {
  const rank = Math.max(0, ...named.map((each) => each.rank));
  const best = named.filter((each) => each.rank === rank);
  if (best.length === 0) return undefined;
  const totals = best.flatMap(({ total }) => total ?? []);
  const total = totals.length < best.length ? null : greatest(totals);
  const isWhole = best.some(
    (each) => !each.open && each.total && total && minorOf(each.total) >= minorOf(total),
  );
  return { rank, total: isWhole ? total : null };
}

/** A form's total, unless the page names one more surely that is greater. */
function sureOf(form: Best | undefined, page: Best | undefined): Best | undefined {
  if (!form || !page || page.rank <= form.rank || form.total === null) return form ?? page;
  const isMore = page.total === null || greatest([page.total, form.total]) !== form.total;
  return isMore ? page : form;
}

/** The one price that a text names, however often. */
function onlyPrice(prices: readonly Price[]): Total | null {
  const [first] = prices;
  const isSame = ({ total }: Price) =>
    total !== null && total.amount === first?.total?.amount && total.currency === first.total.currency;
  return first?.total && prices.every(isSame) ? first.total : null;
}
