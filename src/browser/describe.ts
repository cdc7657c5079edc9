/** What a page is, for replies: text, headings, links, forms with their state. Pure, and bounded in every list. */
import { isOnRequest, isShown } from "../pages/computed-style.ts";
import { headingsOf, linksOf, type PageLink, webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import { concealmentOf, isElement, isHtml, oneLine, visibleText } from "../pages/visible-text.ts";
import {
  controlLabel,
  controlsOf,
  currentValue,
  type FormState,
  isCheckable,
  isChecked,
  isSubmitButton,
  type Page,
  type PageElement,
  typeOf,
} from "./controls.ts";
import { describeField } from "./filling.ts";
import { targetSelector } from "./page.ts";

/** Characters of a page's text in one reply; `scroll` moves on to the next. */
export const WINDOW_CHARS = 16_000;
/** Text that is looked at in all. */
const MAX_PAGE_CHARS = 1_000_000;
const MAX_LINKS = 200;
const MAX_FORMS = 30;
const MAX_CONTROLS = 100;
const MAX_HEADINGS = 100;
const MAX_NODES = 50;

export interface NamedLink extends PageLink {
  text: string;
}

const SHOWN_ATTRIBUTES: ReadonlySet<string> = new Set(
  "id class name type value href src alt title rel role datetime content itemprop lang".split(" "),
);

/** Where an element's text begins in the page's text. */
export function offsetOf(page: Page, target: PageElement): number {
  let found = 0;
  visibleText(page.model, page.model.document, MAX_PAGE_CHARS, (element, offset) => {
    if (element === target) found = offset;
  });
  return found;
}

/** The page as a whole: what `read` gives without a target. */
export const describePage = (page: Page, fields: FormState, offset: number) => ({
  url: page.url.href,
  status: page.source.status,
  title: page.title,
  language: page.language,
  ...textWindow(page, offset),
  headings: headingsOf(page.model, MAX_HEADINGS).map(({ level, text }) => ({ level, text })),
  links: namedLinks(page).map(({ element, url, text }) => ({
    text,
    href: url.href,
    target: targetSelector(page, element),
  })),
  forms: shownForms(page).map((form) => describeForm(page, fields, form)),
  truncated: page.truncated,
});

export function textWindow(page: Page, offset: number, chars = WINDOW_CHARS) {
  const { text } = visibleText(page.model, page.model.document, MAX_PAGE_CHARS);
  const from = Math.min(offset, Math.max(0, text.length - 1));
  return {
    text: text.slice(from, from + chars).toWellFormed(),
    offset: from,
    text_length: text.length,
    more: from + chars < text.length,
  };
}

/** Links that a reader can see and follow, with their words. */
export const namedLinks = ({ model, base }: Page, most = MAX_LINKS): NamedLink[] =>
  linksOf(model, base)
    .take(most)
    .map(({ element, url }) => {
      const text = oneLine(visibleText(model, element, 256).text);
      return { element, url, text: (text || oneLine(attribute(element, "aria-label") ?? "")).slice(0, 256) };
    })
    .toArray();

/** Forms that the page shows, or shows when they are asked for. */
export const shownForms = (page: Page): PageElement[] =>
  formsOf(page).filter((form) => {
    const concealment = concealmentOf(page.model, form);
    return isShown(concealment) || isOnRequest(concealment);
  });

export const formsOf = (page: Page): PageElement[] =>
  page.elements.filter((element) => element.tagName === "form" && isHtml(element)).slice(0, MAX_FORMS);

/** A form, its controls and what they hold now. */
export function describeForm(page: Page, fields: FormState, form: PageElement) {
  const controls = controlsOf(page, form);
  const shown = controls.filter((element) => {
    const type = typeOf(element);
    return type !== "hidden" && !isSubmitButton(element) && type !== "button" && type !== "reset";
  });
  return {
    target: targetSelector(page, form),
    name: (attribute(form, "name") ?? attribute(form, "id") ?? "").slice(0, 200),
    method: attribute(form, "method")?.toLowerCase() === "post" ? ("POST" as const) : ("GET" as const),
    action: (webUrl(attribute(form, "action")?.trim() || page.url.href, page.base)?.href ?? "").slice(
      0,
      2_048,
    ),
    fields: shown
      .slice(0, MAX_CONTROLS)
      .map((element) =>
        describeField(
          page,
          fields,
          element,
          currentValue(page, fields, element),
          isCheckable(element) && isChecked(page, fields, element),
        ),
      ),
    buttons: controls
      .filter(isSubmitButton)
      .slice(0, 20)
      .map((element) => ({ target: targetSelector(page, element), label: controlLabel(page, element) })),
  };
}

/** After a move: enough to know where one is. */
export const describeLoadedPage = (page: Page) => ({
  url: page.url.href,
  status: page.source.status,
  title: page.title,
  ...textWindow(page, 0, 4_000),
});

/** Selected elements: what `read` gives with a target. */
export const describeElements = (page: Page, fields: FormState, elements: readonly PageElement[]) => ({
  url: page.url.href,
  matches: elements.length,
  elements: elements.slice(0, MAX_NODES).map((element) => {
    const href = attribute(element, "href");
    const control = page.numberOf.has(element) && isElement(element) && controlsHave(element);
    return {
      target: targetSelector(page, element),
      tag: element.tagName,
      text: isShown(concealmentOf(page.model, element))
        ? visibleText(page.model, element, WINDOW_CHARS / MAX_NODES).text
        : "",
      attributes: attributesOf(element),
      ...(href !== undefined && { href: webUrl(href, page.base)?.href ?? null }),
      ...(control && { value: currentValue(page, fields, element).slice(0, 500) }),
    };
  }),
});

const controlsHave = (element: PageElement): boolean =>
  /^(?:input|select|textarea)$/.test(element.tagName) && typeOf(element) !== "password";

const attributesOf = (element: PageElement): Record<string, string> =>
  Object.fromEntries(
    element.attrs
      .filter(
        ({ name }) => SHOWN_ATTRIBUTES.has(name) || name.startsWith("aria-") || name.startsWith("data-"),
      )
      .slice(0, 30)
      .map(({ name, value }) => [name, value.slice(0, 500)]),
  );
